"""What is to be done, where it stands, and what was decided."""
