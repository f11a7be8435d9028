"""Knows the present content of one directory: by a scan at first, then by what the system tells."""

import os
import stat
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from cleveragents.records import frozen
from cleveragents.snapshots.tree import beneath, stat_cache
from cleveragents.snapshots.tree.filter import NEVER
from cleveragents.snapshots.tree.live_scan import Bounds, LiveScanner, TooMuchNew
from cleveragents.snapshots.tree.manifest import Entry, decode
from cleveragents.snapshots.tree.node import Node
from cleveragents.snapshots.tree.scan import Excluded, Scanner
from cleveragents.snapshots.tree.stat_cache import Cache
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.snapshots.tree.tree import EXCLUDED, Sink, Tree
from cleveragents.snapshots.tree.watch import Watcher, WatchLost
from cleveragents.storage.space import told_free

# Of the time between two looks, this part may be spent on finding what makes no event.
SHARE = 20


@frozen
class TreeState:
    """The content of a directory at one moment."""

    root: Entry
    files: int
    not_captured: tuple[tuple[bytes, str], ...]  # path and why
    missed: tuple[bytes, ...]  # those of a live directory that are nobody's wish to leave out

    @property
    def excluded(self) -> list[bytes]:
        """The paths that the filter left out."""
        return [path for path, why in self.not_captured if why == EXCLUDED]


@frozen
class FileLocation:
    """A file or link in a directory."""

    root: Path
    path: bytes
    entry: Entry
    is_ours: bool  # whether a mode may be changed to read it


