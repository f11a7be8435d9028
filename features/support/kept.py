"""A tree, and a store beside it that keeps snapshots of it."""

import gc
import os
from contextlib import nullcontext

from oracle import assert_same, differences, picture
from ordinary import hand_over, ordinary_user
from wrecks import WRECKS

from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.pack import BUFFER
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.tracking import Tracking


def kept(context):
    """The tree of the scenario with its store."""
    if "kept" not in context:
        keep(context, context.world.home)
    return context.kept


def keep(context, home):
    """Gives the scenario a tree in a folder."""
    context.kept = Kept(home)
    if context.config.userdata.get("user") == "ordinary":
        context.kept.by_ordinary_user = context.kept.hands_over = True
        hand_over(home)
    context.add_cleanup(context.kept.close)


def begun_pack(store):
    """Begins a pack, and writes more than is held back for one write: before, it has no file."""
    begun = store.new_pack()
    while not [*store.directory.glob("packs/writing-*")]:
        begun.put(os.urandom(BUFFER))
    return begun


class WatchedStore(Store):
    """A store that tells when an object is about to be stored or read."""

    def __init__(self, directory, watcher):
        super().__init__(directory)
        self._watcher = watcher

    def new_pack(self):
        pack = super().new_pack()
        pack.put, pack.put_root = self._told(pack.put), self._told(pack.put_root)
        return pack

    def _told(self, put):
        def watched(data, *version, **options):
            if self._watcher.on_put is not None:
                self._watcher.on_put(data)
            return put(data, *version, **options)

        return watched

    def read(self, identity):
        if self._watcher.on_read is not None:
            self._watcher.on_read(identity)
        return super().read(identity)


class Kept:
    """Captures and restores one tree through a real archive on a real store."""

    def __init__(self, home):
        self.home = home
        self.tree = home / "tree"
        self.staging = home / "staging"
        self.tree.mkdir(exist_ok=True)
        self.archive = None
        self.pictures = {}  # what the tree held, by snapshot id
        self.told = []  # what the archive says to people
        self.snapshots = []  # ids in the order they were captured
        self.by_ordinary_user = False
        self.hands_over = False  # whether what the scenario made is an ordinary user's from then on
        self.on_put = None  # called with each object before a capture stores it
        self.on_read = None  # called with an object's id before it is read
        self.open()

    def open(self, tracking=Tracking.WATCH):
        """Opens the store anew, as another process would."""
        self.close()
        self.tracking = tracking
        self.store = WatchedStore(self.home / "store", self)
        self.archive = Archive(self.store, tracking, self.told.append)

    def close(self):
        """Ends all watching and removing, as the end of a process does."""
        if self.archive is None:
            return
        self.archive.wait_for_purging()
        self.archive = None
        gc.collect()  # what watched for it is referred to by nobody else

    def reopen(self, tracking=Tracking.WATCH):
        """Lets another process go on with what this one knows of the tree."""
        with self.acting():
            self.archive.remember({MAIN: self.tree})
            self.open(tracking)

    @property
    def latest(self):
        """The id of the latest snapshot."""
        return self.snapshots[-1]

    @property
    def packs(self):
        """The packs there are, the oldest first."""
        return sorted((self.home / "store" / "packs").glob("*.pack"))

    @property
    def unfinished(self):
        """Packs that somebody is writing, or was."""
        return sorted((self.home / "store" / "packs").glob("writing-*"))

    @property
    def is_placing(self):
        """Whether a restore is building a file just now: nothing else uses the staging folder."""
        return (self.staging / "staged").exists()

    def acting(self):
        """The rights that captures, restores and wrecks happen with."""
        return ordinary_user() if self.by_ordinary_user else nullcontext()

    def capture(self, *patterns):
        """Captures the tree; returns the capture."""
        if self.hands_over and not self.snapshots:
            hand_over(self.home)
        seen = picture(self.tree)
        roots = {MAIN: self.tree}
        with (
            self.acting(),
            self.archive.capture(roots, Filter.of(patterns)) as capture,
        ):
            self.snapshots.append(capture.commit({"kind": "test"}))
        self.pictures[self.latest] = seen
        if self.tracking is Tracking.WATCH:  # what is to be watched was not scanned instead
            assert not any("cannot be watched" in line for line in self.told), self.told
        return capture

    def restore(self, snapshot_id=None):
        """Restores a snapshot, the latest unless told; returns what was changed."""
        with self.acting():
            snapshot = self.archive.load(snapshot_id or self.latest)
            return self.archive.restore(snapshot, {MAIN: self.tree}, self.staging)

    def wreck(self, way):
        """Wrecks the tree in one of the ways there are, and makes sure that it did."""
        before = picture(self.tree)
        with self.acting():
            WRECKS[way](self.tree)
        assert differences(before, picture(self.tree)), f"{way}: nothing was wrecked"

    def assert_as_captured(self, snapshot_id=None):
        """Fails if the tree differs from what it held when it was captured."""
        assert_same(self.pictures[snapshot_id or self.latest], picture(self.tree))

    def assert_unchanged(self, before):
        """Fails if the tree differs from a picture of it."""
        assert_same(before, picture(self.tree))
