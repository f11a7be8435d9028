"""The stage: a room with the states that operations start from, and what each must look like."""

import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from alembic import command
from alembic.config import Config
from oracle import picture
from sqlalchemy import create_engine

from cleveragents.storage import migrations
from cleveragents.storage.database import SCHEMA
from faults import story
from faults.facts import read
from faults.room import Room, copy
from faults.story import Picture
from faults.tracing import Injection

FIRST_SCHEMA = "0001"
NEW = "new"  # the project as nothing has touched it yet
# What the checkpoints of these hold is not known beforehand.
OTHER_STORIES = ("made", "decided", "merging", "contested", "failed")
TREE_OF_ROW = {
    1: "0",
    2: "1",
    3: "2",
    4: "2",
    5: "3",
    6: "3",
}  # which tree each checkpoint must hold

WENT_TO = {"rolled back": "1", "undone": "2"}  # the tree that a checkpoint of going back holds


class Stage:
    """Everything a worker needs to break an operation again and again."""

    def __init__(self, room: Room, *, repository: bool = False) -> None:
        self.room = room
        trees = story.tell(self.room)
        if repository:
            story.shell(story.REPOSITORY, self.room.project)
        self.trees: dict[str, Picture] = {str(n): seen for n, seen in enumerate(trees)}
        self.trees |= story.tell_of_choices(self.room)
        self.project = picture(self.room.project)
        self.edited: dict[str, Picture] = {}  # the project as its user has edited it, by start
        self.merged: dict[str, Picture] = {}  # that without what an apply had brought, by start
        self.room.keep_project(NEW)
        self.saved: dict[str, dict[str, str]] = {}  # start -> checkpoint id -> name of its tree
        self._makers: Mapping[str, Callable[[], None]] = {
            "done": self._run_to_the_end,
            "torn": self._tear,
            "interrupted": self._interrupt,
            "old": self._age,
            "nothing": lambda: None,
            "applied": self._apply,
            "rolled back": lambda: self._do("plan rollback @ 2 --yes"),
            "undone": lambda: self._do("undo --yes"),
            "conflicted": self._conflict,
            "merging": lambda: self._edit("merging", story.MINE),
            "contested": lambda: self._edit("contested", story.CONTESTED),
            "failed": self._fail,
            "moved": self._move,
            "made": lambda: self.room.must("plan use ../fan.yaml"),
            "decided": lambda: self.room.must("run ../fan.yaml"),
        }

    def start(self, name: str) -> None:
        """Puts the room into a state that operations start from, made once and kept."""
        if name not in self.saved:
            self.room.clear()
            self.room.put_project_back(NEW)
            self._makers[name]()
            self.saved[name] = self._known_rows(name)
            self.room.keep(name)
        self.room.put_back(name)

    def tree(self) -> Picture:
        """What the sandbox holds now; nothing at all if it was removed, or never made."""
        sandbox = self.room.sandbox
        return picture(sandbox, without=[b".git"]) if sandbox.exists() else {}

    def project_now(self) -> str:
        """Names the state of the user's project; times count where nothing may have changed."""
        now = picture(self.room.project)
        if now == self.project:
            return "as it was"
        if _without_links(now) == _without_links(self.project):
            return "? as it was, but hard links are copies"
        if now in self.edited.values():
            return "as its user left it"
        if _of_git(now) != _of_git(self.project):
            return "? its repository was touched"
        results = {name: self.trees[name] for name in ("3", "dirty") if name in self.trees}
        for name, files in {"back": self.project, **results, **self.merged}.items():
            if _timeless(now) == _timeless(files):
                return name
        return "? neither as it was nor as it is to be"

    def remove(self) -> None:
        """Removes everything."""
        self.room.remove()

    def _run_to_the_end(self) -> None:
        self.room.must("run ../action.yaml")
        story.shell(story.settled(story.DIRTY), self.room.sandbox)
        self.trees["dirty"] = self.tree()

    def _known_rows(self, name: str) -> dict[str, str]:
        there = (self.room.data / "cleveragents.db").exists()
        rows = read(self.room).rows if there and name not in OTHER_STORIES else ()
        later = "3" if name in ("applied", "conflicted", "moved") else "dirty"
        trees = {row.checkpoint_id: TREE_OF_ROW.get(row.seq, later) for row in rows}
        went = {row.checkpoint_id for row in rows if row.kind == "rollback"}
        return trees | dict.fromkeys(went, WENT_TO.get(name, ""))

    def _do(self, line: str) -> None:
        """Goes on from a plan that was run to its end."""
        self.start("done")
        self.room.must(line)

    def _apply(self) -> None:
        self.room.must("run ../action.yaml --apply --yes")

    def _conflict(self) -> None:
        """Lets the user and the plan change the same file; then somebody merges it by hand."""
        self.room.must("run ../action.yaml")
        story.shell(story.settled("printf 'mine\\n' > a.txt"), self.room.project)
        edited = self.edited["conflicted"] = picture(self.room.project)
        self.room.must("plan refresh @ --yes")
        story.shell(story.settled("printf 'first\\nmine\\n' > a.txt"), self.room.sandbox)
        merged = self.trees["merged by hand"] = self.tree()
        self.trees["taken"] = {**merged, b"a.txt": edited[b"a.txt"]}

    def _edit(self, name: str, edit: str) -> None:
        """Lets the user edit what an apply has brought: elsewhere in a file, or in its place."""
        story.write_change(self.room)
        story.shell(story.settled(story.TEXT), self.room.project)
        self.trees["changed"] = story.replay(self.room, f"replay-{name}", [story.CHANGE])[-1]
        self.merged[f"back, {name}"] = story.replay(self.room, f"merged-{name}", [edit])[-1]
        self.room.must("run ../change.yaml --apply --yes")
        story.shell(story.settled(edit), self.room.project)
        self.edited[name] = picture(self.room.project)

    def _fail(self) -> None:
        """Lets a plan fail at its second step, and somebody mend its action file."""
        broken = story.write_broken(self.room)
        if self.room.run(f"run ../{broken.name}") != 1:
            raise AssertionError(f"the plan did not fail: {self.room.said}")
        broken.write_bytes(story.action(self.room).read_bytes())

    def _move(self) -> None:
        """Runs a plan on the project in another place, from where it was moved since."""
        was = self.room.home / "was"
        copy(self.room.project, was)
        self.room.must("--project ../was run ../action.yaml")
        shutil.rmtree(was)

    def _tear(self) -> None:
        """Kills a rollback half-way through its files."""
        self.start("done")
        line = "plan rollback @ 2 --yes"
        sandbox = str(self.room.sandbox)
        calls = [call for call in self.room.calls(line) if call.changes and sandbox in call.text]
        self.start("done")
        self.room.trace(line, Injection(calls[len(calls) // 2], "signal=SIGKILL"))
        facts, tree = read(self.room), self.tree()
        if facts.unfinished != ("rollback",) or tree in (self.trees["1"], self.trees["dirty"]):
            raise AssertionError("the rollback was not torn")

    def _interrupt(self) -> None:
        """Kills the program while its second step runs."""
        self.room.run_killed("CLEVERAGENTS_SANDBOX_PASS_ENV=WAIT run ../action.yaml", "WAIT")
        self.trees["half"] = self.tree()
        if self.trees["half"] in (self.trees["1"], self.trees["2"]):
            raise AssertionError("the plan was not interrupted half-way through its second step")

    def _age(self) -> None:
        """Makes a database of the first schema with the rows of today's, as far as it had them."""
        self.start("done")
        today, old = self.room.data / "cleveragents.db", self.room.data / "old.db"
        upgrade_to(FIRST_SCHEMA, old)
        with closing(sqlite3.connect(old)) as connection, connection:
            connection.execute("ATTACH ? AS today", [str(today)])
            copy_rows(connection)
        old.replace(today)
        for left in self.room.data.glob("cleveragents.db-*"):
            left.unlink()
        (self.room.data / "head").unlink(missing_ok=True)  # the first schema knew of none


def _of_git(files: Picture) -> Picture:
    return {path: seen for path, seen in files.items() if _is_git(path)}


def _timeless(files: Picture) -> Picture:
    """Files without git's own, times and hard links: an apply gives new content a new one."""
    kept = {path: seen for path, seen in files.items() if not _is_git(path)}
    return {path: replace(seen, mtime=None) for path, seen in _without_links(kept).items()}


def _without_links(files: Picture) -> Picture:
    return {path: replace(seen, links=frozenset()) for path, seen in files.items()}


def _is_git(path: bytes) -> bool:
    return path == b".git" or path.startswith(b".git/")


def is_newer_schema_there() -> bool:
    """Whether there is anything to migrate from yet."""
    return SCHEMA != FIRST_SCHEMA


def upgrade_to(revision: str, path: Path) -> None:
    """Makes an empty database of an older schema with Alembic's own command."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()


def copy_rows(connection: sqlite3.Connection) -> None:
    """Copies what both databases have columns for."""
    tables = connection.execute(
        "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name != 'alembic_version'"
    )
    for (table,) in tables.fetchall():
        shared = ", ".join(columns(connection, "main", table) & columns(connection, "today", table))
        connection.execute(
            f"INSERT INTO main.{table} ({shared}) SELECT {shared} FROM today.{table}"
        )


def columns(connection: sqlite3.Connection, schema: str, table: str) -> set[str]:
    """The columns of a table."""
    return {row[1] for row in connection.execute(f"PRAGMA {schema}.table_info({table})")}
