"""Adds conflicts, and what a sandbox must know of its project to be applied."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ULID = sa.String(26)
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Adds them; a sandbox made before has no such facts."""
    op.add_column("sandboxes", sa.Column("refreshed_ref", sa.String(64)))
    op.add_column("sandboxes", sa.Column("head", sa.String(64)))
    op.add_column("sandboxes", sa.Column("project_inode", sa.Text))
    op.create_table(
        "conflicts",
        sa.Column("conflict_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("path", sa.LargeBinary, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("versions_json", sa.Text, nullable=False),
        sa.Column("refs_json", sa.Text, nullable=False),
        sa.Column("closed_by", ULID),
        sa.Column("taken", sa.Text),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("conflict_id", name="pk_conflicts"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_conflicts_plan_id"),
    )
    op.create_index("ix_conflicts_plan_id", "conflicts", ["plan_id"])