class Tracker:
    """One directory under one filter."""

    def __init__(
        self,
        path: Path,
        *,
        excluded: Excluded,
        tracking: Tracking,
        cache: Cache | None,
        borrow: bool,
        tell: Callable[[str], None],
        live: Bounds | None = None,  # of a directory that is not ours, in which others are at work
    ) -> None:
        self._path = path
        self._excluded = excluded
        self._tracking = tracking
        self._cache = cache
        self.kept_at = path if cache is None else cache.path
        self._borrow = borrow
        self._tell = tell
        self._live = live
        self._is_redefined = False  # whether something else is left out than at the last look
        self.has_news = False  # whether more was stored since what is known was kept
        self._tree = Tree()
        self._placed: Tree | None = None  # what somebody has just made here
        self._is_known = False  # whether the tree was ever filled
        self._is_doubted = False
        self._watcher: Watcher | None = None
        self._root_inode = 0
        self._root_mode: int | None = None  # the root's own, while bits of it are borrowed
        self._losses: int | None = None
        self._seconds = 0.0  # that the last look at everything took
        self._looked_at = time.monotonic()

    def expect(self, losses: int) -> None:
        """Takes nothing for stored any more if the store has lost packs since the last time."""
        if self._losses not in (None, losses):
            self.forget()
            if self._cache is not None:
                with suppress(OSError):  # it names the packs it relies on: it is void anyway
                    self._cache.path.unlink(missing_ok=True)
        self._losses = losses

    def begin_with(self, tree: Tree) -> None:
        """Takes what was just made here for known; the first look sees whether it is so."""
        self.forget()
        self._placed = tree
        self._root_inode = tree.root.inode

    def leave_out(self, excluded: Excluded) -> None:
        """Leaves something else out from now on: the next look is at everything."""
        self._excluded = excluded
        for gone in self._tree.leave_out(excluded):
            self._unwatch(gone)
        self._is_redefined = True

    def bound(self, live: Bounds) -> None:
        """Says how much the next look may take in."""
        self._live = live

    def state(self, sink: Sink, *, full: bool = False) -> TreeState:
        """Returns the present content; what is not stored yet goes to a sink that stores.

        `full` looks at everything: where what makes no event must be found.
        """
        if self._is_doubted:
            self.forget()
        root, mode = beneath.open_root(self._path, borrow=self._borrow)
        try:
            self._root_mode = None if mode is None else stat.S_IFDIR | mode
            tree = self._up_to_date(root, sink, full=full)
            return self._as_seen(tree, sink)
        except TooMuchNew:
            self._is_redefined = True  # whoever asked will leave something out
            raise
        except BaseException:
            self.forget()  # half a look is no look
            raise
        finally:
            self._looked_at = time.monotonic()
            if mode is not None:
                os.fchmod(root, mode)
            os.close(root)

    def _as_seen(self, tree: Tree, sink: Sink) -> TreeState:
        notes, missed = tree.notes().items(), tree.missed()
        if self._live is None:
            return TreeState(tree.encode(sink), tree.files, tuple(notes), ())
        told = (note for note in notes if note[1] != EXCLUDED or not NEVER.excludes(note[0]))
        return TreeState(tree.encode(sink), tree.files, tuple(told), tuple(sorted(missed)))

    def mark_stored(self) -> None:
        """Says that everything of the last state is stored."""
        self._tree.mark_stored()
        self.has_news = True

    def save(self) -> None:
        """Keeps what is known for the next process, which looks at everything if it cannot be."""
        if self._cache is None or not self._tree.root.stored or self._is_doubted:
            return
        try:
            stat_cache.save(self._cache.path, self._tree, self._cache.key, self._cache.packs())
            self.has_news = False
        except OSError as error:
            self._tell(
                f"what is known of the files could not be kept: {error.strerror}, "
                f"{told_free(self._cache.path.parent)}; the next command looks at all of them"
            )

    def unstored(self) -> dict[bytes, bytes]:
        """Returns the directory objects of the last state that are not in the store, by id."""
        return {
            node.identity: node.packed
            for node in self._tree.not_stored()
            if node.identity is not None
        }

    def lying(self) -> dict[bytes, FileLocation]:
        """Tells where content of the last state lies that is not known to be stored, by its id."""
        return {
            entry.content: FileLocation(
                self._path, node.inner(name), entry, is_ours=self._live is None
            )
            for node in self._tree.not_stored()
            if node.unstored
            for name, entry in decode(node.packed).items()
            if name in node.unstored
        }

    def directory(self, identity: bytes) -> bytes | None:
        """Returns a directory object of the last state, whether the store can be read or not."""
        found = (node.packed for node in self._tree.nodes() if node.identity == identity)
        return next(found, None)

    def left_out(self) -> list[bytes]:
        """Tells what the filter left out of the last state."""
        return [path for path, why in self._tree.left_out.items() if why == EXCLUDED]

    def rests_on(self, contents: Collection[bytes]) -> bool:
        """Tells whether all it takes for stored is below one of these directory objects."""
        return self._tree.root.stored and self._tree.root.identity in contents

    def doubt(self) -> None:
        """Lets the next look be at everything; one that another thread takes now is left alone."""
        self._is_doubted = True

    def forget(self) -> None:
        """Knows nothing any more; the next look is at everything."""
        self._stop_watching()
        self._tree = Tree()
        self._placed = None
        self._is_known = False
        self._is_doubted = False

    def _up_to_date(self, root: int, sink: Sink, *, full: bool) -> Tree:
        if os.fstat(root).st_ino != self._root_inode:
            self.forget()
            self._root_inode = os.fstat(root).st_ino
        if not self._is_known:
            return self._first_look(root, sink)
        tree, scanner = self._tree, self._scanner(self._tree, sink)
        if self._is_redefined:
            return self._look_anew(root, tree, scanner)
        full = full or self._has_time()
        if self._watcher is not None:
            try:
                dirty = self._dirty(tree, sink, self._watcher, full=full)
                self._look_at_changes(root, tree, scanner, self._watcher, dirty)
            except WatchLost:
                return self._look_anew(root, tree, scanner)
        if full or self._watcher is None:
            self._look_at_everything(root, tree, scanner)
        return tree

    def _look_anew(self, root: int, tree: Tree, scanner: Scanner) -> Tree:
        if self._watcher is not None:
            self._watch_anew(tree)
        self._everything(root, tree, scanner)
        self._is_redefined = False
        return tree

    def _first_look(self, root: int, sink: Sink) -> Tree:
        known = self._placed or self._loaded()
        tree = self._tree = known or Tree()
        self._placed = None
        self._is_known = True
        if self._tracking is not Tracking.SCAN:
            self._start_watching()
        self._everything(root, tree, self._scanner(tree, sink, is_all_new=known is None))
        return tree

    def _loaded(self) -> Tree | None:
        cache = self._cache
        loaded = None if cache is None else stat_cache.load(cache.path, cache.key, cache.has)
        if cache is not None and loaded is not None and cache.for_any_filter:
            loaded.leave_out(self._excluded)  # of a file that nobody touched a look does not ask
        return loaded

    def _dirty(
        self, tree: Tree, sink: Sink, watcher: Watcher, *, full: bool
    ) -> set[tuple[Node, bytes]]:
        """Returns the names to look at again."""
        dirty = set(watcher.drain())
        dirty.update(tree.linked)  # a write through a link outside makes no event here
        dirty.update(filter(None, map(tree.place_of, tree.missed())))
        if sink.stores and not full:  # a look at everything finds them itself
            dirty.update((node, name) for node in tree.not_stored() for name in node.unstored)
        if tree.root.watch < 0:
            raise WatchLost("the directory itself was replaced")
        return dirty

    def _look_at_changes(
        self,
        root: int,
        tree: Tree,
        scanner: Scanner,
        watcher: Watcher,
        dirty: set[tuple[Node, bytes]],
    ) -> None:
        scanner.entries(root, dirty)
        if watcher.has_lost_names or tree.has_unexplained_links():
            # A new name makes no event where the file's other names are, nor does what is written
            # through it: look for them.
            self._everything(root, tree, scanner)

    def _look_at_everything(self, root: int, tree: Tree, scanner: Scanner) -> None:
        watched = self._watcher
        tree.changed = False
        self._everything(root, tree, scanner)
        if watched is not None and tree.changed and not watched.has_news:
            self._tell("a change was found that no event had announced; scanning from now on")
            self._stop_watching()

    def _has_time(self) -> bool:
        """Whether a look at everything is cheap beside what has happened since the last one.

        A step that ran for a minute can wait for it, one of many quick ones cannot.
        """
        passed = time.monotonic() - self._looked_at
        return self._tracking is Tracking.AUTO and passed >= SHARE * self._seconds

    def _everything(self, root: int, tree: Tree, scanner: Scanner) -> None:
        began = time.monotonic()
        try:
            scanner.everything(root)
        except WatchLost as problem:  # no more directories can be watched
            self._cannot_watch(problem)
            scanner.everything(root)
        tree.explain_links()
        self._seconds = time.monotonic() - began

    def _scanner(self, tree: Tree, sink: Sink, *, is_all_new: bool = False) -> Scanner:
        watch, unwatch = self._watch, self._unwatch
        if self._live is not None:
            bounds = self._live.of_a_file if is_all_new else self._live
            return LiveScanner(
                tree, sink, self._excluded, bounds=bounds, watch=watch, unwatch=unwatch
            )
        return Scanner(
            tree,
            sink,
            self._excluded,
            borrow=self._borrow,
            root_mode=self._root_mode,
            watch=watch,
            unwatch=unwatch,
        )

    def _watch(self, fd: int, node: Node) -> None:
        if self._watcher is not None and node.watch < 0:
            self._watcher.add(fd, node)

    def _unwatch(self, node: Node) -> None:
        if self._watcher is not None:
            self._watcher.remove(node)

    def _cannot_watch(self, problem: WatchLost) -> None:
        self._tell(f"changes cannot be watched ({problem}); scanning instead")
        self._stop_watching()

    def _start_watching(self) -> None:
        try:
            self._watcher = Watcher()
        except WatchLost as problem:
            self._cannot_watch(problem)

    def _watch_anew(self, tree: Tree) -> None:
        """Lets go of all watches: which of them are still on a directory was lost with events."""
        self._stop_watching()
        for node in tree.nodes():
            node.watch = -1
        self._start_watching()

    def _stop_watching(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
