"""How the processes of each step run were confined; before, none were."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Adds the level, and the way by which it was reached."""
    level = sa.Column("level", sa.String(16), nullable=False, server_default="none")
    op.add_column("step_runs", level)
    op.add_column("step_runs", sa.Column("way", sa.String(16)))
