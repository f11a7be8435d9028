"""Solves conflicts: the version somebody chose goes into the sandbox and closes the conflict."""

import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

from cleveragents.checkpoints.saving import Wanted
from cleveragents.checkpoints.service import CheckpointService, Own
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.errors import InvalidInput, NotFound, Refused
from cleveragents.ids import new_id
from cleveragents.plans.conflict import CHILD, PARENT, Conflict, ConflictRepository
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.content import CHUNK
from cleveragents.snapshots.filter import Filter
from cleveragents.snapshots.manifest import Entry, object_id
from cleveragents.storage.database import Database

NEW_FILE = stat.S_IFREG | 0o644


class ConflictService:
    """The open conflicts of plans."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        checkpoints: CheckpointService,
        own: Own,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._checkpoints = checkpoints
        self._own = own

    def open(self, plan_id: str) -> Sequence[Conflict]:
        """Returns what nobody has solved yet, by path."""
        with self._database.unit_of_work() as connection:
            return ConflictRepository(connection).open(plan_id)

    def resolve(self, plan_id: str, path: str, take: str) -> Conflict:
        """Puts the parent's or the child's version, or a file, in place; closes the conflict.

        A crash between the two leaves the conflict open, to be solved again.
        """
        with self._own(plan_id, f"solving the conflict in {path}"):
            conflict = self._find(plan_id, path)
            entry, contents = _taken(conflict, take)
            plan = self._plan(plan_id)
            sandbox = self._sandboxes.require(plan_id)
            archive = self._sandboxes.archive(plan.project_id)
            with archive.capture(sandbox.roots, Filter()) as capture:
                present = archive.load(capture.commit({"kind": "conflict", "plan_id": plan_id}))
            solved = archive.with_entries(present, {conflict.path: entry}, contents)
            target = archive.keep_merge(solved, {"kind": "conflict", "plan_id": plan_id})
            archive.restore(archive.load(target), sandbox.roots, sandbox.staging)
            with self._database.unit_of_work() as connection:
                ConflictRepository(connection).close(conflict.conflict_id, new_id(), take)
            self._checkpoint(plan, path)
            return conflict

    def _find(self, plan_id: str, path: str) -> Conflict:
        for conflict in self.open(plan_id):
            if conflict.path == os.fsencode(path):
                return conflict
        raise NotFound(
            f"no open conflict in {path}", hints=[f"see: agents plan conflicts {plan_id}"]
        )

    def _checkpoint(self, plan: Plan, path: str) -> None:
        if plan.action.rollback.enabled:
            wanted = Wanted(CheckpointType.MANUAL, f"solved the conflict in {path}")
            self._checkpoints.create_checkpoint(plan.plan_id, wanted)

    def _plan(self, plan_id: str) -> Plan:
        with self._database.unit_of_work() as connection:
            return PlanRepository(connection).get(plan_id)


def _taken(conflict: Conflict, take: str) -> tuple[Entry | None, Sequence[bytes]]:
    """Returns what is to stand at the path, and content that is not stored yet."""
    if take in (PARENT, CHILD):
        version = conflict.versions[take]
        return None if version is None else version._replace(link=b""), ()
    file = Path(take)
    if not file.is_file():
        raise InvalidInput(f"--take is parent, child or a file; {take} is none of them")
    data = file.read_bytes()
    if len(data) > CHUNK:
        raise Refused(
            f"{take} is larger than {CHUNK} bytes",
            hints=["take parent or child, and put the file into the sandbox afterwards"],
        )
    model = conflict.versions[CHILD] or conflict.versions[PARENT]
    mode = model.mode if model is not None and model.is_file else NEW_FILE
    return Entry(mode, len(data), time.time_ns(), object_id(data)), [data]
