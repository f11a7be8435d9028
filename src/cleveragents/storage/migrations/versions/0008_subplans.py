"""Lets plans know which step of their parent spawned them, and what became of them there."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Adds the columns; plans made before have no parent."""
    op.add_column("plans", sa.Column("parent_step", sa.Text))
    op.add_column("plans", sa.Column("merged_ref", sa.String(64)))
    op.add_column("plans", sa.Column("superseded_by", sa.String(26)))
    op.create_index("ix_plans_parent_plan_id", "plans", ["parent_plan_id"])
