"""What is known of coding agents: their settings, and how our hooks are put into them."""
