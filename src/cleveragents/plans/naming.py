"""How a plan is named: what people type for one, and what they are shown."""

from cleveragents.errors import InvalidInput, NotFound
from cleveragents.ids import PlanId, ProjectId, is_id, shortened
from cleveragents.nearest import hints_for_id
from cleveragents.storage.connection import Connection

LATEST = "@"
LATEST_CHAT = "@chat"
NO_PLAN_YET = "this project has no plan yet"
NO_CHAT_YET = "no chat was recorded here"
PROTECT = "protect this directory: agents protect"
NOTHING_TOLD_YET = "this directory is protected, but no agent has told anything yet"
WAKE = ("start open sessions of agents again", "prove that hooks work: agents protect --check")
FIRST_PLAN = "write a first action: agents init, or run one that you have: agents run ACTION"

_LATEST = """SELECT plan_id FROM plans WHERE project_id = :project_id AND parent_plan_id IS NULL
    AND kind = 'plan' ORDER BY number DESC LIMIT 1 OFFSET :back"""
_CALLED = """SELECT plan_id, name FROM plans WHERE substr(plan_id, 1, length(:prefix)) = :prefix
    OR (project_id = :project_id AND name = :name AND kind = 'plan') ORDER BY created_at"""
_LATEST_CHAT = """SELECT plan_id FROM chats JOIN plans USING (plan_id)
    WHERE project_id = :project_id ORDER BY last_event_at DESC, plan_id DESC LIMIT 1"""
_OF_SESSION = """SELECT plan_id, name, client_session FROM chats JOIN plans USING (plan_id)
    WHERE project_id = :project_id AND substr(client_session, 1, length(:text)) = :text
    ORDER BY created_at"""
_NAMES = "SELECT plan_id, name FROM plans ORDER BY created_at DESC"
# What is found by the beginning of its id, and the ids next to one: no other begins more like it.
_SHORTENED = (
    ("plans", "plan_id"),
    ("decisions", "decision_id"),
    ("correction_attempts", "correction_id"),
    ("checkpoints", "checkpoint_id"),
)
_BESIDE = """SELECT (SELECT max({1}) FROM {0} WHERE {1} < :id) AS before,
    (SELECT min({1}) FROM {0} WHERE {1} > :id) AS after FROM {0} WHERE {1} = :id"""


class PlanNames:
    """Finds plans by what people call them, and tells how they may call one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, text: str, project_id: ProjectId | None) -> PlanId:
        """Finds a plan by `@` (the latest that is no subplan), `@-` (the one before), id or name.

        The beginning of an id will do, but all of a name; either must be that of one plan alone.
        A chat has no name: it is found by `@chat` (the newest), its id, or that of its client.
        """
        back = back_from_latest(text)
        if back is not None:
            return self._latest(project_id, back)
        if text == LATEST_CHAT:
            return self._latest_chat(project_id)
        wanted = text.upper()
        if is_id(wanted):
            return PlanId(wanted)
        rows = self._connection.rows(_CALLED, prefix=wanted, name=text, project_id=project_id)
        if not rows:
            known = self._connection.rows(_OF_SESSION, text=text, project_id=project_id)
            # One conversation is several chats where its directory was replaced: the newest.
            begun = [*{(row["name"], row["client_session"]): row for row in known}.values()]
            rows = [row for row in begun if row["client_session"] == text] or begun
        if not rows or not wanted:
            raise no_plan(self._connection, text)
        if len(rows) > 1:
            candidates = [f"{row['plan_id']}  {row['name']}" for row in rows]
            raise InvalidInput(
                f"{text!r} names {len(rows)} plans",
                detail=candidates,
                hints=["type the id of one, or more of it"],
            )
        return rows[0]["plan_id"]

    def _latest(self, project_id: ProjectId | None, back: int) -> PlanId:
        found = self._connection.value(_LATEST, project_id=project_id, back=back)
        if found is not None:
            return found
        if back and self._connection.value(_LATEST, project_id=project_id, back=0):
            text = f"this project has no plan that is {back} before the latest"
            raise NotFound(text, hints=["see: agents plan list"])
        raise no_plan_yet()

    def _latest_chat(self, project_id: ProjectId | None) -> PlanId:
        found = self._connection.value(_LATEST_CHAT, project_id=project_id)
        if found is None:
            raise NotFound(NO_CHAT_YET, hints=[PROTECT])
        return found

    def shown(self, identity: str, project_id: ProjectId | None) -> str:
        """Tells what stands for an id in a printed command: `@`, or a beginning that is unique."""
        latest = self._connection.value(_LATEST, project_id=project_id, back=0)
        return LATEST if identity == latest else self.short(identity)

    def short(self, identity: str) -> str:
        """Returns the beginning by which nothing else can be meant; of an unknown id, all of it."""
        for table, column in _SHORTENED:
            row = self._connection.row(_BESIDE.format(table, column), id=identity)
            if row is not None:
                return shortened(identity, [one for one in (row["before"], row["after"]) if one])
        return identity


def back_from_latest(text: str) -> int | None:
    """How many plans before the latest one a text means: `@` 0, `@-` 1, `@-3` 3; None: another."""
    if text in (LATEST, "@-"):
        return len(text) - 1
    number = text.removeprefix("@-")
    return int(number) if number != text and number.isdecimal() else None


def no_plan_yet() -> NotFound:
    """The error where a project has no plan at all."""
    return NotFound(NO_PLAN_YET, hints=[FIRST_PLAN])


def no_chat_yet(*, is_protected: bool) -> NotFound:
    """The error where no agent has told anything in a directory."""
    if is_protected:
        return NotFound(NOTHING_TOLD_YET, hints=WAKE)
    return NotFound(NO_CHAT_YET, hints=[PROTECT])


def nothing_yet(*, is_protected: bool) -> NotFound:
    """The error where nothing was ever done in a directory, on a plan or in a chat."""
    chats = no_chat_yet(is_protected=is_protected)
    return NotFound(NO_PLAN_YET, detail=[chats.message], hints=[FIRST_PLAN, *chats.hints])


def no_plan(connection: Connection, text: str) -> NotFound:
    """The error where a text names no plan."""
    near = hints_for_id(text, dict(connection.tuples(_NAMES)))
    return NotFound(f"no plan {text!r}", hints=[*near, "see: agents plan list"])
