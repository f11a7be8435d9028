"""Points to come back to, and the act of going back."""
