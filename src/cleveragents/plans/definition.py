"""What a plan is to do, as it is stored and read: a running plan asks for it at every step."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cleveragents.ids import PlanId
from cleveragents.plans.added_step import NONE_ADDED, AddedStepRepository, AddedSteps
from cleveragents.storage.connection import Row

if TYPE_CHECKING:
    from cleveragents.plans.action import Action
    from cleveragents.plans.step import Step


class _Read(NamedTuple):
    definition: str
    added: AddedSteps
    action: "Action"


class LastRead:
    """The definition of a plan that was read last."""

    def __init__(self) -> None:
        self._read: _Read | None = None
        self._added = -1, NONE_ADDED

    def action(self, definition: str, added: AddedSteps) -> "Action":
        """Returns an action; of one that has only grown, what was added is read."""
        read = self._read  # once: several threads may ask
        if read is None or read.definition != definition or not _goes_on(added, read.added):
            read = _Read(definition, NONE_ADDED, _action(definition))
        if read.added.last != added.last:
            new = map(_step, added.texts[len(read.added.texts) :])
            read = _Read(definition, added, _extended(read.action, new))
        self._read = read
        return read.action

    def added(self, rows: AddedStepRepository, plan_id: PlanId, row: Row) -> AddedSteps:
        """Returns what was added to the present action of a plan."""
        definition, last = row["definition"], row.pop("last_added")
        number, known = self._added
        if number != definition or known.last != last:
            known = rows.read(plan_id, definition, known if number == definition else NONE_ADDED)
            self._added = definition, known
        return known


@lru_cache(maxsize=64)
def last_read(plan_id: PlanId) -> LastRead:
    """Returns what is remembered of a plan; of each plan only one definition is."""
    del plan_id
    return LastRead()


def action_of(definition: str, added: AddedSteps) -> "Action":
    """Reads an action that is not the present one."""
    return _extended(_action(definition), map(_step, added.texts))


def _action(definition: str) -> "Action":
    # Late: whoever lists plans reads none of their actions, and its library is slow to import.
    from cleveragents.plans.action import Action  # noqa: PLC0415

    return Action.model_validate_json(definition)


def _step(text: str) -> "Step":
    from cleveragents.plans.action import step_of  # noqa: PLC0415 - as above

    return step_of(text)


def _extended(action: "Action", steps: Iterable["Step"]) -> "Action":
    return action.model_copy(update={"steps": (*action.steps, *steps)})


def _goes_on(added: AddedSteps, known: AddedSteps) -> bool:
    """Whether nothing but more was added since."""
    return added.texts[: len(known.texts)] == known.texts
