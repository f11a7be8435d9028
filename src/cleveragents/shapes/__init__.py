"""The shapes that programs read: one per result, with the functions that make it."""
