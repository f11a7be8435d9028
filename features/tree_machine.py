"""A state machine that does to a tree whatever a step may do, and holds restores to the oracle.

It works on an archive as a plan does: checkpoint, restore any, forget some, sweep, and begin again
in a new process. The oracle shares no code with the product.
"""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from oracle import assert_same, picture

from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.filter import Filter
from cleveragents.snapshots.store import Store
from cleveragents.snapshots.tracker import Tracking

NAMES = (b"a", b"b", b"c d", b"\xff", "é".encode())
FOLDERS = (b"", b"x", b"x/y", b"-z")
PATHS = st.sampled_from([b"/".join(filter(None, (f, n))) for f in FOLDERS for n in NAMES])
ANYWHERE = st.sampled_from(
    [*(f for f in FOLDERS if f), *[b"/".join(filter(None, (f, n))) for f in FOLDERS for n in NAMES]]
)
BYTES = st.one_of(st.binary(max_size=40), st.just(b"z" * 200))
MODES = st.sampled_from([0o644, 0o600, 0o755, 0o444, 0o000, 0o4755, 0o640])


class TreeMachine(RuleBasedStateMachine):
    """One tree, its checkpoints, and what the oracle saw when each was made."""

    tracking = Tracking.AUTO

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="machine "))
        self.root = os.fsencode(self.home / "tree")
        os.mkdir(self.root)
        # By number, not by id: ids depend on the clock, and the machine must always draw alike.
        self.seen = {}  # number -> picture
        self.ids = {}  # number -> snapshot id
        self.newest = 0
        self.told = []
        self.new_process()

    def teardown(self):
        """Removes the tree."""
        shutil.rmtree(self.home)

    @initialize(folders=st.sets(st.sampled_from(FOLDERS[1:])))
    def start(self, folders):
        """Begins with some directories."""
        for folder in sorted(folders):
            os.makedirs(self.at(folder), exist_ok=True)

    @rule(path=PATHS, data=BYTES)
    def write(self, path, data):
        """Writes a file in place."""
        self.attempt(lambda: self.put(path, data, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))

    @rule(path=PATHS, data=BYTES)
    def append(self, path, data):
        """Appends to a file."""
        self.attempt(lambda: self.put(path, data, os.O_WRONLY | os.O_APPEND))

    @rule(path=PATHS, data=BYTES)
    def replace(self, path, data):
        """Replaces a file by rename, as editors do."""
        self.attempt(lambda: self.put(b"tmp", data, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
        self.attempt(lambda: os.rename(self.at(b"tmp"), self.at(path)))
        self.attempt(lambda: os.unlink(self.at(b"tmp")))

    @rule(path=PATHS, size=st.integers(0, 100))
    def truncate(self, path, size):
        """Cuts or extends a file."""
        self.attempt(lambda: os.truncate(self.at(path), size) if self.is_file(path) else None)

    @rule(path=ANYWHERE)
    def mkdir(self, path):
        """Makes a directory."""
        self.attempt(lambda: os.mkdir(self.at(path)))

    @rule(source=ANYWHERE, new=ANYWHERE)
    def rename(self, source, new):
        """Renames a file or a whole directory."""
        self.attempt(lambda: os.rename(self.at(source), self.at(new)))

    @rule(path=PATHS, text=st.sampled_from([b"a", b"nowhere", b"/etc", b"x"]))
    def link(self, path, text):
        """Makes a symbolic link."""
        self.attempt(lambda: os.symlink(text, self.at(path)))

    @rule(source=PATHS, new=PATHS)
    def hard_link(self, source, new):
        """Gives a file a second name."""
        self.attempt(lambda: os.link(self.at(source), self.at(new), follow_symlinks=False))

    @rule(path=ANYWHERE, mode=MODES)
    def chmod(self, path, mode):
        """Changes a mode; a directory stays enterable for the machine itself."""
        if os.path.islink(self.at(path)):
            return
        bits = mode | (0o700 if os.path.isdir(self.at(path)) else 0)
        self.attempt(lambda: os.chmod(self.at(path), bits))

    @rule(path=PATHS, when=st.integers(0, 2**31))
    def touch(self, path, when):
        """Sets a modification time."""
        self.attempt(lambda: os.utime(self.at(path), ns=(when, when), follow_symlinks=False))

    @rule(path=PATHS, value=st.binary(min_size=1, max_size=5))
    def attribute(self, path, value):
        """Sets an extended attribute."""
        if self.is_file(path):
            self.attempt(lambda: os.setxattr(self.at(path), "user.x", value))

    @rule(path=PATHS)
    def fifo(self, path):
        """Makes a FIFO."""
        self.attempt(lambda: os.mkfifo(self.at(path)))

    @rule(path=ANYWHERE)
    def delete(self, path):
        """Deletes whatever is there."""
        self.attempt(lambda: self.remove(path))

    @rule(path=ANYWHERE, data=BYTES)
    def swap_kinds(self, path, data):
        """Puts a file where a directory was, or the other way round."""
        was_directory = os.path.isdir(self.at(path)) and not os.path.islink(self.at(path))
        self.attempt(lambda: self.remove(path))
        if was_directory:
            self.attempt(lambda: self.put(path, data, os.O_WRONLY | os.O_CREAT))
        else:
            self.attempt(lambda: os.mkdir(self.at(path)))
            self.attempt(lambda: self.put(path + b"/a", data, os.O_WRONLY | os.O_CREAT))

    @rule(full=st.booleans())
    def checkpoint(self, full):
        """Saves the tree; the oracle looks at the same moment."""
        with self.archive.capture(self.roots, Filter(), full=full) as capture:
            self.newest = len(self.ids) + 1
            self.ids[self.newest] = capture.commit({"number": self.newest})
        self.seen[self.newest] = picture(self.root)
        assert not self.told, self.told

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def restore(self, data):
        """Goes back to any checkpoint: the tree is what the oracle saw then."""
        number = data.draw(st.sampled_from(sorted(self.seen)))
        snapshot = self.archive.load(self.ids[number])
        self.archive.restore(snapshot, self.roots, self.home / "staging")
        self.archive.settle()
        assert_same(self.seen[number], picture(self.root))
        self.newest = number  # as the record that a rollback appends

    @precondition(lambda self: len(self.seen) > 1)
    @rule(data=st.data())
    def forget(self, data):
        """Deletes a checkpoint and frees what only it needs; all others stay intact.

        The newest one always stays.
        """
        number = data.draw(st.sampled_from(sorted(self.seen.keys() - {self.newest})))
        del self.seen[number]
        live = {self.ids[left] for left in self.seen}
        self.archive.sweep(lambda: live, [self.ids[number]])
        for left in live:
            assert not self.archive.damaged(self.archive.load(left))

    @rule()
    def new_process(self):
        """Knows only what is on the disk."""
        if hasattr(self, "archive"):
            self.archive.remember(self.roots)
        store = Store(self.home / "store")
        self.archive = Archive(store, self.tracking, self.told.append)
        self.roots = {"tree": self.home / "tree"}

    def at(self, path):
        """The whole path."""
        return self.root + b"/" + path

    def is_file(self, path):
        """Whether a regular file is there."""
        return os.path.isfile(self.at(path)) and not os.path.islink(self.at(path))

    def put(self, path, data, flags):
        """Writes to a file, never through a link and never into a FIFO."""
        fd = os.open(self.at(path), flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)

    def remove(self, path):
        """Deletes a file, a link, or a directory with everything in it."""
        if os.path.isdir(self.at(path)) and not os.path.islink(self.at(path)):
            shutil.rmtree(self.at(path))
        else:
            os.unlink(self.at(path))

    def attempt(self, action):
        """Does what the present tree allows."""
        try:
            action()
        except OSError:
            return
