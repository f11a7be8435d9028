"""What all previews have in common: what stands in their way, and how they name what is touched."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from cleveragents.cli.invocation import Invocation, confirm
from cleveragents.cli.render import Block, Fields, Text, show_blocks
from cleveragents.counting import counted

if TYPE_CHECKING:
    from cleveragents.checkpoints.besides import Besides
    from cleveragents.checkpoints.undo import CallsAfter
    from cleveragents.undertakings import DryRunResult, Foresight, Undertaking

P = TypeVar("P", bound="Foresight")
R = TypeVar("R")
NAMED = 5  # paths in one message
DRY_RUN = "dry run: nothing was changed"
MOVING = "moving: another process is at work on the plan; this is how it was a moment ago"
OUTSIDE = "undo calls stand outside the all-or-nothing of files and plan: what they did stays done"
NOT_REDONE = "taking the rollback back does not make the undone calls again"


def dry_run(call: Invocation, act: "Undertaking[P, R]") -> "DryRunResult[P]":
    """Tells what an act would do; that the plan is moving is told with it."""
    found = act.preview()
    tell_moving(call, is_moving=found.is_moving)
    return found


def tell_moving(call: Invocation, *, is_moving: bool) -> None:
    """Tells with the result that another process is at work."""
    call.messages += [MOVING] if is_moving else []


def undertake(
    call: Invocation,
    act: "Undertaking[P, R]",
    *,
    yes: bool,
    again: str,
    show: Callable[[P], Sequence[Block]],
    question: Callable[[P], str],
) -> R:
    """Shows what an act would do, asks, and does exactly that; with a yes, as it is."""
    if yes:
        return act.carry_out()
    would = act.foresee()
    return act.carry_out(
        asked(call, would, again=again, show=show(would), question=question(would))
    )


def asked(
    call: Invocation, would: "Foresight", *, again: str, show: Sequence[Block], question: str
) -> str:
    """Shows what would be done and asks; returns the digest of what was agreed to."""
    show_blocks(show, call.form, sys.stderr)
    confirm(question, yes=False, command_line=again)
    return would.digest


def blocks(besides: "Besides") -> list[Block]:
    """What an act touches besides its files, as people read it."""
    rows = [
        ("Cancels", some("subplan", [child.name for child in besides.subplans])),
        ("Discards", some("decision", [f"{r.question} {r.chosen}" for r in besides.decisions])),
        ("Leaves behind", some("checkpoint", [row.name for row in besides.left_behind])),
    ]
    told = [row for row in rows if row[1]]
    return [*_calls(besides.calls), *([Fields("Besides", told)] if told else [])]


def _calls(calls: "CallsAfter") -> list[Block]:
    """What is done about calls: they are undone, or what they did is left."""
    due = [(call.run.name, f"{call.run.tool}: {call.declared.undo}") for call in calls.due]
    left = [(call.step, f"{call.tool}: {call.effects}") for call in calls.left]
    found: list[Block] = []
    if due:
        found += [Fields("Would undo", due), Text([OUTSIDE, NOT_REDONE])]
    if left:
        found.append(Fields("Cannot be undone", left))
    return found


def some(noun: str, names: Sequence[str], most: int = 5) -> str:
    """How many there are, and the first of them by name."""
    more = ["…"] if len(names) > most else []
    return f"{counted(len(names), noun)}: {', '.join([*names[:most], *more])}" if names else ""


def first_of(paths: Sequence[str]) -> str:
    """The first of some paths; JSON has them all."""
    more = [f"and {len(paths) - NAMED} more"] if len(paths) > NAMED else []
    return ", ".join([*paths[:NAMED], *more])
