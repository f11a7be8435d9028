"""Goes back: to a checkpoint, for single paths, or beside in a plan of its own."""
