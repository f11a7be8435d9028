"""A glance at what is stored, for whoever cannot wait: with nothing but SQLite, read-only."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from cleveragents.ids import PlanId, ProjectId

DATABASE = "cleveragents.db"
NEWEST = 100  # rows of a kind; whoever wants an older one knows its id

PROJECT = "SELECT project_id FROM projects WHERE path IN ({}) ORDER BY length(path) DESC"
PLANS = """SELECT plan_id, name || ', ' || phase || '/' || state FROM plans
    WHERE project_id = ? AND kind = 'plan' ORDER BY number DESC"""
LATEST = """SELECT plan_id FROM plans
    WHERE project_id = ? AND parent_plan_id IS NULL AND kind = 'plan'
    ORDER BY number DESC LIMIT 1 OFFSET ?"""
PLAN = """SELECT plan_id FROM plans LEFT JOIN chats USING (plan_id)
    WHERE substr(plan_id, 1, length(?1)) = ?1
    OR (project_id = ?3 AND (client_session = ?2 OR name = ?2 AND kind = 'plan'))"""
CHATS = """SELECT plan_id, client || ', ' || client_session FROM chats JOIN plans USING (plan_id)
    WHERE project_id = ? ORDER BY last_event_at DESC"""
TURNS = """SELECT 't' || turn, text FROM moments
    WHERE plan_id = ? AND kind = 'prompt' AND agent = '' ORDER BY number DESC"""
CHECKPOINTS = """SELECT seq, checkpoint_id, coalesce(label, checkpoint_type) FROM checkpoints
    WHERE plan_id = ? ORDER BY seq DESC"""
DECISIONS = """SELECT decision_id, question || ' ' || chosen FROM decisions
    JOIN plans USING (plan_id) WHERE project_id = ? AND decisions.superseded_by IS NULL
    ORDER BY decision_id DESC"""


class Glance:
    """Reads a few columns; raises `sqlite3.Error` where there is nothing to be read."""

    def __init__(self, data_dir: Path) -> None:
        place = quote(str(data_dir.absolute() / DATABASE))
        self._connection = sqlite3.connect(f"file:{place}?mode=ro", uri=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def project(self, places: Sequence[Path]) -> ProjectId | None:
        """Returns the innermost project that is one of these directories."""
        query = PROJECT.format(", ".join("?" * len(places)))
        return self._first(query, *map(str, places))

    def plans(self, project_id: ProjectId | None) -> list[tuple[str, str]]:
        """Returns plans with name and state, the newest first."""
        return self._newest(PLANS, project_id)

    def plan(self, project_id: ProjectId | None, text: str) -> PlanId | None:
        """Returns the plan that is meant by an id, the beginning of one, or a name."""
        return self._first(PLAN, text.upper(), text, project_id)

    def chats(self, project_id: ProjectId | None) -> list[tuple[str, str]]:
        """Returns chats with their client and its id of them, the newest first."""
        return self._newest(CHATS, project_id)

    def turns(self, plan_id: PlanId | None) -> list[tuple[str, str]]:
        """Returns the turns of a chat with their prompts, the newest first."""
        return self._newest(TURNS, plan_id)

    def latest(self, project_id: ProjectId | None, back: int) -> PlanId | None:
        """Returns the latest plan, or one that many before it."""
        return self._first(LATEST, project_id, back)

    def checkpoints(self, plan_id: PlanId | None) -> list[tuple[int, str, str]]:
        """Returns number, id, and label or type of checkpoints, the newest first."""
        return self._newest(CHECKPOINTS, plan_id)

    def decisions(self, project_id: ProjectId | None) -> list[tuple[str, str]]:
        """Returns the decisions that count, each with what was chosen, the newest first."""
        return self._newest(DECISIONS, project_id)

    def _first(self, query: str, *values: str | int | None) -> Any:  # noqa: ANN401 - an id, as stored
        row = self._connection.execute(query, values).fetchone()
        return None if row is None else row[0]

    def _newest(self, query: str, value: str | None) -> list[Any]:
        return self._connection.execute(query, (value,)).fetchmany(NEWEST)
