"""A state machine that does to a tree whatever a step may do, and holds restores to the oracle.

It works on an archive as a plan does: checkpoint, restore any, forget some, sweep, and begin again
in a new process. The oracle shares no code with the product.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
from contextlib import nullcontext
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from oracle import assert_same, picture
from ordinary import hand_over, ordinary_user
from trees import EDGES_NS

from cleveragents.errors import Refused
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.giving_up import at_any_file
from cleveragents.snapshots.tree.tracking import Tracking

NAMES = (b"a", b"b", b"c d", b"\xff", "é".encode())
FOLDERS = (b"", b"x", b"x/y", b"-z")
EVERY_PATH = [b"/".join(filter(None, (f, n))) for f in FOLDERS for n in NAMES]
PATHS = st.sampled_from(EVERY_PATH)
ANYWHERE = st.sampled_from(
    [*(f for f in FOLDERS if f), *[b"/".join(filter(None, (f, n))) for f in FOLDERS for n in NAMES]]
)
BYTES = st.one_of(st.binary(max_size=40), st.just(b"z" * 200))
MODES = st.sampled_from([0o644, 0o600, 0o755, 0o444, 0o000, 0o4755, 0o640])
CLOSED = st.sampled_from([0o644, 0o311, 0o111, 0o400, 0o000, 0o555])  # no x, no r, neither, no w
HERE, EXCHANGE = -100, 2
LIBC = ctypes.CDLL(None, use_errno=True)
EVENTS = Path("/proc/sys/fs/inotify/max_queued_events")
UNANNOUNCED = "no event had announced"


class TreeMachine(RuleBasedStateMachine):
    """One tree, its checkpoints, and what the oracle saw when each was made."""

    tracking = Tracking.AUTO
    by_ordinary_user = False
    lives = restores = sandboxes = 0  # of all machines of one kind

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="machine "))
        self.root = os.fsencode(self.home / "tree")
        os.mkdir(self.root)
        if self.by_ordinary_user:
            hand_over(self.home)
        type(self).lives += 1
        self.hidden = False  # whether something may have changed that makes no event
        # By number, not by id: ids depend on the clock, and the machine must always draw alike.
        self.seen = {}  # number -> picture
        self.ids = {}  # number -> snapshot id
        self.newest = 0
        self.told = []
        self.new_process()

    def teardown(self):
        """Removes the tree, whatever modes it has."""
        self.take_away(self.home)

    def take_away(self, path):
        """Removes a directory of the machine's own."""
        subprocess.run(["chmod", "-R", "u+rwX", path], check=False, capture_output=True)
        shutil.rmtree(path)

    @initialize(folders=st.sets(st.sampled_from(FOLDERS[1:])), luck=st.integers(1, 30))
    def start(self, folders, luck):
        """Begins with some directories."""
        self.may_flood = luck == 30 and self.tracking is Tracking.WATCH
        with self.acting():
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

    @rule(source=PATHS, data=BYTES, outside=st.booleans())
    def write_through_passing_link(self, source, data, outside):
        """Writes through a second name that is gone again."""
        name = b"../passing" if outside else b"passing"
        self.attempt(lambda: os.link(self.at(source), self.at(name), follow_symlinks=False))
        self.attempt(lambda: self.put(name, data, os.O_WRONLY | os.O_TRUNC))
        self.attempt(lambda: os.unlink(self.at(name)))
        self.hidden |= outside

    @rule(source=st.sampled_from(FOLDERS), data=BYTES, outside=st.booleans())
    def copy_as_links(self, source, data, outside):
        """Copies the files of a directory as hard links, writes to them, and removes the copy."""
        copy = b"../copy" if outside else b"copy"
        self.attempt(lambda: os.mkdir(self.at(copy)))
        for name in NAMES:
            self.copy_as_link(b"/".join(filter(None, (source, name))), copy + b"/" + name, data)
        self.attempt(lambda: self.remove(copy))
        self.hidden |= outside

    def copy_as_link(self, source, new, data):
        """Gives a file a second name and writes through that."""
        self.attempt(lambda: os.link(self.at(source), self.at(new), follow_symlinks=False))
        self.attempt(lambda: self.put(new, data, os.O_WRONLY | os.O_TRUNC))

    @rule(path=PATHS, data=BYTES)
    def link_open_file(self, path, data):
        """Writes a file without a name and gives it one."""
        with self.acting():
            fd = os.open(self.root, os.O_TMPFILE | os.O_WRONLY, 0o644)
        try:
            os.write(fd, data)
            with self.acting():
                self.attempt(
                    lambda: os.link(f"/proc/self/fd/{fd}", self.at(path), follow_symlinks=True)
                )
        finally:
            os.close(fd)

    @rule(first=ANYWHERE, second=ANYWHERE)
    def exchange(self, first, second):
        """Lets two entries take each other's place at once."""
        with self.acting():
            LIBC.renameat2(HERE, self.at(first), HERE, self.at(second), EXCHANGE)

    @rule(path=st.sampled_from(FOLDERS[1:]), mode=CLOSED)
    def close(self, path, mode):
        """Takes permissions of a directory away."""
        if os.path.isdir(self.at(path)) and not os.path.islink(self.at(path)):
            self.attempt(lambda: os.chmod(self.at(path), mode))

    @rule(path=st.sampled_from(FOLDERS[1:]), data=BYTES)
    def make_anew(self, path, data):
        """Removes a directory and makes it anew, as a rule with the same inode."""
        if os.path.isdir(self.at(path)) and not os.path.islink(self.at(path)):
            self.attempt(lambda: self.remove(path))
            self.attempt(lambda: os.mkdir(self.at(path)))
            self.attempt(lambda: self.put(path + b"/a", data, os.O_WRONLY | os.O_CREAT))

    @precondition(lambda self: self.may_flood)
    @rule()
    def flood(self):
        """Makes more events than the system keeps: nobody can tell any more what changed."""
        self.may_flood = False  # once in a life: it takes long
        top = os.open(self.root, os.O_RDONLY)
        bits = os.fstat(top).st_mode & 0o7777
        file = os.open(self.at(b"flood"), os.O_WRONLY | os.O_CREAT)
        for number in range(int(EVENTS.read_text()) // 2 + 1):
            os.fchmod(top, bits ^ (number % 2))
            os.fchmod(file, 0o600 + number % 2)
        os.fchmod(top, bits)
        for fd in (top, file):
            os.close(fd)
        os.unlink(self.at(b"flood"))

    @rule(path=PATHS, when=st.sampled_from(EDGES_NS))
    def touch_edge(self, path, when):
        """Sets a time at an edge of what can be told."""
        if self.is_file(path):
            self.attempt(lambda: os.utime(self.at(path), ns=(when, when)))

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
        full |= self.hidden  # what makes no event is found by a look at everything alone
        with self.acting(), self.archive.capture(self.roots, Filter(), full=full) as capture:
            self.newest = len(self.ids) + 1
            self.ids[self.newest] = capture.commit({"number": self.newest})
        self.check_told()
        self.seen[self.newest] = picture(self.root)

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def restore(self, data):
        """Goes back to any checkpoint: the tree is what the oracle saw then."""
        number = data.draw(st.sampled_from(sorted(self.seen)))
        snapshot = self.archive.load(self.ids[number])
        with self.acting():
            self.archive.restore(snapshot, self.roots, self.home / "staging")
        self.archive.wait_for_purging()
        self.check_told()
        type(self).restores += 1
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
        with self.acting():
            self.archive.sweep(lambda: live, [self.ids[number]])
        for left in live:
            assert not self.archive.damaged(self.archive.load(left))

    @rule(edits=st.lists(st.tuples(st.integers(0, 19), BYTES), max_size=4), path=PATHS, data=BYTES)
    def sandbox(self, edits, path, data):
        """Makes a sandbox of the tree, which is written to meanwhile; then writes to that."""
        try:
            with (
                self.acting(),
                self.archive.capture_once(self.home / "tree", Filter().excludes) as capture,
            ):
                made_of = self.archive.load(capture.commit({"kind": "base"}))
        except Refused:  # the user's own permissions are never changed
            return
        wanted, box, waiting = picture(self.root), self.home / "box", [*edits]
        roots = {"tree": box / "tree"}
        with self.acting():
            roots["tree"].mkdir(parents=True)
            with at_any_file(lambda: self.edit_one(waiting)):
                self.archive.fill(made_of, roots, box / "staging", self.home / "tree")
        assert_same(wanted, picture(roots["tree"]))
        self.attempt(lambda: self.put_at(os.fsencode(roots["tree"]) + b"/" + path, data))
        with self.acting():
            self.archive.restore(made_of, roots, box / "staging")
        assert_same(wanted, picture(roots["tree"]))
        self.archive.release(roots)
        self.take_away(box)
        type(self).sandboxes += 1

    def edit_one(self, edits):
        """Does the next of the edits to the tree, each of which changes or takes away a file."""
        there = [path for path in EVERY_PATH if self.is_file(path)]
        if edits and there:
            number, data = edits.pop()
            path = there[number % len(there)]
            flags = os.O_WRONLY | os.O_TRUNC
            self.attempt(lambda: self.put(path, data, flags) if data else self.remove(path))

    @rule()
    def new_process(self):
        """Knows only what is on the disk."""
        with self.acting():
            if hasattr(self, "archive"):
                self.archive.remember(self.roots)
            store = Store(self.home / "store")
        self.archive = Archive(store, self.tracking, self.told.append)
        self.roots = {"tree": self.home / "tree"}

    def acting(self):
        """The rights that everything happens with."""
        return ordinary_user() if self.by_ordinary_user else nullcontext()

    def check_told(self):
        """Nothing was told but what made no event; above all, what is to be watched is."""
        told = [line for line in self.told if not (self.hidden and UNANNOUNCED in line)]
        assert not told, told
        self.told.clear()
        self.hidden = False

    def at(self, path):
        """The whole path."""
        return self.root + b"/" + path

    def is_file(self, path):
        """Whether a regular file is there."""
        return os.path.isfile(self.at(path)) and not os.path.islink(self.at(path))

    def put(self, path, data, flags):
        """Writes to a file, never through a link and never into a FIFO."""
        self.put_at(self.at(path), data, flags)

    def put_at(self, path, data, flags=os.O_WRONLY | os.O_TRUNC):
        """The same at a whole path."""
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)

    def remove(self, path):
        """Deletes a file, a link, or a directory with everything in it."""
        self.remove_at(self.at(path))

    def remove_at(self, path):
        """The same at a whole path."""
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)

    def attempt(self, action):
        """Does what the present tree and its modes allow."""
        try:
            with self.acting():
                action()
        except OSError:
            return
