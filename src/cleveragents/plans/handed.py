"""The values that a plan hands to its steps and says to be secrets."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cleveragents.masking import Handed, secret_values
from cleveragents.plans.cursor import every_step

if TYPE_CHECKING:
    from cleveragents.plans.action import Action
    from cleveragents.plans.step import Step


def handed_by(action: "Action") -> Handed:
    """Returns the variables it names, and the values whose names say that they are secrets."""
    from cleveragents.plans.step import RunningStep  # noqa: PLC0415 - slow, and few run any

    running = [step for step in _everywhere(action.steps) if isinstance(step, RunningStep)]
    told = {
        name: declared.default
        for name, declared in action.arguments.items()
        if declared is not None and declared.default is not None
    }
    return Handed(
        [name for one in (*action.tools, *running) for name in one.pass_env],
        [*secret_values(told), *(value for step in running for value in secret_values(step.env))],
    )


def _everywhere(steps: Sequence["Step"]) -> Iterator["Step"]:
    """Yields every step, those of options and of subplans included."""
    from cleveragents.plans.step import SubplansStep  # noqa: PLC0415 - likewise

    for _, step in every_step(steps):
        yield step
        if isinstance(step, SubplansStep):
            for subplan in step.subplans.plans:
                yield from _everywhere(subplan.steps)
