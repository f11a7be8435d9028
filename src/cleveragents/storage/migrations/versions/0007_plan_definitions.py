"""Keeps what a plan was to do before it was planned anew."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Creates the table of definitions; every plan has its first one."""
    op.add_column("plans", sa.Column("definition", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "plan_definitions",
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("definition_json", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("plan_id", "number", name="pk_plan_definitions"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_plan_definitions_plan_id"),
    )
