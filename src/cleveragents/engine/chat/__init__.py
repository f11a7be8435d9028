"""Chats: what a coding agent does in the user's own directory, recorded, told and taken back."""
