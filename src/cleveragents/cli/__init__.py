"""The `agents` command: parses, calls one service, renders one result."""
