"""Looks after what is kept: finds what is wrong with it, mends it, and removes what may go."""
