"""Reads a directory into a tree, entry by entry, exactly as it is."""

import os
import stat
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from functools import cached_property

from cleveragents.snapshots.tree import attributes, beneath, giving_up, looks, signature, tree_path
from cleveragents.snapshots.tree.hindrance import Hindrance, KeepsChanging, Uncapturable
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.node import Node
from cleveragents.snapshots.tree.reading import FileReader
from cleveragents.snapshots.tree.tree import EXCLUDED, LinkedFile, Sink, Tree
from cleveragents.snapshots.tree.watch import WatchLost

MAX_DEPTH = 200  # one descriptor is held per level
MANY = 32  # entries of one directory that changed; to open it costs as much as so many in place
RACY_NS = 2_000_000_000  # what was changed this shortly before it was read may change unseen

Excluded = Callable[[bytes], bool]  # told the path from the root
Watch = Callable[[int, Node], None]  # told a directory before it is read
Unwatch = Callable[[Node], None]


class Scanner:
    """Brings a tree up to date with the directory it is of, in one look.

    Of what it looked at by name, a look at everything reads what has changed since: of a file that
    was written a moment ago, its times alone do not tell the next one.
    """

    def __init__(
        self,
        tree: Tree,
        sink: Sink,
        excluded: Excluded,
        *,
        borrow: bool,
        root_mode: int | None,
        watch: Watch,
        unwatch: Unwatch,
    ) -> None:
        self._tree = tree
        self._sink = sink
        self._excluded = excluded
        self._borrow = borrow
        self._root_mode = root_mode  # of the root, if bits of it are borrowed just now
        self._watch = watch
        self._unwatch = unwatch
        self._trusted_before_ns = time.time_ns() - RACY_NS
        self._named_files: dict[tuple[Node, bytes], signature.Signature] = {}
        self._device = 0

    @cached_property
    def _look(self) -> looks.Look:  # one that looks at single names needs none
        return looks.best()

    @cached_property
    def _reader(self) -> FileReader:
        return FileReader(self._sink)

    def everything(self, root: int) -> None:
        """Walks the whole directory."""
        self._device = os.fstat(root).st_dev
        self._tree.left_out.clear()
        self._directory(root, self._tree.root, 0, self._root_mode)

    def entries(self, root: int, dirty: Iterable[tuple[Node, bytes]]) -> None:
        """Looks again at single names, parents first.

        Directories wait until everything that is gone went, so that moved ones find room.
        """
        self._device = os.fstat(root).st_dev
        by_node: dict[Node, set[bytes]] = {}
        for node, name in dirty:
            by_node.setdefault(node, set()).add(name)
        waiting: list[tuple[Node, list[bytes]]] = []
        for node, names in sorted(by_node.items(), key=lambda item: item[0].path):
            if self._is_known(node):
                with self._still_there(), beneath.directory(root, node.path) as fd:
                    waiting.append((node, self._update(fd, node, names)))
        for node, names in waiting:
            if names and self._is_known(node):
                with self._still_there(), beneath.directory(root, node.path) as fd:
                    self._update_directories(fd, node, names)

    @contextmanager
    def _still_there(self) -> Generator[None]:
        """A directory that is gone is told by the one above it; a closed one needs a full look."""
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            if not self._is_of_a_path(error):
                raise
            raise WatchLost("a directory cannot be entered") from error

    def _is_of_a_path(self, error: OSError) -> bool:
        """Whether a look at everything may pass over what has failed."""
        return isinstance(error, PermissionError)

    def _is_known(self, node: Node) -> bool:
        """Whether a directory is still in the tree; it may have gone with one above it."""
        while node.parent is not None:
            if node.parent.children.get(tree_path.split(node.path)[1]) is not node:
                return False
            node = node.parent
        return node is self._tree.root

    def _update(self, fd: int, node: Node, names: set[bytes]) -> list[bytes]:
        """Brings files up to date and drops what is gone; returns the names of directories."""
        self._prepare(node, len(names))
        directories: list[bytes] = []
        for name in names:
            if name:
                self._tree.left_out.pop(node.inner(name), None)
            found = self._stat(fd, name, node) if name else os.fstat(fd)
            child = node.children.get(name)
            if child is not None and (found is None or found.st_ino != child.inode):
                self._remove_child(node, name)
            if found is None:
                self._tree.remove(node, name)
            elif stat.S_ISDIR(found.st_mode):
                directories.append(name)
            else:
                self._named(fd, name, found, node, 0)
                if stat.S_ISREG(found.st_mode):
                    self._named_files[node, name] = signature.of(found)
        self._tree.close(node)
        return directories

    def _update_directories(self, fd: int, node: Node, names: Iterable[bytes]) -> None:
        depth = node.path.count(b"/") + 1 if node.path else 0
        for name in names:
            found = self._stat(fd, name, node) if name else None
            if name == b"":
                self._own(fd, node, self._root_mode if node is self._tree.root else None)
            elif found is not None:
                self._named(fd, name, found, node, depth)

    def _directory(self, fd: int, node: Node, depth: int, mode: int | None) -> None:
        """Looks at a directory; the mode is its own, whatever was borrowed to enter it."""
        if depth > MAX_DEPTH:
            raise Uncapturable(
                f"directories are nested deeper than {MAX_DEPTH}: {shown(node.path)[:100]}…",
                why=f"directories are nested deeper than {MAX_DEPTH}",
                hints=["remove them, or leave them out with sandbox.checkpoint.exclude"],
            )
        self._watch(fd, node)
        self._own(fd, node, mode)
        differing = self._differing(fd, node)
        self._prepare(node, len(differing))
        for name in differing:
            found = self._stat(fd, name, node)
            if found is None:
                self._forget(node, name)
            else:
                self._named(fd, name, found, node, depth)
        self._tree.close(node)

    def _prepare(self, node: Node, count: int) -> None:
        """Opens a directory of which much is to change: each change in place reads all of it."""
        if count > MANY:
            self._tree.open(node)

    def _differing(self, fd: int, node: Node) -> list[bytes]:
        """Returns the names in a directory that are not as last seen, or not stored as they must.

        Nothing is done for a single file that nobody touched: this is where scans spend their time.
        Links and directories have no signature, so they always differ.
        """
        if node.opened is not None:
            return [*{*looks.names_in(fd), *node.opened.entries, *node.children}]
        differing = self._look.differing(fd, node.joined_names(), node.signatures)
        if self._sink.stores and node.unstored:
            differing += node.unstored.difference(differing)
        return differing

    def _own(self, fd: int, node: Node, mode: int | None) -> None:
        found = os.fstat(fd)
        node.inode = found.st_ino
        own = Entry(found.st_mode if mode is None else mode, xattrs=self._attributes(fd, node, b""))
        self._tree.set_own(node, own)

    def _named(self, fd: int, name: bytes, found: os.stat_result, node: Node, depth: int) -> None:
        """Looks at one name that may not be as last seen."""
        giving_up.look()
        path = node.inner(name)
        if self._excluded(path):
            self._tree.left_out[path] = EXCLUDED
            return
        try:
            if stat.S_ISDIR(found.st_mode):
                self._subdirectory(fd, name, found, node, depth)
            elif not self._is_read(node, name, found):
                if name in node.children:
                    self._remove_child(node, name)
                self._leaf(fd, name, found, node)
        except (Hindrance, OSError) as error:
            self._miss(fd, name, node, error)

    def _miss(self, _fd: int, _name: bytes, _node: Node, error: Hindrance | OSError) -> None:
        """Meets a path that cannot be captured; in a place of ours nothing is, then."""
        raise error

    def _is_read(self, node: Node, name: bytes, found: os.stat_result) -> bool:
        """Whether a file was read by this very look, and is as it was before that."""
        before = self._named_files.get((node, name))
        return before is not None and before == signature.of(found)

    def _stat(self, fd: int, name: bytes, _node: Node) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _forget(self, node: Node, name: bytes) -> None:
        if name in node.children:
            self._remove_child(node, name)
        else:
            self._tree.remove(node, name)

    def _leaf(self, fd: int, name: bytes, found: os.stat_result, node: Node) -> None:
        mode = found.st_mode
        if stat.S_ISREG(mode):
            self._file(fd, name, found, node)
        elif stat.S_ISLNK(mode):
            content = self._sink.put(os.fsencode(os.readlink(name, dir_fd=fd)))
            self._tree.put(node, name, Entry(mode, content=content), None)
        elif stat.S_ISFIFO(mode):
            self._tree.put(node, name, Entry(mode), None)
        elif stat.S_ISSOCK(mode):
            self._tree.remove(node, name)
            self._tree.left_out[node.inner(name)] = "a socket cannot be restored"
        else:
            raise Uncapturable(
                f"{shown(node.inner(name))} is a device",
                why="a device cannot be restored",
                hints=["remove it, or leave it out with sandbox.checkpoint.exclude"],
            )

    def _remove_child(self, node: Node, name: bytes) -> None:
        for gone in self._tree.remove_child(node, name):
            self._unwatch(gone)

    def _subdirectory(
        self, parent: int, name: bytes, found: os.stat_result, node: Node, depth: int
    ) -> None:
        path = node.inner(name)
        child = node.children.get(name)
        if child is not None and child.inode != found.st_ino:
            self._remove_child(node, name)
            child = None
        with ExitStack() as stack:
            try:
                fd = beneath.open_directory(parent, name)
            except PermissionError as error:
                stack.enter_context(self._borrowed(parent, name, path, stat.S_IRWXU, error))
                fd = beneath.open_directory(parent, name)
            stack.callback(os.close, fd)
            if os.fstat(fd).st_dev != self._device:
                self._forget(node, name)
                self._tree.left_out[path] = "another file system is mounted there"
                return
            if child is None:
                self._tree.remove(node, name)
                child = self._tree.add_child(node, name)
            self._directory(fd, child, depth + 1, found.st_mode)
        # It may have changed before we entered.
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
        if mode != child.own.mode:
            self._tree.set_own(child, child.own._replace(mode=mode))

    def _file(self, parent: int, name: bytes, found: os.stat_result, node: Node) -> None:
        try:
            fd = beneath.open_file(parent, name)
        except PermissionError as error:
            with self._borrowed(parent, name, node.inner(name), stat.S_IRUSR, error):
                fd = beneath.open_file(parent, name)
                entry, _ = self._read(fd, name, os.fstat(fd), node)
            settled = os.stat(name, dir_fd=parent, follow_symlinks=False)
            entry = entry._replace(mode=settled.st_mode)
        else:
            entry, settled = self._read(fd, name, found, node)
        if settled.st_nlink > 1:
            self._tree.linked[node, name] = LinkedFile(settled.st_ino, settled.st_nlink)
        else:
            self._tree.linked.pop((node, name), None)
        self._tree.put(node, name, entry, self._trusted(entry, settled))

    def _trusted(self, entry: Entry, settled: os.stat_result) -> signature.Signature:
        """Returns the signature of a file from now on; one that changed just now is read again."""
        same = settled.st_mtime_ns == entry.mtime_ns and settled.st_size == entry.size
        trusted = same and settled.st_ctime_ns < self._trusted_before_ns
        return signature.of(settled) if trusted else signature.UNTRUSTED

    def _read(
        self, fd: int, name: bytes, before: os.stat_result, node: Node
    ) -> tuple[Entry, os.stat_result]:
        """Reads a file, and closes it; one that changes meanwhile is read again.

        Returns how it was found when it had been read. `before` is how it was before it was opened.
        """
        try:
            read = self._reader.read(
                fd, before, node.known(name), lambda: self._attributes(fd, node, name)
            )
        finally:
            os.close(fd)
        if read is not None:
            return read
        raise KeepsChanging(
            f"{shown(node.inner(name))} keeps changing while it is read",
            hints=["stop what writes to it, or leave it out with sandbox.checkpoint.exclude"],
        )

    @contextmanager
    def _borrowed(
        self, parent: int, name: bytes, path: bytes, bits: int, error: OSError
    ) -> Generator[None]:
        """Takes permissions that are missing, if the entry is ours and they may be borrowed."""
        owner = os.stat(name, dir_fd=parent, follow_symlinks=False).st_uid
        if not self._borrow or owner != os.geteuid():
            raise Uncapturable(
                f"no permission to read {shown(path)}",
                why="no permission to read it",
                hints=["make it readable for you, or leave it out"],
            ) from error
        with beneath.borrowed(parent, name, bits):
            yield

    def _attributes(self, fd: int, node: Node, name: bytes) -> attributes.Attributes:
        found = attributes.names(fd)
        if found or self._tree.attributes:  # nearly no file has any
            self._note_untold(node.inner(name) if name else node.path, found)
        return attributes.kept(fd, found)

    def _note_untold(self, path: bytes, found: list[str]) -> None:
        self._tree.attributes.pop(path, None)
        if untold := attributes.untold(found):
            self._tree.attributes[path] = f"extended attribute {', '.join(untold)}"


def shown(path: bytes) -> str:
    """A path as people read it."""
    return os.fsdecode(path) or "."
