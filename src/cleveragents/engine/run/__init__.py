"""Runs plans: strategize, execute, steps, subplans, resume, cancel."""
