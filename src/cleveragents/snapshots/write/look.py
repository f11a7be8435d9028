"""Looks at single paths of a directory that is not ours: nothing is borrowed, kept or followed."""

import os
import stat
from collections.abc import Iterable

from cleveragents.errors import Failed, Refused
from cleveragents.snapshots.tree import attributes, beneath, tree_path
from cleveragents.snapshots.tree.content import Put, store_file
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.scan import shown

ROUNDS = 3  # how often a file that changes while it is read is read again


class KeepsChanging(Failed):
    """A file that somebody writes to all the time."""


def look(root: int, path: bytes, put: Put) -> Entry | None:
    """Returns what stands at a path; None if nothing does, or a link stands on the way.

    Of a directory it tells mode and attributes, not what is inside.
    """
    head, name = tree_path.split(path)
    try:
        with beneath.directory(root, head) as parent:
            mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                return Entry(mode, content=put(os.fsencode(os.readlink(name, dir_fd=parent))))
            if stat.S_ISREG(mode):
                return _file(parent, name, path, put)
            return _directory(parent, name) if stat.S_ISDIR(mode) else Entry(mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise Refused(
            f"no permission to read {shown(path)}", hints=["make it readable for you"]
        ) from error


def look_at(root: int, paths: Iterable[bytes], put: Put) -> dict[bytes, Entry | None]:
    """Looks at paths; where one above is no directory, that one is told in their place."""
    seen: dict[bytes, Entry | None] = {}
    passable: set[bytes] = set()
    for path in sorted(paths):
        for above in tree_path.above(path):
            if above not in passable and above not in seen:
                entry = look(root, above, put)
                if entry is not None and entry.is_dir:
                    passable.add(above)
                else:
                    seen[above] = entry
            if above in seen and not is_directory(seen[above]):
                break
        else:
            seen[path] = look(root, path, put)
    return seen


def _file(parent: int, name: bytes, path: bytes, put: Put) -> Entry | None:
    fd = os.open(name, beneath.READING, dir_fd=parent)
    try:
        for _ in range(ROUNDS):
            before = os.fstat(fd)
            content = store_file(fd, before.st_size, put)
            xattrs = attributes.kept(fd, attributes.names(fd))
            after = os.fstat(fd)
            if content is not None and after.st_ctime_ns == before.st_ctime_ns:
                return Entry(
                    before.st_mode, before.st_size, before.st_mtime_ns, content, xattrs=xattrs
                )
    finally:
        os.close(fd)
    raise KeepsChanging(
        f"{shown(path)} keeps changing while it is read", hints=["stop what writes to it"]
    )


def _directory(parent: int, name: bytes) -> Entry:
    fd = os.open(name, beneath.DIRECTORY, dir_fd=parent)
    try:
        xattrs = attributes.kept(fd, attributes.names(fd))
        return Entry(os.fstat(fd).st_mode, xattrs=xattrs)
    finally:
        os.close(fd)


def is_directory(entry: Entry | None) -> bool:
    """Whether something is there, and it is a directory."""
    return entry is not None and entry.is_dir
