"""Hindrances to changes of a directory that is not ours; it is only looked at."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.write.opening import is_opened
from cleveragents.snapshots.write.protection import protected


class Why(Enum):
    """The problem with a path, as it is told."""

    FULL = "its directory is to become a file"
    PROTECTED = "it is protected: chattr -ia allows changes"
    CLOSED = "no permission to change files in this directory"
    READ_ONLY = "its file system can only be read"
    STICKY = "only its owner may replace or remove it: its directory is sticky"


class Hindrance(NamedTuple):
    """A path, and why changes cannot be carried out because of it."""

    path: bytes
    why: Why

    def __str__(self) -> str:
        return f"{shown(self.path)}: {self.why.value}"


def hindrances(root: int, changes: Sequence[Change], left: Sequence[Change]) -> list[Hindrance]:
    """Lists what hinders changes; `left` are those of them that are not done yet."""
    by_path = {change.path: change for change in changes}
    return [
        *(Hindrance(path, Why.FULL) for path in held(root, by_path)),
        *(Hindrance(path, Why.PROTECTED) for path in protected(root, left)),
        *_closed(root, by_path),
        *(Hindrance(change.path, Why.STICKY) for change in left if _is_stuck(root, change)),
    ]


def kept_out(directory: int | str, *, owned: bool = False) -> Why | None:
    """Tells why nothing in a directory can be changed, nor its mode if it has to be `owned`."""
    if os.statvfs(directory).f_flag & os.ST_RDONLY:
        return Why.READ_ONLY
    path = f"/proc/self/fd/{directory}" if isinstance(directory, int) else directory
    is_ours = os.geteuid() in (0, os.stat(directory).st_uid)
    inside = os.access(path, os.W_OK | os.X_OK, effective_ids=True)
    return None if inside and (is_ours or not owned) else Why.CLOSED


def workshop(by_path: Mapping[bytes, Change], path: bytes) -> bytes:
    """The nearest directory above that is one before and after: new files are built there."""
    head, _ = tree_path.split(path)
    while head in by_path and not _stays_directory(by_path[head]):
        head, _ = tree_path.split(head)
    return head


def held(root: int, by_path: Mapping[bytes, Change]) -> Iterator[bytes]:
    """Yields entries of directories that become files, at any depth, that do not go with them."""
    for path, change in by_path.items():
        if _is_emptied(by_path, change):
            inside = (tree_path.joined(path, name) for name in _names(root, path))
            yield from sorted(one for one in inside if one not in by_path)


def _is_emptied(by_path: Mapping[bytes, Change], change: Change) -> bool:
    """Whether a directory becomes a file, or goes because one above it does."""
    if change.before is None or not change.before.is_dir:
        return False
    if change.after is not None:
        return not change.after.is_dir
    above = by_path.get(tree_path.split(change.path)[0])
    return above is not None and _is_emptied(by_path, above)


def _closed(root: int, by_path: Mapping[bytes, Change]) -> Iterator[Hindrance]:
    """The directories that changes need, and that we may not change; of a mount the first alone."""
    heads = {workshop(by_path, path) for path in by_path}
    heads |= {tree_path.split(path)[0] for path in by_path}
    settled = {path for path, change in by_path.items() if _stays_directory(change)}
    mounted: list[bytes] = []
    for path in sorted(heads | settled):
        why = _kept_out(root, path, owned=path in settled)
        if why is Why.READ_ONLY and not any(tree_path.is_below(path, above) for above in mounted):
            mounted.append(path)
            yield Hindrance(path, why)
        elif why is Why.CLOSED and not (path in by_path and is_opened(root, by_path[path])):
            yield Hindrance(path, why)


def _is_stuck(root: int, change: Change) -> bool:
    """Whether something of another user's stands in a directory where only they may move it."""
    head, name = tree_path.split(change.path)
    try:
        with beneath.directory(root, head) as parent:
            above, found = os.fstat(parent), os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False  # nothing is there to be replaced, or it is told as closed
    is_sticky = bool(change.path) and above.st_mode & stat.S_ISVTX
    return bool(is_sticky) and os.geteuid() not in (0, above.st_uid, found.st_uid)


def _kept_out(root: int, path: bytes, *, owned: bool) -> Why | None:
    try:
        with beneath.directory(root, path) as fd:
            return kept_out(fd, owned=owned)
    except (FileNotFoundError, NotADirectoryError):
        return None  # what is wrong with it is told as a change by somebody else


def _stays_directory(change: Change) -> bool:
    return all(entry is not None and entry.is_dir for entry in (change.before, change.after))


def _names(root: int, path: bytes) -> list[bytes]:
    try:
        with beneath.directory(root, path) as fd:
            return [os.fsencode(name) for name in os.listdir(fd)]
    except (FileNotFoundError, NotADirectoryError):
        return []
