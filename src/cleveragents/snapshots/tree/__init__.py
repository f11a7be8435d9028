"""Trees of files: read from a directory, kept in memory, written down as a manifest."""
