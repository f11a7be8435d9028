"""Creates projects, plans, sandboxes, checkpoints, decisions, step runs and operations."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ULID = sa.String(26)
MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Creates every table of the first version."""
    _projects_and_plans()
    _sandboxes()
    _checkpoints()
    _decisions()
    _step_runs()
    _operations()


def _projects_and_plans() -> None:
    op.create_table(
        "projects",
        sa.Column("project_id", ULID, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("project_id", name="pk_projects"),
        sa.UniqueConstraint("path", name="uq_projects_path"),
    )
    op.create_table(
        "plans",
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("project_id", ULID, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("parent_plan_id", ULID),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("phase", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("cursor", sa.Text, nullable=False),
        sa.Column("definition_json", sa.Text, nullable=False),
        sa.Column("error_json", sa.Text),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("plan_id", name="pk_plans"),
        sa.UniqueConstraint("project_id", "number", name="uq_plans_project_id_number"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.project_id"], name="fk_plans_project_id"
        ),
        sa.ForeignKeyConstraint(
            ["parent_plan_id"], ["plans.plan_id"], name="fk_plans_parent_plan_id"
        ),
    )


def _sandboxes() -> None:
    op.create_table(
        "sandboxes",
        sa.Column("sandbox_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("strategy", sa.String(32), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("branch", sa.Text),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("base_ref", sa.String(64)),
        sa.Column("notes_json", sa.Text, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sandbox_id", name="pk_sandboxes"),
        sa.UniqueConstraint("plan_id", name="uq_sandboxes_plan_id"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_sandboxes_plan_id"),
    )


def _checkpoints() -> None:
    op.create_table(
        "checkpoints",
        sa.Column("checkpoint_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("decision_id", ULID),
        sa.Column("checkpoint_type", sa.String(16), nullable=False),
        sa.Column("resource_id", ULID, nullable=False),
        sa.Column("sandbox_ref", sa.String(64), nullable=False),
        sa.Column("filesystem_path", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("label", sa.Text),
        sa.Column("step_index", sa.Integer, nullable=False),
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("metadata_json", sa.Text, nullable=False),
        sa.Column("parent_id", ULID),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("checkpoint_id", name="pk_checkpoints"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_checkpoints_plan_id"),
        sa.ForeignKeyConstraint(
            ["resource_id"], ["sandboxes.sandbox_id"], name="fk_checkpoints_resource_id"
        ),
        *_decision_of_checkpoint(inline=True),
    )
    op.create_index("ix_checkpoints_plan_id_seq", "checkpoints", ["plan_id", "seq"], unique=True)
    op.create_index("ix_checkpoints_decision_id", "checkpoints", ["decision_id"])


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("decision_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("parent_id", ULID),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("decision_type", sa.String(32), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("chosen", sa.Text, nullable=False),
        sa.Column("alternatives_json", sa.Text, nullable=False),
        sa.Column("confidence", sa.Float),
        sa.Column("rationale", sa.Text),
        sa.Column("checkpoint_id", ULID),
        sa.Column("superseded_by", ULID),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("decision_id", name="pk_decisions"),
        sa.UniqueConstraint("plan_id", "seq", name="uq_decisions_plan_id_seq"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_decisions_plan_id"),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["decisions.decision_id"], name="fk_decisions_parent_id"
        ),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"],
            ["checkpoints.checkpoint_id"],
            name="fk_decisions_checkpoint_id",
            ondelete="SET NULL",
        ),
    )
    for _ in _decision_of_checkpoint(inline=False):
        op.create_foreign_key(
            "fk_checkpoints_decision_id",
            "checkpoints",
            "decisions",
            ["decision_id"],
            ["decision_id"],
            ondelete="SET NULL",
        )


def _decision_of_checkpoint(*, inline: bool) -> list[sa.ForeignKeyConstraint]:
    """The tables refer to each other: SQLite takes the key at once, others only afterwards."""
    if inline != (op.get_context().dialect.name == "sqlite"):
        return []
    return [
        sa.ForeignKeyConstraint(
            ["decision_id"],
            ["decisions.decision_id"],
            name="fk_checkpoints_decision_id",
            ondelete="SET NULL",
        )
    ]


def _step_runs() -> None:
    op.create_table(
        "step_runs",
        sa.Column("step_run_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("cursor", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("checkpoint_id", ULID),
        sa.Column("pid", sa.Integer),
        sa.Column("pid_started", sa.Text),
        sa.Column("result_json", sa.Text),
        sa.Column("output_path", sa.Text, nullable=False),
        sa.Column("superseded_by", ULID),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("finished_at", MOMENT),
        sa.PrimaryKeyConstraint("step_run_id", name="pk_step_runs"),
        sa.UniqueConstraint("plan_id", "seq", name="uq_step_runs_plan_id_seq"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_step_runs_plan_id"),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"],
            ["checkpoints.checkpoint_id"],
            name="fk_step_runs_checkpoint_id",
            ondelete="SET NULL",
        ),
    )


def _operations() -> None:
    op.create_table(
        "operations",
        sa.Column("operation_id", ULID, nullable=False),
        sa.Column("plan_id", ULID, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("intent_json", sa.Text, nullable=False),
        sa.Column("outcome_json", sa.Text),
        sa.Column("opened_at", MOMENT, nullable=False),
        sa.Column("closed_at", MOMENT),
        sa.PrimaryKeyConstraint("operation_id", name="pk_operations"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_operations_plan_id"),
    )
    op.create_index("ix_operations_plan_id_status", "operations", ["plan_id", "status"])
