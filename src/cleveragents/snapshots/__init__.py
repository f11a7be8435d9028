"""Exact content of a directory: captured, compared, verified and restored."""
