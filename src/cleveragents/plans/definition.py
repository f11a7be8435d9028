"""What a plan is to do, as it is stored: read as far as it is asked for, and remembered."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from cleveragents.ids import PlanId

if TYPE_CHECKING:
    from cleveragents.plans.action import Action


class Definition:
    """An action as it is stored.

    Only who runs it needs more than the outline: to check it and to make objects of it takes
    longer than all else that a command on a checkpoint does.
    """

    def __init__(self, stored: str) -> None:
        self.stored = stored

    @cached_property
    def action(self) -> "Action":
        """The action itself."""
        return action_of(self.stored)

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
        return _outlined(self.outline["steps"])


class OutlinedStep:
    """A step as it is stored, as far as people are told of it."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._stored = stored

    @property
    def title(self) -> str:
        """What the step is called in output."""
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


def action_of(stored: str) -> "Action":
    """Reads an action back."""
    # Late: whoever lists plans reads none of their actions, and its library is slow to import.
    from cleveragents.plans.action import Action  # noqa: PLC0415

    return Action.model_validate_json(stored)


class _LastRead:
    """The definition of a plan that was read last: a running plan asks for it at every step."""

    def __init__(self) -> None:
        self._read: Definition | None = None

    def of(self, stored: str) -> Definition:
        read = self._read  # once: several threads may ask
        if read is None or read.stored != stored:
            self._read = read = Definition(stored)
        return read


def definition_of(plan_id: PlanId, stored: str) -> Definition:
    """Returns what a plan is to do; of each plan only one definition is remembered."""
    return _last_read(plan_id).of(stored)


def remember(plan_id: PlanId, stored: str, action: "Action") -> None:
    """Notes what is about to be stored: a session does so at every call."""
    vars(definition_of(plan_id, stored))["action"] = action


@lru_cache(maxsize=64)
def _last_read(plan_id: PlanId) -> _LastRead:
    del plan_id
    return _LastRead()
