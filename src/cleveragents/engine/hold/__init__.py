"""Holds a plan: who owns it, what was interrupted, where it stands, when it stops."""
