"""Steps that a session adds are rows of their own: a call writes its step, not the whole action."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Makes the table; what earlier sessions have added stays in the actions."""
    op.create_table(
        "plan_steps",
        sa.Column("step_id", sa.String(26), nullable=False),
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("definition", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("step_json", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("step_id", name="pk_plan_steps"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_plan_steps_plan_id"),
        sa.UniqueConstraint(
            "plan_id", "definition", "position", name="uq_plan_steps_plan_id_definition_position"
        ),
    )
