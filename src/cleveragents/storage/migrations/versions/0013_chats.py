"""Chats: plans of another kind, which work in the user's own directory, and their moments."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


_COLUMNS = """checkpoint_id, plan_id, seq, decision_id, checkpoint_type, resource_id, sandbox_ref,
    filesystem_path, size_bytes, created_at, label, step_index, state_hash, metadata_json,
    parent_id, pinned"""


def upgrade() -> None:
    """Makes the tables; a checkpoint of a chat has no sandbox, so it may name none."""
    op.add_column("plans", sa.Column("kind", sa.String(16), nullable=False, server_default="plan"))
    _make_again_without_sandbox()
    op.create_table(
        "chats",
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("client", sa.String(16), nullable=False),
        sa.Column("client_session", sa.Text, nullable=False),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("root_inode", sa.Text, nullable=False),
        sa.Column("pid", sa.Text, nullable=False),
        sa.Column("last_event_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("plan_id", name="pk_chats"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_chats_plan_id"),
    )
    op.create_index("ix_chats_client_session", "chats", ["client_session"])
    op.create_table(
        "moments",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("client_turn", sa.Text, nullable=False),
        sa.Column("call", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("paths_json", sa.Text, nullable=False),
        sa.Column("may_write", sa.Boolean, nullable=False),
        sa.Column("failed", sa.Boolean, nullable=False),
        sa.Column("happened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("checkpoint_id", sa.String(26)),
        sa.Column("is_late", sa.Boolean, nullable=False),
        sa.Column("left_running", sa.Boolean, nullable=False),
        sa.Column("operation_id", sa.String(26)),
        sa.PrimaryKeyConstraint("number", name="pk_moments"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_moments_plan_id"),
        sa.ForeignKeyConstraint(
            ["checkpoint_id"],
            ["checkpoints.checkpoint_id"],
            ondelete="SET NULL",
            name="fk_moments_checkpoint_id",
        ),
        sa.UniqueConstraint("plan_id", "key", name="uq_moments_plan_id_key"),
        sqlite_autoincrement=True,  # a number is never given twice: it is the order of all chats
    )
    op.create_index("ix_moments_checkpoint_id", "moments", ["checkpoint_id"])


def _make_again_without_sandbox() -> None:
    """Makes the table of checkpoints anew: SQLite changes no column of one that is there.

    Nobody enforces foreign keys while this runs (`Database` sees to it): to drop a table whose rows
    others name would make those rows name none.
    """
    op.create_table(
        "checkpoints_with_chats",
        sa.Column("checkpoint_id", sa.String(26), nullable=False),
        sa.Column("plan_id", sa.String(26), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("decision_id", sa.String(26)),
        sa.Column("checkpoint_type", sa.String(16), nullable=False),
        sa.Column("resource_id", sa.String(26)),
        sa.Column("sandbox_ref", sa.String(64), nullable=False),
        sa.Column("filesystem_path", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("label", sa.Text),
        sa.Column("step_index", sa.Integer, nullable=False),
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("metadata_json", sa.Text, nullable=False),
        sa.Column("parent_id", sa.String(26)),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("checkpoint_id", name="pk_checkpoints"),
        sa.ForeignKeyConstraint(["plan_id"], ["plans.plan_id"], name="fk_checkpoints_plan_id"),
        sa.ForeignKeyConstraint(
            ["resource_id"], ["sandboxes.sandbox_id"], name="fk_checkpoints_resource_id"
        ),
        sa.ForeignKeyConstraint(
            ["decision_id"],
            ["decisions.decision_id"],
            ondelete="SET NULL",
            name="fk_checkpoints_decision_id",
        ),
    )
    op.execute(
        f"INSERT INTO checkpoints_with_chats ({_COLUMNS}) SELECT {_COLUMNS} FROM checkpoints"  # noqa: S608 - ours
    )
    op.drop_table("checkpoints")
    op.rename_table("checkpoints_with_chats", "checkpoints")
    op.create_index("ix_checkpoints_plan_id_seq", "checkpoints", ["plan_id", "seq"], unique=True)
    op.create_index("ix_checkpoints_decision_id", "checkpoints", ["decision_id"])
