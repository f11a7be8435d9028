"""Directories in a tree of ours that belong to somebody else, and keep us from changing it."""

import os
from collections.abc import Iterable
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.quoting import quoted
from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.tree.scan import shown


def refuse_foreign(root: Path, changes: Iterable[Change]) -> None:
    """Refuses before anything changes if a directory is somebody else's and closed to us."""
    if os.geteuid() == 0:
        return
    needed: dict[bytes, bool] = {}  # whether the directory itself changes, too
    for change in changes:
        needed.setdefault(tree_path.split(change.path)[0], False)
        if change.before is not None and change.before.is_dir and change.after is not None:
            needed[change.path] = needed.get(change.path, False) or change.after.is_dir
    for path, itself in sorted(needed.items()):
        if not _may_change(root, path, itself=itself):
            place = quoted(os.fsdecode(os.path.join(os.fsencode(root), path)))
            raise Refused(
                f"no permission to change {shown(path) or '.'}",
                hints=[
                    "it belongs to somebody else; nothing was changed",
                    f"make it yours, then try again: sudo chown -R {os.geteuid()} {place}",
                    "or start a second plan beside it: agents plan fork PLAN CHECKPOINT",
                    "or have one elsewhere: agents plan rollback PLAN CHECKPOINT --to DIR",
                ],
            )


def _may_change(root: Path, path: bytes, *, itself: bool) -> bool:
    try:
        with beneath.own_directory(root, path) as fd:
            if os.fstat(fd).st_uid == os.geteuid():
                return True  # what its mode forbids is borrowed
            may_work = os.access(f"/proc/self/fd/{fd}", os.W_OK | os.X_OK, effective_ids=True)
            return may_work and not itself
    except (FileNotFoundError, NotADirectoryError):
        return True  # yet to be made
    except PermissionError:
        return False  # not ours, so there is nothing to borrow
