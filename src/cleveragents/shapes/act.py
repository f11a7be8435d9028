"""An act here, on a plan or in a chat, and the paths that stay or stand in its way."""

from typing import TypedDict

from cleveragents.ids import OperationId, PlanId
from cleveragents.shapes.name import FileName

REDO = "agents redo"


class ActRow(TypedDict):
    """Something that a user did, or a step of a plan."""

    id: str  # of the operation, of the call or decision of the step, or the chat's with the turn
    type: str  # apply, unapply, rollback, correct, revert, restore, resolve, refresh, step or turn
    at: str
    text: str  # what it did
    files: int | None  # how many paths it touched, as far as that was noted


class KeptRow(FileName):
    """A path that stays as it is."""

    why: str


class ConflictingPath(FileName):
    """A path that stands in the way."""

    reason: str


class OpRow(ActRow):
    """An act, and what has become of it."""

    kind: str  # what it was done to: plan, or in: chat
    plan: PlanId  # or the chat
    name: str  # of the plan, or the client of the chat
    stands: bool
    state: str  # stands, undone, ended (by a later act) or failed (a step)
    taken_back_by: OperationId | None  # the undo or the act after which it is not so any more
