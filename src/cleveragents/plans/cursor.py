"""The cursor: the path of a step in a plan, such as `2`, or `1.sqlite.0` inside an option.

A path goes from step to option to step: index, then option and index for each decision it leads
through. One past the last step is the end of the plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, TypeVar, cast

FIRST = "0"


class StepOnTheWay(Protocol):
    """A step, as far as the way through a plan goes; those in its options are of its sort."""

    @property
    def title(self) -> str: ...
    @property
    def options(self) -> "Mapping[str, Steps]": ...


Steps = Sequence[StepOnTheWay]
S = TypeVar("S", bound=StepOnTheWay)


def step_at(steps: Sequence[S], cursor: str) -> S | None:
    """Returns the step that a cursor names; None at the end of the plan."""
    _, siblings, index = _place(steps, cursor)
    return siblings[index] if index < len(siblings) else None


def following(steps: Steps, cursor: str) -> str:
    """Returns the cursor of what comes after a step, out of options that end with it."""
    way, siblings, index = _place(steps, cursor)
    outer = holder(cursor)
    if outer is not None and index + 1 >= len(siblings):
        return following(steps, outer)
    return f"{way}{index + 1}"


def chosen(steps: Steps, cursor: str, option: str) -> str:
    """Returns the cursor of what comes after a decision for an option."""
    step = step_at(steps, cursor)
    if step is not None and step.options.get(option):
        return f"{cursor}.{option}.{FIRST}"
    return following(steps, cursor)


def holder(cursor: str) -> str | None:
    """Returns the cursor of the decision whose option holds the step; None at the top."""
    way = cursor.rsplit(".", 2)
    return way[0] if len(way) > 1 else None


def top_index(cursor: str) -> int:
    """Returns the index of the step at the top that a cursor leads through."""
    return int(cursor.partition(".")[0])


def number_of(cursor: str) -> str:
    """Returns a cursor as people count, from 1: `2.sqlite.1`."""
    parts = cursor.split(".")
    parts[::2] = [str(int(index) + 1) for index in parts[::2]]
    return ".".join(parts)


def title_at(steps: Steps, cursor: str) -> str:
    """Names a step with the way to it: `storage > sqlite > make the file`."""
    step = step_at(steps, cursor)
    title = "" if step is None else step.title
    outer = holder(cursor)
    if outer is None:
        return title
    return f"{title_at(steps, outer)} > {cursor.rsplit('.', 2)[1]} > {title}"


def every_step(steps: Sequence[S], way: str = "") -> Iterator[tuple[str, S]]:
    """Yields each step with its cursor, those in every option included, as they are written."""
    for index, step in enumerate(steps):
        cursor = f"{way}{index}"
        yield cursor, step
        for option, inner in step.options.items():
            yield from every_step(cast("Sequence[S]", inner), f"{cursor}.{option}.")


def way_taken(steps: Steps, choices: Mapping[str, str], way: str = "") -> Iterator[str]:
    """Yields the cursors a plan comes by, given the option chosen at each decision so far."""
    for index, step in enumerate(steps):
        cursor = f"{way}{index}"
        yield cursor
        option = choices.get(cursor, "")
        if option in step.options:
            yield from way_taken(step.options[option], choices, f"{cursor}.{option}.")


def _place(steps: Sequence[S], cursor: str) -> tuple[str, Sequence[S], int]:
    """Returns the way to a step, the steps beside it and its index among them."""
    outer = holder(cursor)
    if outer is None:
        return "", steps, int(cursor)
    _, option, index = cursor.rsplit(".", 2)
    decision = step_at(steps, outer)
    inner = () if decision is None else decision.options.get(option, ())
    return f"{outer}.{option}.", cast("Sequence[S]", inner), int(index)
