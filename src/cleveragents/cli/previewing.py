"""What all previews have in common: what stands in their way, and how they name what is touched."""

from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.undo import CallsAfter
from cleveragents.cli.invocation import current
from cleveragents.cli.render import Block, Fields, Text
from cleveragents.counting import counted
from cleveragents.plans.plan import Plan

DRY_RUN = "dry run: nothing was changed"
MOVING = "moving: another process is at work on the plan; this is how it was a moment ago"
OUTSIDE = "undo calls stand outside the all-or-nothing of files and plan: what they did stays done"
NOT_REDONE = "taking the rollback back does not make the undone calls again"


def looking(app: App, plan: Plan) -> bool:
    """Begins a dry run: refused while something waits to be finished; tells whether it moves."""
    is_moving = app.previews.begin(plan.plan_id)
    current.messages += [MOVING] if is_moving else []
    return is_moving


def blocks(besides: Besides) -> list[Block]:
    """What an act touches besides its files, as people read it."""
    rows = [
        ("Cancels", some("subplan", [child.name for child in besides.subplans])),
        ("Discards", some("decision", [f"{r.question} {r.chosen}" for r in besides.decisions])),
        ("Leaves behind", some("checkpoint", [row.name for row in besides.left_behind])),
    ]
    told = [row for row in rows if row[1]]
    return [*_calls(besides.calls), *([Fields("Besides", told)] if told else [])]


def _calls(calls: CallsAfter) -> list[Block]:
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
