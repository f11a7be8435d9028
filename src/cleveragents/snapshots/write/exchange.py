"""Changes chosen paths of a directory that is not ours from what they were to what they shall be.

Everything new is built beside its place first and made durable as a whole; then each path changes
by one rename. A path that is neither what it was nor what it shall be was changed by somebody else:
it is told before anything is touched and never overwritten; what leaves its place is compared once
more. The same call finishes what a crash left half done, and with before and after exchanged it
takes it back. A file that has other names is given one more until then: what comes back is that
file, not a copy that shares nothing with them.
"""

import errno
import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from cleveragents.counting import size
from cleveragents.errors import Failed, Refused, Unsettled
from cleveragents.records import field, mutable, replace
from cleveragents.snapshots.tree import attributes, beneath, giving_up, tree_path
from cleveragents.snapshots.tree.content import Read, bytes_needed, write_file
from cleveragents.snapshots.tree.diff import alike, same
from cleveragents.snapshots.tree.manifest import Change, Entry, object_id
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.write import renaming, unplaced
from cleveragents.snapshots.write.aside import TRIED_AGAIN
from cleveragents.snapshots.write.hindrances import held, hindrances, workshop
from cleveragents.snapshots.write.look import KeepsChanging, is_directory, look
from cleveragents.snapshots.write.opening import OpenedPaths
from cleveragents.snapshots.write.owners import Owners, give, owner_of
from cleveragents.snapshots.write.restore import make_special
from cleveragents.storage.durability import sync_file_system
from cleveragents.storage.space import FREE_SOME, free_bytes

Naming = Callable[[str, bytes], bytes]  # of what is ours beside a path, by mark and path
_File = tuple[int, int, int]  # which file it is, and when and how much was written to it


class ChangedMeanwhile(Refused):
    """Somebody else changed paths that were to be changed; `detail` lists them."""

    code = "changed_meanwhile"

    def __init__(self, message: str, paths: Sequence[bytes]) -> None:
        super().__init__(message, detail=[*map(shown, paths)])
        self.paths = tuple(paths)


