"""Ways to save a tree and to go back: what others do, and ours, in a process or by command."""

import itertools
import shutil
import subprocess
import threading
from pathlib import Path
from typing import ClassVar

from benchmarks.trials.costs import GIT, changed, command
from benchmarks.trials.place import Place

EXACT_RSYNC = ["rsync", "-aHAX", "--modify-window=-1"]  # times to the nanosecond


class Way:
    """A way to save a tree and to go back; what it keeps lies in a directory of its own."""

    name: ClassVar[str]
    program: ClassVar[str]
    goes_back: ClassVar[bool] = True

    def __init__(self, home: Path, tree: Path) -> None:
        self.store, self.tree = home, tree
        self.restored = tree  # where files are as they were saved, after going back

    def get_ready(self) -> None:
        """Does what was done a moment ago where it is used, before anything changes."""

    def save(self) -> None:
        """Saves the tree as it is."""
        raise NotImplementedError

    def back(self) -> None:
        """Brings back what was saved last."""
        raise NotImplementedError

    def settle(self) -> None:
        """Waits for what is still done after the result is there."""

    def stored(self) -> int:
        """Returns the bytes that all it keeps takes on the disk, each file once."""
        line = ["du", "--summarize", "--block-size=1", self.store]
        return int(subprocess.run(line, check=True, capture_output=True).stdout.split()[0])


class Git(Way):
    """A repository beside the tree, as coding agents keep one."""

    name, program = "git commit", "git"
    settings: ClassVar[list[str]] = []

    def __init__(self, home: Path, tree: Path) -> None:
        super().__init__(home, tree)
        self._run("init", "-q")

    def save(self) -> None:
        self._run("add", "-A")
        self._run("commit", "-q", "--allow-empty", "-m", "turn")

    def back(self) -> None:
        self._run("reset", "-q", "--hard")
        self._run("clean", "-fdq")

    def _run(self, *words: str) -> None:
        place = [f"--git-dir={self.store}", f"--work-tree={self.tree}"]
        command([*GIT, *self.settings, *place, *words], self.tree)()


class GitTree(Git):
    """The same without a commit: the least that git needs to keep a tree."""

    name, goes_back = "git write-tree", False

    def save(self) -> None:
        self._run("add", "-A")
        self._run("write-tree")


class ManyFiles(Git):
    """Git as it is set for many files."""

    name = "manyFiles commit"
    settings: ClassVar = ["-c", "feature.manyFiles=true"]


class ManyFilesTree(GitTree):
    """The same, set for many files."""

    name = "manyFiles write-tree"
    settings: ClassVar = ManyFiles.settings


class Backup(Way):
    """A backup, which writes all files anew, into an empty directory beside the tree."""

    def __init__(self, home: Path, tree: Path) -> None:
        super().__init__(home / "repository", tree)
        self.restored = home / "restored"
        self._home = home
        home.mkdir()

    def back(self) -> None:
        self.extract()
        command(["sync", "-f", self.restored], self.restored)()

    def extract(self) -> None:
        """Writes what was saved last to where it shall be."""
        raise NotImplementedError


class Restic(Backup):
    """Restic, as it is without options."""

    name = program = "restic"

    def __init__(self, home: Path, tree: Path) -> None:
        super().__init__(home, tree)
        (home / "password").write_text("measured")
        self._run(home, "init")

    def save(self) -> None:
        self._run(self.tree, "backup", ".")

    def extract(self) -> None:
        self._run(self.restored, "restore", "latest", "--target", ".")

    def _run(self, where: Path, *words: str) -> None:
        place = ["--repo", self.store, "--cache-dir", self._home / "cache"]
        secret = ["--password-file", self._home / "password"]
        command(["restic", "--quiet", *place, *secret, *words], where)()


class Borg(Backup):
    """Borg without encryption."""

    name = program = "borg"

    def __init__(self, home: Path, tree: Path) -> None:
        super().__init__(home, tree)
        self._numbers = itertools.count()
        self._run(home, "init", "--encryption=none", str(self.store))

    def save(self) -> None:
        self._latest = f"{self.store}::{next(self._numbers)}"
        self._run(self.tree, "create", self._latest, ".")

    def extract(self) -> None:
        self._run(self.restored, "extract", self._latest)

    def _run(self, where: Path, *words: str) -> None:
        command(["borg", *words], where, BORG_BASE_DIR=self._home)()


class Rsync(Way):
    """A directory for each state, with links to what has not changed, synced as ours is."""

    name = program = "rsync"

    def __init__(self, home: Path, tree: Path) -> None:
        super().__init__(home, tree)
        self._numbers = itertools.count()
        self._latest = home / "none"
        home.mkdir()

    def save(self) -> None:
        target = self.store / str(next(self._numbers))
        self._copy(f"--link-dest={self._latest}", self.tree, target)
        self._latest = target

    def back(self) -> None:
        self._copy("--delete", self._latest, self.tree)

    def _copy(self, option: str, source: Path, target: Path) -> None:
        command([*EXACT_RSYNC, option, f"{source}/", f"{target}/"], self.store)()
        command(["sync", "-f", target], self.store)()


class Running(Way):
    """Ours in a running plan, which this process holds; its steps are quick."""

    name = program = "ours"

    def __init__(self, place: Place) -> None:
        super().__init__(place.data / "projects", place.tree)
        self._place = place

    def get_ready(self) -> None:
        """Makes a checkpoint: the others take so long that the next would be after a slow step."""
        changed(self.tree, self._place.files, 1, "before")
        self._place.checkpoint()

    def save(self) -> None:
        self._place.checkpoint()

    def back(self) -> None:
        self._place.rollback()

    def settle(self) -> None:
        for thread in threading.enumerate():  # removes what a rollback has put aside
            if thread.name == "purging":
                thread.join()


class Fresh(Way):
    """Ours by command, each in a process of its own."""

    name = program = "ours"

    def __init__(self, place: Place) -> None:
        super().__init__(place.data / "projects", place.tree)
        self._place = place

    def save(self) -> None:
        self._place.agents("plan", "checkpoint", "create", "@")()

    def back(self) -> None:
        self._place.agents("plan", "rollback", "@", "@", "--yes")()


PEERS: tuple[type[Way], ...] = (Git, GitTree, ManyFiles, ManyFilesTree, Restic, Borg, Rsync)


def is_installed(way: type[Way]) -> bool:
    """Tells whether its program is there."""
    return shutil.which(way.program) is not None
