"""How long checkpoints and rollbacks take, and counts that must be exact whatever the machine."""
