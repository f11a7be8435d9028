"""Tells in a sentence what an operation did, from its intent and its outcome."""

from collections.abc import Mapping
from typing import Any

from cleveragents.checkpoints.operations import GIVEN_UP, Kind, Operation, Status
from cleveragents.counting import counted

UNFINISHED = {
    Status.OPEN: "unfinished",
    Status.ABORTED: "could not be finished, was taken back",
    Status.STUCK: "cannot be finished",
}
CANNOT_BE_READ = "what it was to do cannot be read"


def story(operation: Operation, names: Mapping[str, str], subplans: Mapping[str, str]) -> str:
    """Tells it; given are the names of checkpoints and of subplans, by id."""
    ending = UNFINISHED.get(operation.status)
    if GIVEN_UP in (operation.outcome or {}):
        ending = f"given up: {operation.reason}"
    try:
        told = _told(operation, names, subplans)
    except (KeyError, TypeError):
        told = CANNOT_BE_READ
    if ending is None:
        return told
    return f"{told} ({ending})" if told else ending


def _told(operation: Operation, names: Mapping[str, str], subplans: Mapping[str, str]) -> str:
    intent, outcome = operation.intent, operation.outcome or {}
    match operation.kind:
        case Kind.PRUNE:
            gone = ", ".join(map(str, intent.get("names", [])))
            return f"{gone or 'checkpoints'} forgotten{_freed(outcome)}"
        case Kind.MERGE:
            name = subplans.get(intent["child"], "a subplan")
            return f"{name}: {counted(intent['files'], 'path')} merged{_conflicts(outcome)}"
        case Kind.REFRESH:
            return f"{counted(intent['files'], 'path')} of the project merged{_conflicts(outcome)}"
        case Kind.APPLY | Kind.UNAPPLY:
            where = f"branch {intent['branch']}" if "branch" in intent else "the project"
            way = "to" if operation.kind is Kind.APPLY else "taken back from"
            return f"{counted(len(intent['paths']), 'path')} {way} {where}"
        case Kind.VALIDATE:
            return _validated(outcome)
        case _:
            return ": ".join(filter(None, [_aim(operation, names), _done(outcome)]))


def _aim(operation: Operation, names: Mapping[str, str]) -> str:
    """Where an operation leads that brings files back, or takes one side's."""
    intent = operation.intent
    if operation.kind is Kind.RESOLVE:
        return f"{intent['path']} with {intent['take']}"
    if operation.kind is Kind.RESTORE:
        return f"{', '.join(intent['paths'])} from {names.get(intent['source'], 'cp?')}"
    target = names.get(str(intent.get("target")))
    return f"to {target}" if target else ""


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
    """What going back to a checkpoint did."""
    words = {"files": ("file", "put back"), "tool_calls": ("call", "taken back")}
    return ", ".join(
        f"{counted(count, noun)} {what}"
        for key, (noun, what) in words.items()
        if (count := outcome.get(key)) is not None
    )


def _freed(outcome: Mapping[str, Any]) -> str:
    freed = outcome.get("bytes_freed")
    return "" if freed is None else f", {counted(freed, 'byte')} freed"
