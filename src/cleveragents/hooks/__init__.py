"""What coding agents call before and after everything that they do."""
