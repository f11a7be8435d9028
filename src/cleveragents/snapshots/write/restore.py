"""Makes a directory equal to a manifest, touching only what differs.

The order is fixed: removals from the leaves up, then placements from the root down, each built
beside the tree and renamed into place, directory modes last. Nothing is opened through a link and
nothing is written in place, so an outside file that is hard-linked into the tree cannot be harmed.
The work is a function of (now, target): after a crash the same call finishes it.
"""

import errno
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from cleveragents.snapshots.tree import attributes, beneath, giving_up, tree_path
from cleveragents.snapshots.tree.content import CHUNK, Read, write_anew, write_file
from cleveragents.snapshots.tree.manifest import Change, Entry
from cleveragents.snapshots.write import renaming
from cleveragents.snapshots.write.aside import Aside, purge, written_meanwhile
from cleveragents.snapshots.write.foreign import refuse_foreign

_STAGED = b"staged"
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FULL = (errno.ENOSPC, errno.EDQUOT)


def place(root: Path, staging: int, changes: Sequence[Change], read: Read) -> list[bytes]:
    """Carries out the changes below the root; returns directories kept for excluded content.

    `staging` is a directory of our own on the same file system, where files are built, and where
    those that went are left for whoever purges it.
    """
    refuse_foreign(root, changes)
    placed = [(change, change.after) for change in changes if change.after is not None]
    with _Placement(root, staging, read) as placement:
        for change in reversed(changes):
            giving_up.look()
            if change.before is not None and _must_go(change.before, change.after):
                placement.remove(change, change.before)
        for change, entry in sorted(placed, key=_after_its_leader):
            giving_up.look()
            placement.put(change, entry)
        placement.settle_directories({c.path: entry for c, entry in placed if entry.is_dir})
        return placement.kept


def _must_go(before: Entry, after: Entry | None) -> bool:
    """Whether what is there goes before anything takes its place: all but a directory that stays.

    Renaming over a file would do for most, but renaming a hard link onto its own inode silently
    does nothing, and some file systems flush each file that replaces another one.
    """
    return not (before.is_dir and after is not None and after.is_dir)


def _after_its_leader(placed: tuple[Change, Entry]) -> bool:
    """Sorts hard links behind the file they are links to; all else stays in order."""
    change, entry = placed
    return entry.link not in (b"", change.path)


