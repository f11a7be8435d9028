"""Changes of directories: ours made equal to a tree, theirs exchanged path by path."""
