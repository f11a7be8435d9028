"""Entries closed to their owner by a mode that changes bring or take, opened while those go on.

Only what has just the mode that a change says is opened, and only for its owner: so what an apply
has closed can be read back and taken back. Root is kept out by no mode.
"""

import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.manifest import Change, Entry

_HANDLE = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def closes(change: Change) -> bool:
    """Whether a change brings an ordinary user a mode that keeps the owner of an entry out."""
    before, after = change.before, change.after
    if os.geteuid() == 0:
        return False
    return after is not None and _is_closed(after) and (before is None or before.mode != after.mode)


def is_opened(root: int, change: Change) -> bool:
    """Whether an entry is closed by a mode that the change brings or takes, and is ours."""
    modes, user = _closed(change), os.geteuid()
    found = _found(root, change.path) if modes and user != 0 else None
    return found is not None and found.st_uid == user and found.st_mode in modes


class OpenedPaths:
    """Closed paths among those of changes: open within the block."""

    def __init__(self, root: int, changes: Sequence[Change]) -> None:
        self._root = root
        self._changes = changes  # parents before children
        self._modes: dict[bytes, int] = {}
        self._handles = ExitStack()

    def __enter__(self) -> Self:
        with self._handles as handles:
            for change in self._changes:
                if is_opened(self._root, change):
                    self._open(change.path)
            self._handles = handles.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._handles.close()

    def as_closed(self, path: bytes, entry: Entry | None) -> Entry | None:
        """Tells an entry with the mode that it has when it is not opened."""
        mode = self._modes.get(path)
        return entry if entry is None or mode is None else entry._replace(mode=mode)

    def forget(self, path: bytes) -> None:
        """Leaves an entry the mode that it was given since."""
        self._modes.pop(path, None)

    def _open(self, path: bytes) -> None:
        head, name = tree_path.split(path)
        with beneath.directory(self._root, head) as parent:
            handle = os.open(name, _HANDLE, dir_fd=parent)
            self._handles.callback(os.close, handle)
            mode = self._modes[path] = os.fstat(handle).st_mode
            needed = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR
            beneath.grant(parent, name, needed)
        self._handles.callback(self._close, handle, path, mode)

    def _close(self, handle: int, path: bytes, mode: int) -> None:
        """Closes an entry again; a file that was replaced, too: it may have other names."""
        if path in self._modes or not stat.S_ISDIR(mode):
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IMODE(mode))


def _closed(change: Change) -> set[int]:
    """The modes that a change brings or takes, and that keep the owner out."""
    modes = {entry.mode for entry in (change.before, change.after) if entry is not None}
    changes = len(modes) > 1 or change.before is None or change.after is None
    return {mode for mode in modes if changes and _is_closed(Entry(mode))}


def _is_closed(entry: Entry) -> bool:
    if entry.is_dir:
        return entry.mode & stat.S_IRWXU != stat.S_IRWXU
    return entry.is_file and not entry.mode & stat.S_IRUSR


def _found(root: int, path: bytes) -> os.stat_result | None:
    head, name = tree_path.split(path)
    try:
        with beneath.directory(root, head) as parent:
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None  # nothing that a change has closed: whoever looks at it tells what it is