class _Placement:
    """One restore: the directory it holds open and the permissions it borrowed."""

    def __init__(self, root: Path, staging: int, read: Read) -> None:
        self._root, mode = beneath.open_root(root, borrow=True)
        self._staging = staging
        self._aside = Aside(staging)
        self._read = read
        self._large: dict[bytes, str] = {}  # what went, and what it lies aside by
        self._parent: tuple[bytes, int] | None = None
        self._borrowed: dict[bytes, int] = {} if mode is None else {b"": mode}
        self.kept: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            with suppress(OSError):  # the error that is on its way says what went wrong
                self.settle_directories({})
        self._close_parent()
        os.close(self._root)

    def remove(self, change: Change, before: Entry) -> None:
        """Removes a file, a link or a directory that is empty by now."""
        head, name = tree_path.split(change.path)
        parent = self._directory(head)
        if not before.is_dir:
            aside = self._aside.take(parent, name, before)
            if aside is not None and before.size > CHUNK:
                self._large[change.path] = aside
        elif not self._remove_directory(parent, name, change.path):
            self.kept.append(change.path)

    def put(self, change: Change, entry: Entry) -> None:
        """Puts the target's entry in place; a directory is made here and settled at the end."""
        if entry.is_dir and change.before is not None and change.before.is_dir:
            return
        head, name = tree_path.split(change.path)
        if entry.is_dir:
            parent = self._directory(head)
            _in_free_place(parent, name, lambda: os.mkdir(name, 0o700, dir_fd=parent))
            return
        try:
            self._stage(change, entry)
        except OSError as error:
            if error.errno not in _FULL or not purge(self._staging):
                raise
            self._stage(change, entry)  # there may be room now
        parent = self._directory(head)
        _in_free_place(
            parent, name, lambda: renaming.place_new(_STAGED, name, self._staging, parent)
        )

    def settle_directories(self, wanted: Mapping[bytes, Entry]) -> None:
        """Gives every touched directory its final mode, the deepest first."""
        for path in sorted(wanted):
            self._directory(path)  # borrows what is needed on the way, before the first is closed
        for path in sorted(wanted.keys() | self._borrowed.keys(), reverse=True):
            with suppress(FileNotFoundError, NotADirectoryError):  # borrowed, then removed
                fd = self._directory(path)
                if path in wanted:
                    settle(fd, wanted[path])
                else:
                    os.fchmod(fd, self._borrowed[path])

    def _stage(self, change: Change, entry: Entry) -> None:
        self._clear_staging()
        if entry.link not in (b"", change.path):
            head, name = tree_path.split(entry.link)
            source = self._directory(head)
            os.link(
                name, _STAGED, src_dir_fd=source, dst_dir_fd=self._staging, follow_symlinks=False
            )
        elif entry.is_file:
            self._stage_file(change, entry)
        else:
            make_special(_STAGED, self._staging, entry, self._read)

    def _stage_file(self, change: Change, entry: Entry) -> None:
        fd = os.open(_STAGED, NEW, 0o600, dir_fd=self._staging)
        try:
            self._write(fd, change, entry)
            settle(fd, entry)
            os.utime(fd, ns=(entry.mtime_ns, entry.mtime_ns))
        finally:
            os.close(fd)

    def _write(self, fd: int, change: Change, entry: Entry) -> None:
        """Writes what is stored; of a large file, what it had before is taken from there."""
        was = self._opened_aside(change.path) if entry.size > CHUNK else None
        if was is None or change.before is None:
            write_file(fd, entry, self._read)
            return
        try:
            write_anew(fd, entry, self._read, was, change.before)
        finally:
            os.close(was)

    def _opened_aside(self, path: bytes) -> int | None:
        """Opens what stood at a path; None if it had to make room, or cannot be read."""
        if path not in self._large:
            return None
        try:
            return os.open(self._large[path], beneath.READING, dir_fd=self._staging)
        except OSError:  # the store has all of it
            return None

    def _clear_staging(self) -> None:
        try:
            os.unlink(_STAGED, dir_fd=self._staging)
        except FileNotFoundError:
            return

    def _remove_directory(self, parent: int, name: bytes, path: bytes) -> bool:
        """Removes a directory; sockets go with it, excluded content keeps it."""
        try:
            os.rmdir(name, dir_fd=parent)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
        else:
            return True
        inside = self._directory(path)
        for leftover in os.listdir(inside):
            mode = os.stat(leftover, dir_fd=inside, follow_symlinks=False).st_mode
            if not stat.S_ISSOCK(mode):
                return False
            os.unlink(leftover, dir_fd=inside)
        head, _ = tree_path.split(path)
        os.rmdir(name, dir_fd=self._directory(head))
        return True

    def _directory(self, path: bytes) -> int:
        """Opens a directory for changes inside it; neighbours in a row share the descriptor."""
        if self._parent is not None and self._parent[0] == path:
            return self._parent[1]
        self._close_parent()
        fd = os.dup(self._root)
        self._borrow(fd, b"")
        walked = b""
        for name in tree_path.names(path):
            walked = tree_path.joined(walked, name)
            inner = self._descend(fd, name, walked)
            os.close(fd)
            fd = inner
        self._parent = (path, fd)
        return fd

    def _close_parent(self) -> None:
        if self._parent is not None:
            os.close(self._parent[1])
            self._parent = None

    def _descend(self, parent: int, name: bytes, path: bytes) -> int:
        try:
            fd = os.open(name, beneath.DIRECTORY, dir_fd=parent)
        except PermissionError:
            self._borrowed.setdefault(path, beneath.grant(parent, name, stat.S_IRWXU))
            fd = os.open(name, beneath.DIRECTORY, dir_fd=parent)
        self._borrow(fd, path)
        return fd

    def _borrow(self, fd: int, path: bytes) -> None:
        found = os.fstat(fd)
        mode = stat.S_IMODE(found.st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU and os.geteuid() in (0, found.st_uid):
            self._borrowed.setdefault(path, mode)
            os.fchmod(fd, mode | stat.S_IRWXU)


def is_rounded(change: Change, staging: int) -> bool:
    """Whether a file is what it shall be but for a time that its file system cannot hold."""
    now, wanted = change.before, change.after
    if now is None or wanted is None or now != wanted._replace(mtime_ns=now.mtime_ns):
        return False
    fd = os.open(_STAGED, NEW, 0o600, dir_fd=staging)
    try:
        os.utime(fd, ns=(wanted.mtime_ns, wanted.mtime_ns))
        return os.fstat(fd).st_mtime_ns == now.mtime_ns
    finally:
        os.close(fd)
        os.unlink(_STAGED, dir_fd=staging)


def _in_free_place(parent: int, name: bytes, make: Callable[[], None]) -> None:
    """Makes something at a name that nothing has by now but a socket: those are not captured."""
    try:
        make()
    except FileExistsError as error:
        if not stat.S_ISSOCK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise written_meanwhile(name, "made anew") from error
        os.unlink(name, dir_fd=parent)
        make()


def make_special(name: bytes, parent: int, entry: Entry, read: Read) -> None:
    """Makes what is neither a file nor a directory."""
    if stat.S_ISLNK(entry.mode):
        os.symlink(read(entry.content), name, dir_fd=parent)
    else:
        os.mkfifo(name, dir_fd=parent)
        os.chmod(name, entry.permissions, dir_fd=parent)


def settle(fd: int, entry: Entry) -> None:
    """Gives a file or directory the attributes and the mode it shall have."""
    attributes.replace(fd, entry.xattrs)
    os.fchmod(fd, entry.permissions)
