"""Why a checkpoint that somebody names is not there: forgotten, another plan's, or never made."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleveragents.errors import NotFound
from cleveragents.ids import PlanId, is_id
from cleveragents.nearest import hints_for_id
from cleveragents.operations.in_sandbox import Prune
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.journal import Happening, entries
from cleveragents.plans.plan import PlanRepository
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection

if TYPE_CHECKING:
    from cleveragents.checkpoints.checkpoint import Checkpoint

_OWNER = "SELECT plan_id FROM checkpoints WHERE checkpoint_id = :checkpoint_id"


@frozen
class Sought:
    """The words that somebody typed to name a checkpoint of a plan."""

    plan_id: PlanId
    text: str
    name: str  # as in `cp4`; empty: no number was typed
    identity: str  # the id, or how it begins


def missing(connection: Connection, sought: Sought, rows: Sequence["Checkpoint"]) -> NotFound:
    """Tells what became of it, and what there is instead; refuses a plan that there is not."""
    PlanRepository(connection).get(sought.plan_id)
    listed = f"see: agents plan checkpoint list {sought.plan_id}"
    name = _once_made(connection, sought)
    if name is not None:
        near = _nearest(int("".join(filter(str.isdecimal, name))), rows)
        told = _removal(connection, sought.plan_id, name)
        return NotFound(f"{told}; nearest: {near}", hints=[listed])
    owner = _owner(connection, sought)
    if owner is not None:
        text = sought.text
        return NotFound(
            f"checkpoint {text} belongs to another plan, {owner}",
            hints=[
                f"go back to it there: agents plan rollback {owner} {text}",
                f"or go on from it beside: agents plan fork {owner} {text}",
                listed,
            ],
        )
    named = {row.checkpoint_id: row.label or row.name for row in reversed(rows)}
    near = hints_for_id(sought.text.removeprefix("cp_"), named)
    return NotFound(
        f"no checkpoint {sought.text!r} in plan {sought.plan_id}", hints=[*near, listed]
    )


def _once_made(connection: Connection, sought: Sought) -> str | None:
    """Returns the name of the one that was meant, if the journal knows that it was made."""
    made = {
        entry.ref_id: str(entry.detail["name"])
        for entry in entries(connection, sought.plan_id)
        if entry.kind is Happening.CHECKPOINT and entry.detail
    }
    if sought.name:
        return sought.name if sought.name in made.values() else None
    begun = [name for one, name in made.items() if one.startswith(sought.identity or " ")]
    return begun[0] if len(begun) == 1 else None


def _removal(connection: Connection, plan_id: PlanId, name: str) -> str:
    """Tells how it went, as far as the prunes of the plan say."""
    for operation in reversed(OperationRepository(connection).of_plan(plan_id)):
        intent = operation.intent
        if isinstance(intent, Prune) and name in intent.names:
            by_limit = "removed" if intent.by_hand is None else "removed by the limit"
            how = "deleted by hand" if name in (intent.by_hand or ()) else by_limit
            return f"{name} was {how} on {operation.opened_at:%Y-%m-%d}"
    return f"{name} is gone"


def _nearest(number: int, rows: Sequence["Checkpoint"]) -> str:
    """Names the one before and the one after a number."""
    before = [row.name for row in rows if row.seq < number]
    after = [row.name for row in rows if row.seq > number]
    return ", ".join([*before[-1:], *after[:1]])


def _owner(connection: Connection, sought: Sought) -> str | None:
    if not is_id(sought.identity):
        return None
    return connection.value(_OWNER, checkpoint_id=sought.identity)
