"""What programs read: one typed shape per result, and the functions that make it."""
