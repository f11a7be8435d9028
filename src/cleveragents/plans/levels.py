"""The levels of confinement that an action asks for, anywhere in it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cleveragents.plans.cursor import every_step

if TYPE_CHECKING:
    from cleveragents.plans.action import Action
    from cleveragents.plans.step import Step


def levels_asked(action: "Action") -> list[str]:
    """Returns them, each once; none: it is confined as the settings say."""
    found = [action.confine, *_of_steps(action.steps)]
    return list(dict.fromkeys(level for level in found if level is not None))


def _of_steps(steps: "Sequence[Step]") -> Iterator[str | None]:
    from cleveragents.plans.step import RunningStep, SubplansStep  # noqa: PLC0415 - slow

    for _, step in every_step(steps):
        if isinstance(step, RunningStep):
            yield step.confine
        if isinstance(step, SubplansStep):
            for plan in step.subplans.plans:
                yield from _of_steps(plan.steps)
