"""Alembic's entry point: runs on the connection it was handed."""

from alembic import context

from cleveragents.storage.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
