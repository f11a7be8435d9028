"""Where facts are kept: one SQLite database, its migrations, and the locks beside it."""
