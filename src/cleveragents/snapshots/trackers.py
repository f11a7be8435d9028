"""Who follows which directory: what is known of each is kept, and doubted when content goes."""

import os
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from threading import Lock

from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.live_scan import Bounds
from cleveragents.snapshots.tree.record import MAIN, Roots
from cleveragents.snapshots.tree.scan import Excluded
from cleveragents.snapshots.tree.stat_cache import Cache
from cleveragents.snapshots.tree.tracker import Tracker
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.storage.lock import FileLock

SUFFIX = ".stat"  # of what is kept; for what is not ours that lies beside the store
SECONDS_BETWEEN = 60.0  # for which nothing is kept of a live directory that is captured often
FOLLOWED = 8  # directories that nobody may be at work in any more
_Key = tuple[Path, Filter | None]  # None: a live directory, whatever is left out of it


class Trackers:
    """The trackers of the directories whose content goes to one store."""

    def __init__(self, store: Store, tracking: Tracking, tell: Callable[[str], None]) -> None:
        self._store = store
        self._project_cache = store.directory.with_name(f"project{SUFFIX}")
        self._tracking = tracking
        self._tell = tell
        # Each directory has one owner at a time, and so has its tracker; the list is everybody's.
        self._known: dict[_Key, Tracker] = {}
        self._listing = Lock()
        self._told: set[str] = set()
        self._left_out: dict[Path, Filter] = {}  # of live directories, at the last look
        self._kept: dict[Path, float] = {}  # when what is known of them was kept, by where

    def of(self, name: str, path: Path, filter_: Filter) -> Tracker:
        """Returns the one that follows a root; the filter is for the files alone."""
        applied = filter_ if name == MAIN else Filter()
        key = (path, applied)
        with self._listing:
            if key not in self._known:
                cache_key = os.fsencode("\0".join([self._store.identity, *applied.patterns]))
                made = self._known[key] = Tracker(
                    path,
                    excluded=applied.excludes,
                    tracking=self._tracking,
                    cache=Cache(_cache_of(path), cache_key, self._packs, self._has),
                    borrow=True,
                    tell=self._tell_once,
                )
                made.expect(self._store.losses)
            return self._known[key]

    def of_live(self, path: Path, filter_: Filter, cache: Path, bounds: Bounds) -> Tracker:
        """Returns the one that follows a directory in which others are at work.

        There is one for each, whatever is left out of it: what is known of the rest stays.
        """
        key = (path, None)
        with self._listing:
            known = self._known.get(key)
            if known is None:
                cache_key = f"{self._store.identity}\0live".encode()
                known = self._known[key] = Tracker(
                    path,
                    excluded=filter_.excludes,
                    tracking=self._tracking,
                    cache=Cache(cache, cache_key, self._packs, self._has, for_any_filter=True),
                    borrow=False,
                    tell=self._tell_once,
                    live=bounds,
                )
                known.expect(self._store.losses)
            elif self._left_out[path] != filter_:
                known.leave_out(filter_.excludes)
            self._left_out[path] = filter_
            known.bound(bounds)
            return known

    def of_project(self, path: Path, excluded: Excluded) -> Tracker:
        """Returns one that looks at the project once: nothing is borrowed or watched there."""
        return Tracker(
            path,
            excluded=excluded,
            tracking=Tracking.SCAN,
            cache=Cache(
                self._project_cache,
                f"{self._store.identity}\0{path}".encode(),
                self._packs,
                self._has,
                for_any_filter=True,
            ),
            borrow=False,
            tell=self._tell_once,
        )

    def keep(self, tracker: Tracker) -> None:
        """Keeps what is known of what is not ours, unless somebody else does so just now."""
        if not tracker.kept_at.parent.is_dir():
            return  # the data directory is gone, and nobody will ask
        lock = FileLock(tracker.kept_at.with_suffix(".lock"), doing="keeping what is known")
        if lock.try_acquire():
            try:
                self._save(tracker)
            finally:
                lock.release()

    def keep_in_time(self, tracker: Tracker) -> None:
        """Keeps what is known of a live directory, unless that was done a moment ago."""
        at = self._kept.get(tracker.kept_at)
        if at is None or time.monotonic() - at >= SECONDS_BETWEEN:
            self.keep(tracker)
            self._kept[tracker.kept_at] = time.monotonic()

    def remember(self, roots: Roots) -> None:
        """Keeps what is known of directories for the next process.

        Where many others are followed already, these are no longer: each takes a descriptor.
        """
        if len(self._known) > FOLLOWED:
            return self.release(roots)
        for key, tracker in self._of(roots):
            self._remember(key, tracker)
        return None

    def release(self, roots: Roots) -> None:
        """Keeps what is known of directories, and follows their changes no longer."""
        for key, tracker in self._of(roots):
            self._remember(key, tracker)
            tracker.forget()
            with self._listing:
                del self._known[key]

    def close(self) -> None:
        """Follows nothing any more; who looks again looks at everything."""
        with self._listing:
            for (_, filter_), tracker in self._known.items():
                if filter_ is None and tracker.has_news:
                    self.keep(tracker)
                tracker.forget()
            self._known.clear()

    def drop(self, roots: Iterable[Roots]) -> None:
        """Follows nothing any more, and keeps nothing that is known of directories."""
        self.close()
        caches = [_cache_of(path) for each in roots for path in each.values()]
        beside = self._project_cache.parent.glob(f"*{SUFFIX}")  # of what is not ours
        for cache in (*beside, *caches):
            cache.unlink(missing_ok=True)

    def doubt_all_but(self, stay: set[bytes]) -> None:
        """Doubts what is known of directories that are not just as a snapshot that stays says."""
        with self._listing:
            for tracker in self._known.values():
                if not tracker.rests_on(stay):
                    tracker.doubt()  # it may speak of content that goes

    def _of(self, roots: Roots) -> list[tuple[_Key, Tracker]]:
        with self._listing:
            return [item for item in self._known.items() if item[0][0] in roots.values()]

    def _packs(self) -> Collection[str]:
        self._store.open()
        return self._store.names()

    def _has(self, names: set[str]) -> bool:
        self._store.open()
        return self._store.has(names)

    def _remember(self, key: _Key, tracker: Tracker) -> None:
        if key[1] is None:
            self.keep(tracker)  # others look at it, too
        else:
            self._save(tracker)

    def _save(self, tracker: Tracker) -> None:
        self._store.open()
        tracker.expect(self._store.losses)
        tracker.save()

    def _tell_once(self, text: str) -> None:
        """Tells what would be as true of every directory, and of every look at one."""
        if text not in self._told:
            self._told.add(text)
            self._tell(text)


def _cache_of(path: Path) -> Path:
    """Where what is known of a directory is kept."""
    return path.with_name(path.name + SUFFIX)
