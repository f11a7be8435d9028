"""Undo runs: what became of the calls that rollbacks had to undo."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ULID = sa.String(26)
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "undo_runs",
        sa.Column("undo_run_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("operation_id", ULID, nullable=False),
        sa.Column("step_run_id", ULID, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("result_json", sa.Text),
        sa.Column("output_path", sa.Text, nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.PrimaryKeyConstraint("undo_run_id", name="pk_undo_runs"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_undo_runs_plan_id"),
        sa.ForeignKeyConstraint(
            ["operation_id"], ["operations.operation_id"], name="fk_undo_runs_operation_id"
        ),
        sa.ForeignKeyConstraint(
            ["step_run_id"], ["step_runs.step_run_id"], name="fk_undo_runs_step_run_id"
        ),
    )
    op.create_index("ix_undo_runs_plan_id", "undo_runs", ["plan_id"])
