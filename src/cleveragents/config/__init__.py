"""Every setting, the levels its value may come from, and the files that hold them."""
