"""Builds every service once, in plain sight, and each only when it is asked for.

What a service is made of is imported where it is made: a command starts with what it needs.
"""
