"""Taking back the newest deed that stands, and doing it again: one list for all kinds of deeds."""
