"""Keeps what happened to each plan, in order."""

from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

ULID = sa.String(26)

# What the plans of before have left, in the only order that is known of it: by time, and what is
# of one moment in the order of these lines. Where they had moved to is not known any more.
_LEFT = """
    SELECT plan_id, created_at AS moment, 0 AS place, 0 AS number, 'made' AS kind, plan_id AS ref_id
    FROM plans
    UNION ALL SELECT plan_id, created_at, 1, seq, 'decided', decision_id FROM decisions
    UNION ALL SELECT plan_id, opened_at, 2, 0, 'operation', operation_id FROM operations
    UNION ALL SELECT plan_id, created_at, 3, seq, 'checkpoint', checkpoint_id FROM checkpoints
    UNION ALL SELECT plan_id, started_at, 4, seq, 'step', step_run_id FROM step_runs
    ORDER BY 1, 2, 3, 4, 6
"""
_ADD = """
    INSERT INTO journal (plan_id, seq, at, kind, ref_id, detail_json)
    VALUES (:plan_id, :seq, :moment, :kind, :ref_id, '{}')
"""


def upgrade() -> None:
    """Creates the journal and begins it with what is there."""
    op.create_table(
        "journal",
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("ref_id", ULID, nullable=False),
        sa.Column("detail_json", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("plan_id", "seq", name="pk_journal"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_journal_plan_id"),
    )
    connection = op.get_bind()
    left = connection.execute(sa.text(_LEFT)).mappings().all()
    for _, rows in groupby(left, key=lambda row: row["plan_id"]):
        for seq, row in enumerate(rows, start=1):
            connection.execute(sa.text(_ADD), {**row, "seq": seq})
