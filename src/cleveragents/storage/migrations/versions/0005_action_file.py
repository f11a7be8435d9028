"""Remembers which action file a plan was made from, and what it held."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Adds the columns; plans that are there already do not know their file."""
    op.add_column("plans", sa.Column("action_path", sa.Text))
    op.add_column("plans", sa.Column("action_hash", sa.String(64)))
