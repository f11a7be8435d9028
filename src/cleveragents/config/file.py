"""A settings file: read as keys and values, by their whole keys."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from cleveragents.errors import InvalidInput


def entries(path: Path) -> dict[str, object]:
    """Returns everything a file says, by its whole key; one that is not there says nothing."""
    if path.is_fifo():
        raise InvalidInput(f"{path} is a named pipe, not a file")  # to read it could take for ever
    try:
        return said(text_of(path))
    except (OSError, ValueError) as error:
        # It stops every command, also those that would take back what brought it.
        hints = [f"mend it, or take it away: rm {shlex.quote(str(path))}"]
        raise InvalidInput(f"{path} cannot be read: {error}", hints=hints) from error


def text_of(path: Path) -> str:
    """Returns what stands in a file; one that is not there is empty."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""


def said(text: str) -> dict[str, object]:
    """Returns everything a text says, by its whole key."""
    if not text:
        return {}
    import tomllib  # noqa: PLC0415 - most projects have no file, and it takes its time

    return _flat(tomllib.loads(text))


def _flat(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            found.update(_flat(cast("Mapping[str, object]", value), f"{key}."))
        else:
            found[key] = value
    return found
