"""The definition of a plan as it is stored: read as far as it is asked for, and remembered."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from cleveragents.ids import PlanId
from cleveragents.plans.added_step import NONE_ADDED, AddedStepRepository, AddedSteps
from cleveragents.storage.connection import Connection, Row

if TYPE_CHECKING:
    from cleveragents.plans.action import Action
    from cleveragents.plans.step import Step

    _Begun = tuple[int, Action]  # how many of the added steps it has already


class Definition:
    """An action as it is stored, and the steps that were added to it one by one.

    Only who runs it needs more than the outline: to check it and to make objects of it takes
    longer than all else that a command on a checkpoint does.
    """

    def __init__(self, stored: str, added: AddedSteps, begun: "_Begun | None" = None) -> None:
        self.stored = stored
        self.added = added
        self._begun = begun

    @cached_property
    def action(self) -> "Action":
        """The action itself; of one that has only grown, what was added is read."""
        known, action = self._begun or (0, _read(self.stored))
        return _extended(action, map(_read_step, self.added.texts[known:]))

    def grown(self, added: AddedSteps) -> "Definition":
        """The same with what was added since, which may be nothing."""
        count = len(self.added.texts)
        if "action" not in vars(self) or added.texts[:count] != self.added.texts:
            return Definition(self.stored, added)
        return Definition(self.stored, added, (count, self.action))

    @cached_property
    def outline(self) -> Mapping[str, Any]:
        """The JSON data: we wrote it, so it is what we think it is."""
        return json.loads(self.stored)

    @property
    def keeps_checkpoints(self) -> bool:
        """Whether it can be taken back; asked at every step, so nothing is read twice for it."""
        if "action" in vars(self):
            return self.action.rollback.enabled
        return self.outline["rollback"]["enabled"]

    @property
    def steps(self) -> "Sequence[OutlinedStep]":
        """Its steps, to be told."""
        return _outlined([*self.outline["steps"], *map(json.loads, self.added.texts)])

    @property
    def step_count(self) -> int:
        """How many steps it has at the top."""
        return len(self.outline["steps"]) + len(self.added.texts)


class OutlinedStep:
    """A step as it is stored, as far as people are told of it."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._stored = stored

    @property
    def title(self) -> str:
        """The name of the step in output."""
        stored = self._stored
        if stored["name"]:
            return stored["name"]
        if "tool" in stored:
            return stored["tool"]
        if "decide" in stored:
            return stored["decide"]["question"]
        return ", ".join(plan["name"] for plan in stored["subplans"]["plans"])

    @property
    def options(self) -> "Mapping[str, Sequence[OutlinedStep]]":
        """The steps of each option it chooses from; none, unless it decides."""
        if "decide" not in self._stored:
            return {}
        options: Mapping[str, Sequence[Mapping[str, Any]]] = self._stored["decide"]["options"]
        return {name: _outlined(steps) for name, steps in options.items()}


def _outlined(steps: Sequence[Mapping[str, Any]]) -> Sequence[OutlinedStep]:
    return [OutlinedStep(stored) for stored in steps]


def action_of(stored: str, added: AddedSteps) -> "Action":
    """Reads an action back."""
    return Definition(stored, added).action


# Late: whoever lists plans reads none of their actions, and its library is slow to import.
def _read(stored: str) -> "Action":
    from cleveragents.plans.action import Action  # noqa: PLC0415

    return Action.model_validate_json(stored)


def _read_step(stored: str) -> "Step":
    from cleveragents.plans.action import step_of  # noqa: PLC0415

    return step_of(stored)


def _extended(action: "Action", steps: Iterable["Step"]) -> "Action":
    return action.model_copy(update={"steps": (*action.steps, *steps)})


class _LastRead:
    """The definition of a plan that was read last: a running plan asks for it at every step."""

    def __init__(self) -> None:
        self._read = Definition("", NONE_ADDED)
        self._added = -1, NONE_ADDED

    def of(self, stored: str, added: AddedSteps) -> Definition:
        read = self._read  # once: several threads may ask
        if read.stored != stored:
            read = Definition(stored, added)
        elif read.added.last != added.last:
            read = read.grown(added)
        self._read = read
        return read

    def added(self, rows: AddedStepRepository, plan_id: PlanId, row: Row) -> AddedSteps:
        definition, last = row["definition"], row.pop("last_added")
        number, known = self._added
        if number != definition or known.last != last:
            known = rows.read(plan_id, definition, known if number == definition else NONE_ADDED)
            self._added = definition, known
        return known


def definition_of(plan_id: PlanId, stored: str, added: AddedSteps) -> Definition:
    """Returns what a plan is to do; of each plan only one definition is remembered."""
    return _last_read(plan_id).of(stored, added)


def added_of(connection: Connection, plan_id: PlanId, row: Row) -> AddedSteps:
    """Returns what was added to the present action of a plan; what was read before is known."""
    return _last_read(plan_id).added(AddedStepRepository(connection), plan_id, row)


@lru_cache(maxsize=64)
def _last_read(plan_id: PlanId) -> _LastRead:
    del plan_id
    return _LastRead()
