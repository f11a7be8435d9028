"""Protected entries: neither owner nor root changes them before `chattr` allows it."""

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.quoting import quoted
from cleveragents.snapshots.tree import beneath, signature, tree_path
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown

_NO_FOLLOW, _ITSELF = 0x100, 0x1000  # of a link, and of a descriptor
_ATTRIBUTES = slice(8, 16)  # where statx tells them
_PROTECTED = 0x10 | 0x20  # immutable, append-only


def protected(root: int, changes: Iterable[Change]) -> list[bytes]:
    """Returns the paths that would make changes fail half-way; looks at those that change alone."""
    touched = {path for change in changes for path in _touched(change)}
    return [path for path in sorted(touched) if _is_protected(root, path)]


def refuse_protected(path: Path, changes: Iterable[Change]) -> None:
    """Refuses changes below a directory of ours that something protected stands in the way of."""
    root, mode = beneath.open_root(path, borrow=True)
    try:
        found = protected(root, changes)
    finally:
        if mode is not None:
            os.fchmod(root, mode)
        os.close(root)
    if found:
        paths = [os.path.join(path, shown(one)) for one in found]
        raise Refused(
            "these are protected against changes; nothing was changed",
            detail=[*map(shown, found)],
            hints=[f"allow changes, then try again: chattr -ia {' '.join(map(quoted, paths[:3]))}"],
        )


def _touched(change: Change) -> Iterator[bytes]:
    yield tree_path.split(change.path)[0]
    if change.before is not None:
        yield change.path
    if change.after is not None and change.after.link:
        yield change.after.link


def _is_protected(root: int, path: bytes) -> bool:
    head, name = tree_path.split(path)
    try:
        with beneath.directory(root, head) as parent:
            return bool(_attributes(parent, name) & _PROTECTED)
    except (FileNotFoundError, NotADirectoryError):
        return False  # yet to be made
    except PermissionError:
        return False  # closed to us, who may not set such a flag either: only root may


def _attributes(parent: int, name: bytes) -> int:
    """Returns the flags of an entry; none where the system's library cannot be asked."""
    told = ctypes.create_string_buffer(signature.STATX_BYTES)
    if signature.statx is None or signature.statx(parent, name, _NO_FOLLOW | _ITSELF, 0, told):
        return 0
    return int.from_bytes(told.raw[_ATTRIBUTES], sys.byteorder)
