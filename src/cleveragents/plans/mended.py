"""A mended action: what of it takes the place of a plan's steps, and what does not fit any more.

What has run stays as it ran: a finished step keeps its definition, and a decision that counts its
step. The steps that are left are those of the mended action.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from cleveragents.plans.action import Action
from cleveragents.plans.cursor import (
    every_step,
    following,
    holder,
    number_of,
    step_at,
    title_at,
    way_taken,
)
from cleveragents.plans.step import DecideStep, Step, SubplansStep, ToolStep
from cleveragents.records import frozen

RENEWABLE = ("description", "arguments", "rollback", "validate_", "tools")  # besides the steps


Choices = Mapping[str, str]  # options, by the cursors of the decisions for them


@frozen
class Reached:
    """How far a plan has come, as far as its steps matter."""

    cursor: str
    choices: Choices  # that count
    has_begun: bool  # something has run
    in_subplans: bool  # subplans of the step at the cursor have begun


@frozen
class Misfit:
    """Why a mended action cannot be followed from where a plan is."""

    cursor: str | None  # of what stands in the way; None: the action as a whole
    reason: str


@frozen
class Renewal:
    """The consequences of reading an action again, for the steps of a plan."""

    action: Action  # to be followed from now on
    cursor: str  # of what comes next in it
    changed: tuple[str, ...]  # numbers and names of steps that are left, and other parts
    added: tuple[str, ...]
    removed: tuple[str, ...]
    outdated: tuple[str, ...]  # cursors of finished steps that would be others now
    is_new: bool  # anything that is left is another than before

    @property
    def told(self) -> str:
        """The news, in a line."""
        parts = {"changed": self.changed, "added": self.added, "removed": self.removed}
        found = [f"{', '.join(names)} {what}" for what, names in parts.items() if names]
        return "; ".join(found) or "the steps that are left come in another order"


def misfits(old: Action, new: Action, reached: Reached) -> Iterator[Misfit]:
    """Yields what of a mended action does not fit what has happened."""
    if new.strategist is not None:
        yield Misfit(None, "it has a strategist now, and the plan has steps already")
    if reached.has_begun and old.rollback.enabled != new.rollback.enabled:
        yield Misfit(None, "rollback.enabled has changed, and a plan keeps it once it has begun")
    for cursor, option in reached.choices.items():
        yield from _decision_misfits(old, new, cursor, option)
    for cursor in _finished(old, reached):
        if not isinstance(step_at(old.steps, cursor), DecideStep):
            yield from _step_misfits(old, new, cursor)
    here = reached.cursor
    if reached.in_subplans and _identity(old, here) != _identity(new, here):
        yield Misfit(here, f"subplans of {_named(old, here)} have begun, and it has changed")


def renewal(old: Action, new: Action, reached: Reached) -> Renewal:
    """Returns what a mended action that fits means for a plan."""
    finished = _finished(old, reached)
    steps = _with_finished(old.steps, new.steps, finished, reached.choices)
    action = new.model_copy(update={"name": old.name, "steps": steps})
    before, after = _left(old, finished, reached), _left(new, finished, reached)
    others = [name for name in RENEWABLE if getattr(old, name) != getattr(new, name)]
    return Renewal(
        action,
        _settled(action, reached.cursor),
        (
            *(_named(new, after[key]) for key in after if _differ(old, new, before, after, key)),
            *(name.strip("_") for name in others),
        ),
        tuple(_named(new, after[key]) for key in after if key not in before),
        tuple(_named(old, before[key]) for key in before if key not in after),
        tuple(one for one in finished if _identity(old, one) != _identity(new, one)),
        action != old,
    )


_Key = tuple[str, int]  # the name of a step with the way to it, and which of that name it is


def _left(action: Action, finished: list[str], reached: Reached) -> dict[_Key, str]:
    """Returns the cursors of the steps that may still come, by their names."""
    seen: Counter[str] = Counter()
    found: dict[_Key, str] = {}
    for cursor, _ in every_step(action.steps):
        if cursor in finished or _is_passed_by(cursor, reached.choices):
            continue
        title = title_at(action.steps, cursor)
        seen[title] += 1
        found[title, seen[title]] = cursor
    return found


def _is_passed_by(cursor: str, choices: Choices) -> bool:
    """Whether a step is part of an option that was not chosen."""
    outer = holder(cursor)
    if outer is None:
        return False
    option = cursor.rsplit(".", 2)[1]
    return choices.get(outer, option) != option or _is_passed_by(outer, choices)


def _differ(
    old: Action, new: Action, before: dict[_Key, str], after: dict[_Key, str], key: _Key
) -> bool:
    return key in before and _identity(old, before[key]) != _identity(new, after[key])


def _decision_misfits(old: Action, new: Action, cursor: str, option: str) -> Iterator[Misfit]:
    """A decision that counts must be asked for in the same way, at the same place."""
    asked = step_at(new.steps, cursor)
    name = f"the decision {title_at(old.steps, cursor)}, which counts,"
    if _identity(old, cursor) != _identity(new, cursor):
        yield Misfit(cursor, f"{name} is asked for in another way, or elsewhere")
    elif isinstance(asked, DecideStep) and option not in asked.options:
        yield Misfit(cursor, f"{name} chose {option}, which is no option any more")


def _step_misfits(old: Action, new: Action, cursor: str) -> Iterator[Misfit]:
    """A finished step must be where it was; what it says may be something else."""
    ran, name = _identity(old, cursor), getattr(step_at(old.steps, cursor), "name", "")
    same = [one for one, _ in every_step(new.steps) if _identity(new, one) == ran]
    named = [one for one, step in every_step(new.steps) if name and step.name == name]
    if cursor in (*same, *named) or _is_renamed(old, new, cursor):
        return
    if not same and _title(old, cursor) == _title(new, cursor):
        return  # without a name, it is known by its tool
    elsewhere = [*same, *named]
    now = f"is step {number_of(elsewhere[0])} now" if elsewhere else "is gone"
    yield Misfit(cursor, f"{_named(old, cursor)} has run and {now}")


def _is_renamed(old: Action, new: Action, cursor: str) -> bool:
    """Whether a step is another one by its name alone."""
    before, after = step_at(old.steps, cursor), step_at(new.steps, cursor)
    if before is None or after is None:
        return False
    return before == after.model_copy(update={"name": before.name})


def _finished(action: Action, reached: Reached) -> list[str]:
    """Returns the cursors that the plan has come by already."""
    way = list(way_taken(action.steps, reached.choices))
    return way[: way.index(reached.cursor)] if reached.cursor in way else way


def _with_finished(
    old: Sequence[Step],
    new: Sequence[Step],
    finished: Sequence[str],
    choices: Choices,
    way: str = "",
) -> tuple[Step, ...]:
    """Returns the mended steps, but those that have run as they ran."""
    found = list(new)
    for index, ran in enumerate(old):
        cursor = f"{way}{index}"
        if cursor not in finished:
            continue
        found[index] = ran
        if isinstance(ran, DecideStep):
            option, options = choices[cursor], new[index].options
            inner = ran.options[option], options[option]
            steps = _with_finished(*inner, finished, choices, f"{cursor}.{option}.")
            found[index] = _with_options(ran, {**options, option: steps})
    return tuple(found)


def _with_options(asked: DecideStep, options: Mapping[str, tuple[Step, ...]]) -> DecideStep:
    decide = asked.decide.model_copy(update={"options": dict(options)})
    return asked.model_copy(update={"decide": decide})


def _settled(action: Action, cursor: str) -> str:
    """Returns the cursor of what comes next, out of options that have become shorter."""
    outer = holder(cursor)
    if outer is not None and step_at(action.steps, cursor) is None:
        return following(action.steps, outer)
    return cursor


def _identity(action: Action, cursor: str) -> object:
    """The whole of a step, the tools it calls included; the steps in its options are apart."""
    step = step_at(action.steps, cursor)
    if step is None:
        return None
    used = set(_tools_of(step))
    tools = [tool for tool in action.tools if tool.name in used]
    return _with_options(step, {}) if isinstance(step, DecideStep) else step, tools


def _tools_of(step: Step) -> Iterator[str]:
    if isinstance(step, ToolStep):
        yield step.tool
    if isinstance(step, SubplansStep):
        for plan in step.subplans.plans:
            for _, inner in every_step(plan.steps):
                yield from _tools_of(inner)


def _title(action: Action, cursor: str) -> str | None:
    step = step_at(action.steps, cursor)
    return None if step is None else step.title


def _named(action: Action, cursor: str) -> str:
    return f"step {number_of(cursor)} ({title_at(action.steps, cursor)})"
