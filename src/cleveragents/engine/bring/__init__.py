"""Brings results into the project, and the project into a sandbox."""
