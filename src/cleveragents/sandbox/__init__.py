"""Where a plan works: a copy of the project under our care, never the user's own files."""
