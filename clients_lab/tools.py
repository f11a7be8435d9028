"""How an act is put to a client: the tool that it offers for it, and the arguments by their names.

Clients are told apart by what they offer, never by name: the schema of a tool says how it calls
the path, the content and the rest.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from clients_lab import script
from clients_lab.script import Act, Asked, Delegate, Edit, Read, Shell, Wait, Write

Schema = Mapping[str, Any]
Tools = Mapping[str, Schema]  # by name; the empty schema: the tool takes plain text

PATH = ("file_path", "filePath", "path", "absolute_path")
CONTENT = ("content", "file_text")
OLD = ("old_string", "oldString", "old_str")
NEW = ("new_string", "newString", "new_str")
COMMAND = ("command", "cmd")
PROMPT = ("prompt", "message")
AGENTS = ("targets", "ids")
BACKGROUND = ("run_in_background",)
KIND = ("subagent_type", "agent_name", "agent_type")
KINDS = {
    "subagent_type": "general-purpose",
    "agent_name": "generalist",
    "agent_type": "general-purpose",
}
TOOLS: dict[type[Act], tuple[str, ...]] = {
    Write: ("Write", "write_file", "write", "create"),
    Read: ("Read", "read_file", "read", "view"),
    Edit: ("Edit", "replace", "edit"),
    Shell: ("Bash", "run_shell_command", "bash", "exec_command", "shell_command"),
    Delegate: ("Agent", "invoke_agent", "agent", "task", "spawn_agent"),
    Wait: ("wait_agent", "wait"),
}
PATCH = "apply_patch"
_KINDS: dict[str, dict[tuple[str, ...], object]] = {"task": {("subagent_type",): "general"}}
FILLERS: dict[str, object] = {"string": "as scripted", "boolean": False, "integer": 1, "number": 1}


@dataclass(frozen=True)
class Call:
    """One tool call of the model: arguments by name, or plain text."""

    tool: str
    arguments: dict[str, object] | str


def call(act: Act, asked: Asked, tools: Tools) -> Call | None:
    """Puts an act to the tools that are offered; None: no tool fits."""
    if isinstance(act, Write | Edit) and PATCH in tools:
        return _patched(act, tools[PATCH])
    for name in TOOLS[type(act)]:
        if name in tools:
            return Call(name, _arguments(_values(act, asked) | _KINDS.get(name, {}), tools[name]))
    if isinstance(act, Write | Edit | Read):
        return call(Shell(_as_command(act)), asked, tools)
    return None


def _values(act: Act, asked: Asked) -> dict[tuple[str, ...], object]:
    """What is known of an act, by the names that clients have for it."""
    root = asked.root
    match act:
        case Write(path, content):
            return {PATH: _absolute(root, path), CONTENT: content}
        case Read(path):
            return {PATH: _absolute(root, path)}
        case Edit(path, old, new):
            return {PATH: _absolute(root, path), OLD: old, NEW: new}
        case Shell(command):
            return {COMMAND: command}
        case Delegate(name, behind):
            return {PROMPT: script.prompt(name, root), BACKGROUND: behind}
        case Wait():
            return {AGENTS: list(asked.agents)}


def _arguments(values: Mapping[tuple[str, ...], object], schema: Schema) -> dict[str, object]:
    """Fills in what is known, and what else the tool insists on."""
    properties: Schema = schema.get("properties", {})
    known = {name: value for names, value in values.items() for name in names}
    chosen = {name: known[name] for name in properties if name in known}
    for name in schema.get("required", ()):
        if name not in chosen:
            chosen[name] = KINDS.get(name) or _filler(properties.get(name, {}))
    for name in KIND:
        if name in properties and "enum" in properties[name]:
            chosen[name] = _preferred(properties[name]["enum"])
    return chosen


def filled(schema: Schema) -> dict[str, object]:
    """Makes an object that a schema accepts."""
    return _arguments({}, schema)


def _preferred(kinds: list[str]) -> str:
    return next((kind for kind in kinds if kind.startswith("general")), kinds[0])


def _filler(schema: Schema) -> object:
    if "enum" in schema:
        return schema["enum"][0]
    return FILLERS.get(schema.get("type", "string").lower(), [])


def _patched(act: Write | Edit, schema: Schema) -> Call:
    """Writes a patch as Codex reads them; an edit replaces whole lines."""
    if isinstance(act, Write):
        body = [f"*** Add File: {act.path}", *(f"+{line}" for line in act.content.splitlines())]
    else:
        body = [f"*** Update File: {act.path}", "@@", f"-{act.old}", f"+{act.new}"]
    text = "\n".join(["*** Begin Patch", *body, "*** End Patch"])
    return Call(PATCH, _arguments({("input", "patch"): text}, schema) if schema else text)


def _as_command(act: Write | Edit | Read) -> str:
    """Says an act as a command line, for clients that have no other tool for it."""
    match act:
        case Write(path, content):
            return f"printf %s {shlex.quote(content)} > {shlex.quote(path)}"
        case Edit(path, old, new):
            program = (
                "import pathlib, sys; p = pathlib.Path(sys.argv[1]); "
                "p.write_text(p.read_text().replace(sys.argv[2], sys.argv[3], 1))"
            )
            return shlex.join(["python3", "-c", program, path, old, new])
        case Read(path):
            return f"cat {shlex.quote(path)}"


def _absolute(root: str, path: str) -> str:
    return str(PurePosixPath(root, path))
