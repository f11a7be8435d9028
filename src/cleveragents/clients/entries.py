"""Our entries in the settings of a client: how they are written, and which ones are ours."""

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Any, cast

from cleveragents.clients.client import Client, HookShape
from cleveragents.clients.command import command_for, is_ours

HOOKS = "hooks"
NAME = "cleveragents"  # of our hooks, where a client shows one
Entries = Mapping[str, dict[str, Any]]  # by event


def entries_for(client: Client, data: Path, seconds: int) -> Entries:
    """The entries of all events that a client tells us of, in the shape that it reads."""
    return {event: _entry(client, data, event, seconds) for event in client.events}


def _entry(client: Client, data: Path, event: str, seconds: int) -> dict[str, Any]:
    command = command_for(data, client.name, event)
    limit = min(seconds, client.brief.get(event, seconds)) * client.units
    if client.shape == HookShape.FLAT:
        return {"type": "command", "bash": command, "timeoutSec": limit}
    named = {"name": NAME} if client.has_names else {}
    return {HOOKS: [{**named, "type": "command", "command": command, "timeout": limit}]}


def head_of(client: Client) -> dict[str, Any]:
    """What settings say besides hooks, always."""
    return {"version": 1} if client.shape == HookShape.FLAT else {}


def found_in(settings: object, data: Path) -> dict[str, list[dict[str, Any]]]:
    """Our entries in settings, by event."""
    listed = {event: listed_in(given) for event, given in table_of(_hooks(settings)).items()}
    ours = {
        event: [one for one in entries if holds_ours(one, data)]
        for event, entries in listed.items()
    }
    return {event: entries for event, entries in ours.items() if entries}


def _hooks(settings: object) -> object:
    return table_of(settings).get(HOOKS)


def holds_ours(entry: object, data: Path) -> bool:
    """Whether an entry is ours, or a group that has one of ours."""
    inner = listed_in(table_of(entry).get(HOOKS))
    return is_our_hook(entry, data) or any(is_our_hook(one, data) for one in inner)


def is_our_hook(hook: object, data: Path) -> bool:
    """Whether a hook calls us."""
    return is_ours(_command(hook), data)


def command_of(entry: Mapping[str, Any]) -> str:
    """The command of one of our entries."""
    inner = listed_in(entry.get(HOOKS))
    return str(_command(inner[0] if inner else entry))


def limit_of(entry: Mapping[str, Any], data: Path) -> float:
    """The time that one of our entries gives its hook, in the client's unit; none is no limit."""
    hooks = [one for one in (entry, *listed_in(entry.get(HOOKS))) if is_our_hook(one, data)]
    limits = [one.get("timeout", one.get("timeoutSec")) for one in map(table_of, hooks)]
    return min((one for one in limits if isinstance(one, int | float)), default=inf)


def _command(hook: object) -> object:
    fields = table_of(hook)
    return fields.get("command", fields.get("bash"))


def table_of(value: object) -> dict[str, Any]:
    """An object of JSON; what is none is an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def listed_in(value: object) -> list[Any]:
    """A list of JSON; what is none is an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []
