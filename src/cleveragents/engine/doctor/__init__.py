"""Looks after a data directory: finds what is wrong, and repairs by adding."""
