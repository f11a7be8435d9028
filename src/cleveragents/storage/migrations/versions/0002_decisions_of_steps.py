"""Lets decisions name the step that asked for them and the decisions they depend on."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ULID = sa.String(26)


def upgrade() -> None:
    """Adds the step of a decision and the table of influences."""
    op.add_column("decisions", sa.Column("cursor", sa.Text))
    op.create_table(
        "decision_influences",
        sa.Column("decision_id", ULID, nullable=False),
        sa.Column("influenced_by", ULID, nullable=False),
        sa.PrimaryKeyConstraint("decision_id", "influenced_by", name="pk_decision_influences"),
        sa.ForeignKeyConstraint(
            ["decision_id"], ["decisions.decision_id"], name="fk_decision_influences_decision_id"
        ),
        sa.ForeignKeyConstraint(
            ["influenced_by"],
            ["decisions.decision_id"],
            name="fk_decision_influences_influenced_by",
        ),
    )
