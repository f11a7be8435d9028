"""Keeps every attempt to correct a decision."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

ULID = sa.String(26)
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Creates the table of correction attempts."""
    op.create_table(
        "correction_attempts",
        sa.Column("correction_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("decision_id", ULID),
        sa.Column("intervention_id", ULID, nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("guidance", sa.Text, nullable=False),
        sa.Column("chosen", sa.Text),
        sa.Column("before_id", ULID),
        sa.Column("subtree_json", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("correction_id", name="pk_correction_attempts"),
        *(
            sa.ForeignKeyConstraint(
                [column], [target], name=f"fk_correction_attempts_{column}", ondelete=action
            )
            for column, target, action in (
                ("plan_id", "plans.plan_id", None),
                ("decision_id", "decisions.decision_id", None),
                ("intervention_id", "decisions.decision_id", None),
                ("before_id", "checkpoints.checkpoint_id", "SET NULL"),
            )
        ),
    )
    op.create_index("ix_correction_attempts_plan_id", "correction_attempts", ["plan_id"])
