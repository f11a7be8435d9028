"""Confinement: what the processes of a step cannot reach, and the launcher that sees to it."""
