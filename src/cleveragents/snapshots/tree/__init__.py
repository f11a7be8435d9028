"""What a tree of files is: read from a directory, kept in memory, written down as a manifest."""
