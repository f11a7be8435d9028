"""Plans: their steps, where they stand, and their decisions."""
