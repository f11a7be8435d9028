"""Checkpoints of a chat that a user makes by hand: the directory as it is, under a name."""

from cleveragents.chats.chat import ChatRepository
from cleveragents.chats.moment_rows import MomentRepository
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.engine.chat.place import LivePlaces
from cleveragents.engine.chat.saving import made
from cleveragents.engine.hold.ownership import Ownership
from cleveragents.ids import PlanId
from cleveragents.plans.plan import Plan
from cleveragents.storage.database import Database

DOING = "saving a checkpoint"
PATIENCE = 5.0  # seconds; a hook is done by then


class ChatKeeping:
    """Makes them; nothing in the directory is changed."""

    def __init__(self, database: Database, ownership: Ownership, places: LivePlaces) -> None:
        self._database = database
        self._ownership = ownership
        self._places = places

    def create(self, chat: Plan, wanted: CheckpointRequest) -> Checkpoint:
        """Saves what is there, durably, and returns its checkpoint."""
        place = self._places.of_chat(chat.plan_id)
        with (
            self._places.owned(place, DOING, PATIENCE),
            self._ownership.note(chat.plan_id, DOING, PATIENCE) as held,
            place.capture() as capture,
        ):
            with self._database.reading() as connection:
                latest = CheckpointRepository(connection).latest(chat.plan_id)
                turn = MomentRepository(connection).last_turn(chat.plan_id)
                known = ChatRepository(connection).of_project(chat.project_id)
            (mine,) = [one for one in known if one.plan_id == chat.plan_id]
            row = made(place, mine, capture, latest, wanted, turn)
            with self._database.writing(held) as connection:
                CheckpointRepository(connection).add(row)
            return row

    def first(self, plan_id: PlanId) -> Checkpoint | None:
        """Returns the oldest checkpoint that is left of a chat."""
        with self._database.reading() as connection:
            rows = CheckpointRepository(connection).of_plan(plan_id)
        return rows[0] if rows else None
