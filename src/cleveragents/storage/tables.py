"""Every table, declared once; the migrations lead here and a test holds them to it.

Only migrations import this: what a command says to the database it says in plain SQL.
"""

from sqlalchemy import (
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

ULID = String(26)
MOMENT = DateTime(timezone=True)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


Table(
    "projects",
    metadata,
    Column("project_id", ULID, primary_key=True),
    Column("path", Text, nullable=False, unique=True),
    Column("created_at", MOMENT, nullable=False),
)

Table(
    "plans",
    metadata,
    Column("plan_id", ULID, primary_key=True),
    Column("project_id", ULID, ForeignKey("projects.project_id"), nullable=False),
    Column("number", Integer, nullable=False),  # order within the project; clocks decide nothing
    Column("parent_plan_id", ULID, ForeignKey("plans.plan_id")),
    Column("name", Text, nullable=False),
    Column("phase", String(16), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("cursor", Text, nullable=False),
    Column("definition_json", Text, nullable=False),
    Column("definition", Integer, nullable=False, server_default="0"),  # which one that is
    Column("error_json", Text),
    Column("action_path", Text),  # the file it was made from, and its hash at that moment
    Column("action_hash", String(64)),
    Column("created_at", MOMENT, nullable=False),
    Column("updated_at", MOMENT, nullable=False),
    Column("parent_step", Text),  # the step of the parent that spawned it
    Column("merged_ref", String(64)),  # the snapshot that was merged into the parent
    Column("superseded_by", ULID),  # the operation that took it back; null while it counts
    Column("kind", String(16), nullable=False, server_default="plan"),  # plan | chat
    UniqueConstraint("project_id", "number"),
    Index(None, "parent_plan_id"),
)

Table(
    "plan_definitions",
    metadata,
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # 0: as it was made
    Column("definition_json", Text, nullable=False),
    Column("created_at", MOMENT, nullable=False),
)

Table(
    "plan_steps",  # those that were added one by one to one of its actions; never changed
    metadata,
    Column("step_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("definition", Integer, nullable=False),  # which of the actions
    Column("position", Integer, nullable=False),  # behind the steps that the action has itself
    Column("step_json", Text, nullable=False),
    UniqueConstraint("plan_id", "definition", "position"),
)

Table(
    "sandboxes",
    metadata,
    Column("sandbox_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False, unique=True),
    Column("strategy", String(32), nullable=False),
    Column("path", Text, nullable=False),
    Column("branch", Text),
    Column("status", String(16), nullable=False),
    Column("base_ref", String(64)),
    Column("notes_json", Text, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("refreshed_ref", String(64)),  # the project as it was last merged in
    Column("head", String(64)),  # the user's commit it stands on
    Column("project_inode", Text),  # tells another directory of the same path apart
)

Table(
    "checkpoints",
    metadata,
    Column("checkpoint_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column(
        "decision_id",
        ULID,
        # Decisions point at checkpoints too; use_alter lets both tables be created.
        ForeignKey(
            "decisions.decision_id",
            ondelete="SET NULL",
            use_alter=True,
            name="fk_checkpoints_decision_id",
        ),
    ),
    Column("checkpoint_type", String(16), nullable=False),
    Column("resource_id", ULID, ForeignKey("sandboxes.sandbox_id")),  # null: a chat's, in place
    Column("sandbox_ref", String(64), nullable=False),
    Column("filesystem_path", Text, nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("label", Text),
    Column("step_index", Integer, nullable=False),
    Column("state_hash", String(64), nullable=False),
    Column("metadata_json", Text, nullable=False),
    Column("parent_id", ULID),  # the checkpoint whose state this one went on from
    Column("pinned", Boolean, nullable=False),
    Index(None, "plan_id", "seq", unique=True),
    Index(None, "decision_id"),
)

Table(
    "decisions",
    metadata,
    Column("decision_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("parent_id", ULID, ForeignKey("decisions.decision_id")),
    Column("seq", Integer, nullable=False),
    Column("decision_type", String(32), nullable=False),
    Column("cursor", Text),  # the step that asked for it
    Column("question", Text, nullable=False),
    Column("chosen", Text, nullable=False),
    Column("alternatives_json", Text, nullable=False),
    Column("confidence", Float),
    Column("rationale", Text),
    Column("checkpoint_id", ULID, ForeignKey("checkpoints.checkpoint_id", ondelete="SET NULL")),
    Column("superseded_by", ULID),  # the operation that took it back; null while active
    Column("created_at", MOMENT, nullable=False),
    UniqueConstraint("plan_id", "seq"),
)

Table(
    "decision_influences",
    metadata,
    Column("decision_id", ULID, ForeignKey("decisions.decision_id"), primary_key=True),
    Column("influenced_by", ULID, ForeignKey("decisions.decision_id"), primary_key=True),
)

Table(
    "step_runs",
    metadata,
    Column("step_run_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("cursor", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("checkpoint_id", ULID, ForeignKey("checkpoints.checkpoint_id", ondelete="SET NULL")),
    Column("result_json", Text),
    Column("output_path", Text, nullable=False),
    Column("superseded_by", ULID),  # the operation that took it back; null while active
    Column("started_at", MOMENT, nullable=False),
    Column("finished_at", MOMENT),
    Column("level", String(16), nullable=False, server_default="none"),  # how it was confined
    Column("way", String(16)),  # … and by what; null: it was not
    UniqueConstraint("plan_id", "seq"),
)

Table(
    "correction_attempts",
    metadata,
    Column("correction_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("decision_id", ULID, ForeignKey("decisions.decision_id")),
    Column("intervention_id", ULID, ForeignKey("decisions.decision_id"), nullable=False),
    Column("mode", String(16), nullable=False),
    Column("state", String(16), nullable=False),  # pending | executing | complete | failed
    Column("guidance", Text, nullable=False),
    Column("chosen", Text),
    Column("before_id", ULID, ForeignKey("checkpoints.checkpoint_id", ondelete="SET NULL")),
    Column("subtree_json", Text, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("updated_at", MOMENT, nullable=False),
    Index(None, "plan_id"),
)

Table(
    "journal",
    metadata,
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", MOMENT, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("ref_id", ULID, nullable=False),  # the row it is about, which may be gone
    Column("detail_json", Text, nullable=False),
)

Table(
    "operations",
    metadata,
    Column("operation_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),  # open | done | aborted | stuck
    Column("intent_json", Text, nullable=False),
    Column("outcome_json", Text),
    Column("opened_at", MOMENT, nullable=False),
    Column("closed_at", MOMENT),
    Index(None, "plan_id", "status"),
)

Table(
    "undo_runs",
    metadata,
    Column("undo_run_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("operation_id", ULID, ForeignKey("operations.operation_id"), nullable=False),
    Column("step_run_id", ULID, ForeignKey("step_runs.step_run_id"), nullable=False),
    Column("status", String(16), nullable=False),  # started | succeeded | failed | unknown
    Column("result_json", Text),
    Column("output_path", Text, nullable=False),
    Column("started_at", MOMENT, nullable=False),
    Column("finished_at", MOMENT),
    Index(None, "plan_id"),
)

Table(
    "conflicts",
    metadata,
    Column("conflict_id", ULID, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("path", LargeBinary, nullable=False),
    Column("source", Text, nullable=False),  # what was merged in
    Column("reason", Text, nullable=False),
    Column("versions_json", Text, nullable=False),  # base, parent and child
    Column("refs_json", Text, nullable=False),  # the snapshots that hold them
    Column("closed_by", ULID),  # what resolved it or took it back; null while open
    Column("taken", Text),  # parent | child | the name of a file
    Column("created_at", MOMENT, nullable=False),
    Index(None, "plan_id"),
)

Table(
    "heads",
    metadata,
    Column("head_id", Integer, primary_key=True),  # there is one row
    Column("number", Integer, nullable=False),
)

Table(
    "chats",  # what a plan of that kind is besides
    metadata,
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), primary_key=True),
    Column("client", String(16), nullable=False),
    Column("client_session", Text, nullable=False),  # the client's own id of the conversation
    Column("root", Text, nullable=False),
    Column("root_inode", Text, nullable=False),  # tells another directory of the same path apart
    Column("pid", Text, nullable=False),  # the client's process and when it began, if known
    Column("last_event_at", MOMENT, nullable=False),
    Index(None, "client_session"),
)

Table(
    "moments",  # of chats, in the order of all: turns and calls follow from them
    metadata,
    Column("number", Integer, primary_key=True),
    Column("plan_id", ULID, ForeignKey("plans.plan_id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("client_turn", Text, nullable=False),
    Column("call", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("paths_json", Text, nullable=False),
    Column("may_write", Boolean, nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("happened_at", MOMENT, nullable=False),
    Column("key", Text, nullable=False),  # an event that comes twice is one moment
    Column("input", Text, nullable=False),  # the digest of what a call was given
    Column("checkpoint_id", ULID, ForeignKey("checkpoints.checkpoint_id", ondelete="SET NULL")),
    Column("is_late", Boolean, nullable=False),
    Column("left_running", Boolean, nullable=False),
    Column("operation_id", ULID),  # of an act of ours
    UniqueConstraint("plan_id", "key"),
    Index(None, "checkpoint_id"),
    sqlite_autoincrement=True,
)
