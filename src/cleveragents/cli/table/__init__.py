"""The one table of all commands: parsing, help, completion and the reference are made from it."""
