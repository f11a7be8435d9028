"""Chats: what is known of conversations with coding agents, and whose change a change is."""
