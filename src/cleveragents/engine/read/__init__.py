"""Tells what is and was; changes nothing."""
