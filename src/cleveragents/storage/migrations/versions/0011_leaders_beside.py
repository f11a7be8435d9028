"""Who leads a step is noted beside its output: nobody needs it after a power cut."""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Drops the columns."""
    op.drop_column("step_runs", "pid")
    op.drop_column("step_runs", "pid_started")
