"""The naive way, to show that the judge can see: the same commands in the order one writes first.

A row is written, then the files are copied; a rollback deletes and overwrites in place, then
updates the rows; a prune removes content, then rows. Nothing is recorded beforehand, so there is
nothing to recover from. It keeps its facts in tables of the names the judge reads.
"""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from faults.operations import CREATE, CREATE_NEXT, DELETE, ROLLBACK, Operation, Way

TABLES = """
CREATE TABLE plans (plan_id, number, phase, state, cursor, parent_plan_id);
CREATE TABLE sandboxes (sandbox_id, plan_id, path);
CREATE TABLE checkpoints (checkpoint_id, plan_id, seq INTEGER PRIMARY KEY, checkpoint_type, label);
CREATE TABLE step_runs (plan_id, seq, cursor, status, superseded_by);
CREATE TABLE decisions (plan_id, superseded_by);
CREATE TABLE operations (plan_id, kind, status);
"""
OPERATIONS = (
    Operation("naive checkpoint", "done", CREATE, (Way((), "dirty"), Way((CREATE,), "dirty"))),
    Operation("naive rollback", "done", ROLLBACK, (Way((), "dirty"), Way((ROLLBACK,), "1"))),
    Operation("naive delete", "done", DELETE, (Way((), "dirty"), Way((DELETE,), "dirty"))),
)
assert all(operation.next_line == CREATE_NEXT for operation in OPERATIONS)


class Naive:
    """Understands the few command lines that its operations need."""

    def run(self, arguments: Sequence[str]) -> int:
        """Runs one command line; returns its exit code."""
        _, data, *words = arguments
        with closing(sqlite3.connect(Path(data) / "cleveragents.db")) as connection:
            keeper = _Keeper(connection, Path(data))
            match words:
                case ["run", action]:
                    keeper.execute(Path(action))
                case ["plan", "checkpoint", "create", "@", "--label", label]:
                    keeper.save("manual", label)
                case ["plan", "rollback", "@", seq, "--yes"]:
                    keeper.roll_back(int(seq))
                case ["plan", "checkpoint", "delete", "@", seq, "--yes"]:
                    keeper.delete(int(seq))
                case ["plan", "status", "@"]:
                    keeper.status()
                case _:
                    raise ValueError(f"no such command: {words}")
        return 0

    def extract(self, project: Path, data: Path, plan: str, wanted: Mapping[int, Path]) -> None:
        """Copies checkpoints to where they are wanted."""
        del project, plan
        for seq, path in wanted.items():
            if (data / "store" / str(seq)).exists():
                _copy(data / "store" / str(seq), path)


class _Keeper:
    def __init__(self, connection: sqlite3.Connection, data: Path) -> None:
        self._connection = connection
        self._sandbox = data / "tree"
        self._store = data / "store"

    def execute(self, action: Path) -> None:
        self._connection.executescript(TABLES)
        with self._connection:
            self._connection.execute(
                "INSERT INTO plans VALUES ('p', 1, 'execute', 'queued', '0', NULL)"
            )
            self._connection.execute(
                "INSERT INTO sandboxes VALUES ('s', 'p', ?)", [str(self._sandbox)]
            )
        _copy(Path.cwd(), self._sandbox)
        self.save("pre_execute")
        for number, step in enumerate(json.loads(action.read_text())["steps"]):
            if "checkpoint" in step:
                self.save("manual", step["checkpoint"])
            command = ["/bin/sh", "-ec", step["with"]["command"]]
            subprocess.run(command, cwd=self._sandbox, check=True)
            with self._connection:
                self._connection.execute(
                    "INSERT INTO step_runs VALUES ('p', ?, ?, 'succeeded', NULL)",
                    [number, str(number)],
                )
                self._connection.execute("UPDATE plans SET cursor = ?", [str(number + 1)])
            self.save("tool")
        self.save("post_execute")

    def save(self, kind: str, label: str | None = None) -> None:
        with self._connection:
            cursor = self._connection.execute(
                "INSERT INTO checkpoints (plan_id, checkpoint_type, label) VALUES ('p', ?, ?)",
                [kind, label],
            )
            seq = cursor.lastrowid
            self._connection.execute(
                "UPDATE checkpoints SET checkpoint_id = seq WHERE seq = ?", [seq]
            )
        _copy(self._sandbox, self._store / str(seq))

    def roll_back(self, seq: int) -> None:
        self.save("safety")
        wanted = self._store / str(seq)
        for path in sorted(self._sandbox.rglob("*"), reverse=True):
            if path.is_symlink() or not path.is_dir():
                path.unlink()
            else:
                path.rmdir()
        _copy(wanted, self._sandbox)
        with self._connection:
            self._connection.execute("UPDATE plans SET state = 'queued', cursor = ?", [seq - 1])
            self._connection.execute(
                "UPDATE step_runs SET superseded_by = 'r' WHERE seq >= ?", [seq - 1]
            )
        self.save("rollback")

    def delete(self, seq: int) -> None:
        shutil.rmtree(self._store / str(seq))
        with self._connection:
            self._connection.execute("DELETE FROM checkpoints WHERE seq = ?", [seq])

    def status(self) -> None:
        print(self._connection.execute("SELECT * FROM plans").fetchall())


def _copy(source: Path, target: Path) -> None:
    """Copies a tree, hard links as such: the naive order is at fault here, not a naive copy."""
    copies: dict[int, str] = {}

    def copy_file(old: str, new: str) -> str:
        first = copies.setdefault(os.stat(old).st_ino, new)
        if first == new:
            return shutil.copy2(old, new)
        os.link(first, new)
        return new

    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, copy_function=copy_file)
