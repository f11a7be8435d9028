"""The name of a store: what is cached for one store must not be taken for another's."""

import os
from contextlib import suppress
from pathlib import Path

from cleveragents.ids import is_id, new_id
from cleveragents.storage.place import is_ours


def name_of(directory: Path) -> str:
    """Returns the name of a store, giving it one if it has none that can be read.

    Whatever was cached under another name is void then, and looked at again. So of two processes
    that give one at once either may win, and one that can keep none still has one for itself.
    """
    path = directory / "id"
    found = _kept(path)
    if found is not None:
        return found
    name = new_id()
    with suppress(OSError):  # a name is a help for caches: no disk is too full or closed for it
        if is_ours(directory):
            _keep(path, name)
    return _kept(path) or name


def _kept(path: Path) -> str | None:
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if is_id(text) else None


def _keep(path: Path, name: str) -> None:
    """A reader finds the whole of a name or none."""
    unfinished = path.with_name(f"{path.name}.{name}")
    try:
        fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "w") as file:
            file.write(name)
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
