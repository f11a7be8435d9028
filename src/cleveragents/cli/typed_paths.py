"""Paths as they are typed to undo and redo: from where the user stands, absolute, or with `:/`."""

import os
from collections.abc import Sequence
from glob import escape
from pathlib import Path

from cleveragents.app import App
from cleveragents.engine.chat.request import TOP, UndoRequest, placed
from cleveragents.errors import InvalidInput
from cleveragents.records import replace


def read_here(app: App, wanted: UndoRequest) -> UndoRequest:
    """A request whose paths are read from the current directory, if that lies in the project."""
    root, current = app.chats.project.path, Path.cwd()
    inside = current.relative_to(root).as_posix() if current.is_relative_to(root) else "."
    here = "" if inside == "." else inside
    return replace(
        wanted,
        here=here,
        paths=_read("--path", wanted.paths, root, here),
        mine=_read("--mine", wanted.mine, root, here),
        before=_read("--before", wanted.before, root, here),
    )


def _read(option: str, typed: Sequence[str], root: Path, here: str) -> tuple[str, ...]:
    return tuple(_within(option, one, root, here) for one in typed)


def _within(option: str, typed: str, root: Path, here: str) -> str:
    """A typed path that lies in the project; an absolute one is written from its top."""
    if not typed:
        raise InvalidInput(f"{option} names nothing")
    named = TOP + _from_top(option, typed, root) if typed.startswith("/") else typed
    head, rest = placed(named, here)
    if rest == ".." or rest.startswith("../"):
        raise _outside(option, typed, root)
    # What is there by just this name is meant by it, not what it would match.
    return escape(named) if os.path.lexists(root / head / rest) else named


def _from_top(option: str, typed: str, root: Path) -> str:
    """An absolute path as it is in the project, by whatever links it was named."""
    plain = os.path.normpath(typed)
    head, name = os.path.split(plain)
    for one in (plain, os.path.join(os.path.realpath(head), name), os.path.realpath(plain)):
        if Path(one).is_relative_to(root):
            return Path(one).relative_to(root).as_posix().removeprefix(".")
    raise _outside(option, typed, root)


def _outside(option: str, typed: str, root: Path) -> InvalidInput:
    return InvalidInput(
        f"{option} {typed} is outside of the project",
        hints=[f"paths are read from where you are; from the top of {root} write :/PATH"],
    )