@mutable
class Exchange:
    """One set of changes below one root."""

    root: Path
    changes: Sequence[Change]  # parents before children
    mark: str  # part of the name of everything that is built beside its place
    read: Read
    stamp_ns: int | None  # the time that files with new content get; None: their own
    owners: Owners  # whom paths belonged to before any of this, as far as that is known
    kept: list[bytes] = field(default_factory=list[bytes])  # directories that hold other files

    def __post_init__(self) -> None:
        self._by_path = {change.path: change for change in self.changes}

    def carry_out(self) -> None:
        """Makes every path what it shall be, verified and durable.

        It may be given up while the new is built; from the first path that changes on it may not.
        """
        with self._opened() as root:
            self._refuse_foreign(root)
            self._refuse_without_space(root)
            self._clean(root)
            self._stage(root)
            with giving_up.to_the_end():
                self._sync()
                self._remove(root)
                self._place(root)
        with giving_up.to_the_end():
            with self._opened() as root:  # again: modes are settled now
                self._clean(root)
                self._verify(root)
            self._sync()
            self.release()

    def release(self) -> None:
        """Gives up the second names that are there for the way back."""
        try:
            with self._opened() as root:
                removed = self._unlink(root, unplaced.name_of_original)
        except OSError as error:
            raise Unsettled(
                f"a second name in {self.root} could not be removed: {error.strerror}",
                hints=[TRIED_AGAIN],
            ) from error
        if removed:
            self._sync()

    def is_done(self) -> bool:
        """Tells whether every path is what it shall be already."""
        with self._opened() as root:
            return all(self._is_done(root, change) for change in self.changes)

    def differing(self) -> list[bytes]:
        """Returns the paths that are neither what they were nor what they shall be."""
        with self._opened() as root:
            return [change.path for change in self.changes if self._is_theirs(root, change)]

    def filled(self) -> list[bytes]:
        """Returns what somebody else has put into directories that are to become files."""
        with self._opened() as root:
            return list(held(root, self._by_path))

    def clean(self) -> None:
        """Removes what was built and not placed; only names of ours are touched."""
        with self._opened() as root:
            self._clean(root)

    @contextmanager
    def _opened(self) -> Generator[int]:
        """Opens the root, and while inside what such changes have closed to its owner."""
        with (
            beneath.root_directory(self.root) as root,
            OpenedPaths(root, [*self.changes, *self._originals()]) as self._entries,
        ):
            yield root

    def _is_theirs(self, root: int, change: Change) -> bool:
        try:
            return not self._is_expected(root, change)
        except KeepsChanging:
            return True

    def _is_expected(self, root: int, change: Change) -> bool:
        found = self._look(root, change.path)
        if not _expected(change, found):
            return False
        return found is not None or change.after is None or self._has_place(root, change.path)

    def _has_place(self, root: int, path: bytes) -> bool:
        """Whether every directory above a path is there, or comes with the changes."""
        coming = (self._by_path.get(above) for above in tree_path.above(path))
        made = {one.path for one in coming if one is not None and is_directory(one.after)}
        return all(above in made or _is_there(root, above) for above in tree_path.above(path))

    def _look(self, root: int, path: bytes) -> Entry | None:
        giving_up.look()
        return self._entries.as_closed(path, look(root, path, object_id))

    def _clean(self, root: int) -> None:
        self._unlink(root, unplaced.name)

    def _unlink(self, root: int, named: Naming) -> bool:
        """Removes what has a name of ours; tells whether there was anything."""
        removed = False
        for change in self.changes:
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                beneath.directory(root, self._workshop(change.path)) as fd,
            ):
                name = named(self.mark, change.path)
                os.stat(name, dir_fd=fd, follow_symlinks=False)  # on a read-only disk none is fine
                os.unlink(name, dir_fd=fd)
                removed = True
        return removed

    def _sync(self) -> None:
        try:
            sync_file_system(self.root)
        except OSError as error:
            raise Unsettled(
                f"{self.root} could not be made durable: {error.strerror}",
                hints=[TRIED_AGAIN],
            ) from error

    def _refuse_foreign(self, root: int) -> None:
        found = [one.path for one in self.changes if not self._is_expected(root, one)]
        if found:
            raise _foreign(found)
        left = [change for change in self.changes if not self._is_done(root, change)]
        if hindering := hindrances(root, self.changes, left):
            raise Refused("this is in the way", detail=[*map(str, hindering)])

    def _refuse_without_space(self, root: int) -> None:
        needed = sum(
            bytes_needed(change.after, self.read)
            for change in self.changes
            if change.after is not None and not self._is_done(root, change)
        )
        free = free_bytes(self.root)
        if needed > free:
            raise Failed(
                f"not enough space in {self.root}: {size(needed)} needed, {size(free)} free",
                hints=[FREE_SOME],
            )

    def _stage(self, root: int) -> None:
        for change in self.changes:
            entry = change.after
            if entry is None or entry.is_dir or same(self._look(root, change.path), entry):
                continue
            with beneath.directory(root, self._workshop(change.path)) as fd:
                if same(self._look(root, self._original(change.path)), entry):
                    original = unplaced.name_of_original(self.mark, change.path)
                    os.link(original, self._name(change.path), src_dir_fd=fd, dst_dir_fd=fd)
                elif entry.is_file:
                    self._stage_file(root, fd, change, entry)
                else:
                    make_special(self._name(change.path), fd, entry, self.read)
                    self._give(root, fd, self._name(change.path), change.path)

    def _give(self, root: int, parent: int, name: bytes, path: bytes) -> None:
        """Lets what was made belong to whom what was there belonged, or what is there belongs."""
        owner = self.owners.get(path) or owner_of(root, path)
        if owner is not None:
            give(parent, name, owner)

    def _stage_file(self, root: int, parent: int, change: Change, entry: Entry) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self._name(change.path), flags, 0o600, dir_fd=parent)
        try:
            write_file(fd, entry, self.read)
            self._give(root, parent, self._name(change.path), change.path)  # before the mode
            attributes.replace(fd, entry.xattrs)
            os.fchmod(fd, entry.permissions)
            before = change.before
            is_new = before is None or before.content != entry.content
            mtime_ns = self.stamp_ns if is_new and self.stamp_ns else entry.mtime_ns
            os.utime(fd, ns=(mtime_ns, mtime_ns))
        finally:
            os.close(fd)

    def _remove(self, root: int) -> None:
        """Removes what goes, and what makes room for another kind, from the leaves up."""
        for change in reversed(self.changes):
            before, after = change.before, change.after
            if before is None or (after is not None and before.is_dir == after.is_dir):
                continue
            head, name = tree_path.split(change.path)
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                beneath.directory(root, head) as fd,
            ):
                if before.is_dir:
                    self._remove_directory(fd, name, change)
                elif same(self._look(root, change.path), before):
                    self._take(root, fd, name, change)

    def _take(self, root: int, parent: int, name: bytes, change: Change) -> None:
        """Takes a file or link away, unless it is not what it was just now."""
        self._keep_original(root, parent, name, change.path)
        with beneath.directory(root, self._workshop(change.path)) as fd:
            taken = self._name(change.path)
            renaming.place_new(name, taken, parent, fd)
            if not self._came_out(root, change):
                renaming.place_new(taken, name, fd, parent)
                raise _foreign([change.path])
            os.unlink(taken, dir_fd=fd)

    def _came_out(self, root: int, change: Change) -> bool:
        """Tells whether what was renamed from a path is what was there before all this."""
        path = tree_path.joined(self._workshop(change.path), self._name(change.path))
        found = self._entries.as_closed(change.path, look(root, path, object_id))
        return same(found, change.before)

    def _keep_original(self, root: int, parent: int, name: bytes, path: bytes) -> None:
        """Gives a file that has other names one more, before it loses the one that is changed."""
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink == 1:
            return
        with (
            # It was kept before a crash; or it is a stranger's, and the kernel lets nobody link it.
            suppress(FileExistsError, PermissionError),
            beneath.directory(root, self._workshop(path)) as fd,
        ):
            original = unplaced.name_of_original(self.mark, path)
            os.link(name, original, src_dir_fd=parent, dst_dir_fd=fd, follow_symlinks=False)

    def _remove_directory(self, parent: int, name: bytes, change: Change) -> None:
        try:
            os.rmdir(name, dir_fd=parent)
        except OSError as error:
            if error.errno == errno.ENOTEMPTY and change.after is None:
                self.kept.append(change.path)
            elif error.errno != errno.ENOTDIR:  # a file stands there already: it is the new one
                raise

    def _place(self, root: int) -> None:
        made = [(change, change.after) for change in self.changes if change.after is not None]
        for change in self.changes:
            entry = change.after
            if entry is None:
                continue
            head, name = tree_path.split(change.path)
            if entry.is_dir:
                with beneath.directory(root, head) as fd, suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=fd)
                    self._give(root, fd, name, change.path)
            else:
                self._put(root, change, entry)
        for change, entry in reversed(made):
            if entry.is_dir and not self._is_done(root, change):
                with beneath.directory(root, change.path) as fd:
                    attributes.replace(fd, entry.xattrs)
                    os.fchmod(fd, entry.permissions)
                self._entries.forget(change.path)

    def _put(self, root: int, change: Change, entry: Entry) -> None:
        found = self._look(root, change.path)
        if same(found, entry):
            return
        if found is not None and not same(found, change.before):
            raise _foreign([change.path])
        head, name = tree_path.split(change.path)
        with (
            beneath.directory(root, self._workshop(change.path)) as source,
            beneath.directory(root, head) as target,
        ):
            if found is None:
                self._put_new(source, target, name, change)
            else:
                self._put_over(root, source, target, change)
        self._entries.forget(change.path)

    def _put_new(self, source: int, target: int, name: bytes, change: Change) -> None:
        try:
            renaming.place_new(self._name(change.path), name, source, target)
        except FileExistsError as error:
            raise _foreign([change.path]) from error

    def _put_over(self, root: int, source: int, target: int, change: Change) -> None:
        new, name = self._name(change.path), tree_path.split(change.path)[1]
        self._keep_original(root, target, name, change.path)
        built = _file(source, new)
        if not renaming.swap(new, name, source, target):
            return
        if not self._came_out(root, change):
            self._swap_back(source, target, change, built)
            raise _foreign([change.path])
        os.unlink(new, dir_fd=source)

    def _swap_back(self, source: int, target: int, change: Change, built: _File) -> None:
        """Puts back what came out; unless that was saved once more since: then the newest stays."""
        new, name = self._name(change.path), tree_path.split(change.path)[1]
        renaming.swap(new, name, source, target)
        if _file(source, new) != built:
            renaming.swap(new, name, source, target)

    def _verify(self, root: int) -> None:
        wrong = [
            change.path
            for change in self.changes
            if change.path not in self.kept and not self._is_done(root, change)
        ]
        if wrong:
            raise ChangedMeanwhile("not as they were written a moment ago", wrong)

    def _is_done(self, root: int, change: Change) -> bool:
        return alike(self._look(root, change.path), change.after)

    def _workshop(self, path: bytes) -> bytes:
        return workshop(self._by_path, path)

    def _name(self, path: bytes) -> bytes:
        return unplaced.name(self.mark, path)

    def _original(self, path: bytes) -> bytes:
        """Where a file with several names is found by its second one."""
        name = unplaced.name_of_original(self.mark, path)
        return tree_path.joined(self._workshop(path), name)

    def _originals(self) -> list[Change]:
        """The same for all of them, to be opened like those whose second names they are."""
        return [replace(change, path=self._original(change.path)) for change in self.changes]


def _foreign(paths: Sequence[bytes]) -> ChangedMeanwhile:
    return ChangedMeanwhile("changed meanwhile by somebody else", paths)


def _is_there(root: int, path: bytes) -> bool:
    """Whether a directory stands at a path, and no link on the way."""
    try:
        with beneath.directory(root, path):
            return True
    except (FileNotFoundError, NotADirectoryError):
        return False


def _file(parent: int, name: bytes) -> _File:
    found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    return found.st_ino, found.st_mtime_ns, found.st_size


def _expected(change: Change, found: Entry | None) -> bool:
    """Whether a path is as it was, as it shall be, or half-way between by our own doing."""
    before, after = change.before, change.after
    if alike(found, before) or alike(found, after):
        return True
    kinds = [entry for entry in (before, after) if entry is not None]
    if found is None:  # a change of kind takes what was away first
        return len(kinds) > 1 and kinds[0].is_dir != kinds[1].is_dir
    return found.is_dir and any(entry.is_dir for entry in kinds)  # its mode is settled last
