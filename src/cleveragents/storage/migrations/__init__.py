"""The way to the tables as declared; each file is one step and is never edited afterwards."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection) -> None:
    """Brings the schema up to date inside the transaction of the connection."""
    config = Config()
    # Alembic expands % and { } in option values; a path may hold any of them.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
