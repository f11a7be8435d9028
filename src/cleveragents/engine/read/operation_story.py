"""Tells in a sentence what an operation did, from its intent and its outcome."""

from collections.abc import Mapping
from typing import Any

from cleveragents.counting import counted
from cleveragents.operations.in_project import Apply, TakeBack, Unapply
from cleveragents.operations.in_sandbox import (
    GoBack,
    Merge,
    Prune,
    Refresh,
    Resolve,
    Restore,
    Validate,
)
from cleveragents.operations.intent import Intent
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import GIVEN_UP, AnyOperation
from cleveragents.operations.reading import Unreadable
from cleveragents.plans.conflict import CHILD, MINE, PARENT, PLAN

UNFINISHED = {
    Status.OPEN: "unfinished",
    Status.ABORTED: "could not be finished, was taken back",
    Status.STUCK: "cannot be finished",
}
CANNOT_BE_READ = "what it was to do cannot be read"
CALLED = {PARENT: MINE, CHILD: PLAN}  # the sides of a conflict as users call them


def story(operation: AnyOperation, names: Mapping[str, str], subplans: Mapping[str, str]) -> str:
    """Tells it; given are the names of checkpoints and of subplans, by id."""
    ending = UNFINISHED.get(operation.status)
    if GIVEN_UP in (operation.outcome or {}):
        ending = f"given up: {operation.reason}"
    told = _told(operation.intent, operation.outcome or {}, names, subplans)
    retraced = operation.intent.retraced
    if retraced.deed is not None:
        told = f"{'undo' if retraced.undoes else 'redo'}: {told}"
    if ending is None:
        return told
    return f"{told} ({ending})" if told else ending


def _told(
    intent: Intent,
    outcome: Mapping[str, Any],
    names: Mapping[str, str],
    subplans: Mapping[str, str],
) -> str:
    match intent:
        case Prune():
            told = f"{', '.join(intent.names) or 'checkpoints'} forgotten{_freed(outcome)}"
        case Merge():
            name = subplans.get(intent.child, "a subplan")
            told = f"{name}: {counted(intent.files, 'path')} merged{_conflicts(outcome)}"
        case Refresh():
            told = f"{counted(intent.files, 'path')} of the project merged{_conflicts(outcome)}"
        case Apply():
            where = f"branch {intent.branch.branch}" if intent.branch else "the project"
            way = "taken back from" if isinstance(intent, Unapply) else "to"
            told = f"{counted(len(intent.paths), 'path')} {way} {where}"
        case Validate():
            told = _validated(outcome)
        case Unreadable():
            told = CANNOT_BE_READ
        case _:
            told = ": ".join(filter(None, [_aim(intent, names), _done(outcome)]))
    return told


def _aim(intent: Intent, names: Mapping[str, str]) -> str:
    """Where an operation leads that brings files back, or takes one side's."""
    match intent:
        case Resolve():
            return f"{intent.path} with {CALLED.get(intent.take, intent.take)}"
        case Restore():
            return f"{', '.join(intent.paths)} from {names.get(intent.source, 'cp?')}"
        case TakeBack():
            return f"t{intent.turn}.{intent.call}" if intent.call else f"t{intent.turn}"
        case GoBack() if intent.target in names:
            return f"to {names[intent.target]}"
        case _:
            return ""


def _validated(outcome: Mapping[str, Any]) -> str:
    """How validations ended; they run in the sandbox, which is put back afterwards."""
    codes = [check["exit_code"] for check in outcome.get("checks", ())]
    failed = sum(code != 0 for code in codes)
    ran = counted(len(codes), "validation") if codes else "validations"
    return f"{ran} in the sandbox" + (f", {failed} failed" if failed else "")


def _conflicts(outcome: Mapping[str, Any]) -> str:
    count = outcome.get("conflicts")
    return f", {counted(count, 'conflict')}" if count else ""


def _done(outcome: Mapping[str, Any]) -> str:
    """The story of going back to a checkpoint."""
    words = {"files": ("file", "put back"), "tool_calls": ("call", "taken back")}
    return ", ".join(
        f"{counted(count, noun)} {what}"
        for key, (noun, what) in words.items()
        if (count := outcome.get(key)) is not None
    )


def _freed(outcome: Mapping[str, Any]) -> str:
    freed = outcome.get("bytes_freed")
    return "" if freed is None else f", {counted(freed, 'byte')} freed"
