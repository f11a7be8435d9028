"""Heads: by which an old copy of the database is told from the right one."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "heads",
        sa.Column("head_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("head_id", name="pk_heads"),
    )
