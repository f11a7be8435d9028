"""Mutants: the product with one of its precautions taken out; every one of them must be caught."""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from faults import ROOT

KILLS = ("-m", "faults", "kills", "--first", "--workers", "1")
ORDER = ("-m", "faults", "order")
TIMEOUT = 600


@dataclass(frozen=True)
class Mutant:
    """A precaution, how to take it out, and who must notice."""

    name: str
    file: str  # below src/cleveragents
    changes: tuple[tuple[str, str], ...]  # a text that is there exactly once, and what replaces it
    noticed_by: tuple[str, ...]  # arguments of python


def _kills(operation: str, at: str, points: int = 20) -> tuple[str, ...]:
    """Kills where the mutant would be hurt: elsewhere it is as good as the product."""
    return (*KILLS, "--operation", operation, "--at", at, "--points", str(points))


def _features(file: str, scenario: str) -> tuple[str, ...]:
    """Scenarios that every run of the tests has."""
    return ("-m", "behave", "--format", "null", f"features/{file}.feature", "--name", scenario)


RESTORE = "        restored = place.bring_to(goal.snapshot, goal.saved, way)\n"
CLOSE_THEN_RESTORE = f"""\
        with self._database.writing(place.held) as connection:
            OperationRepository(connection).close(operation.operation_id, Status.DONE, {{}})
{RESTORE}"""
RECORD = """\
            self._append_record(connection, operation, goal.checkpoint)
"""
CLOSE_THEN_RECORD = f"""\
            OperationRepository(connection).close(operation.operation_id, status, {{}})
        with self._database.writing(held) as connection:
{RECORD}"""
FINISH = "        self.size_bytes = self._pack.seal(identity)\n"
# What is thrown away unless it was finished is thrown away after the row was written.
FINISH_LAST = "        self._pack.discard = lambda: self._pack.seal(identity)\n"
REWRITE = "                self._rewrite(pack, live)\n"
UNLINK = "            pack.path.unlink()\n"
NO_ROOM = "                break  # it stays whole until there is room for its rest\n"
SAVE = "            operation = self._open(held, plan, goal, document, safety, stack)\n"
NO_SAVE = f"""\
            latest = self._reads.list_checkpoints(plan.plan_id)[-1]
            safety = SafetyCheckpoint(latest, is_recorded=True)
{SAVE}"""
NOT_READ_BACK = (
    "            safety = SafetyCheckpoint(taken.stored(), is_recorded=taken.is_latest)\n"
)
TELL = "        self._saving.tell(taken)\n"
GO_BACK = """\
        self._checkpoints.roll_back(held, start, ending=Ending(RUNNING))
"""
UPGRADE = '            command.upgrade(config, "head")\n'
UPGRADE_APART = f"""\
            connection.exec_driver_sql("COMMIT")
{UPGRADE}\
            connection.exec_driver_sql("BEGIN")
"""

# Name, file, texts that are there exactly once with what replaces them, who must notice.
MUTANTS = (
    Mutant(
        "packs are not synced",
        "snapshots/store/pack.py",
        (("        os.fsync(self._fd)\n", ""),),
        ORDER,
    ),
    Mutant(
        "names of packs are not synced",
        "snapshots/store/pack.py",
        (("        sync_directory(self._directory)\n", ""),),
        ORDER,
    ),
    Mutant(
        "a restored sandbox is not synced",
        "snapshots/archive.py",
        (("            sync_file_system(path)\n", "            del path\n"),),
        ORDER,
    ),
    Mutant(
        "a complete plan's files are not synced",
        "engine/run/execute.py",
        (("        sync_file_system(sandbox.path)", "        sandbox.path"),),
        ORDER,
    ),
    Mutant(
        "transactions are not synced",
        "storage/database.py",
        (("synchronous=FULL", "synchronous=OFF"), ("synchronous=EXTRA", "synchronous=OFF")),
        ORDER,
    ),
    Mutant(
        "the row is written before its content",
        "snapshots/capture.py",
        ((FINISH, FINISH_LAST),),
        _kills("checkpoint", "fdatasync.*cleveragents.db-"),
    ),
    Mutant(
        "the intent is closed before the files are restored",
        "engine/back/rollback.py",
        ((RESTORE, CLOSE_THEN_RESTORE),),
        _kills("rollback", "/sandboxes/", 5),
    ),
    Mutant(
        "the intent is closed apart from what it means for the plan",
        "engine/back/rollback.py",
        ((RECORD, CLOSE_THEN_RECORD),),
        _kills("rollback", "cleveragents.db-", 40),
    ),
    Mutant(
        "no safety checkpoint is taken",
        "engine/back/checkpoint_acts.py",
        ((SAVE, NO_SAVE), (TELL, "")),
        _kills("rollback", "/sandboxes/", 5),
    ),
    Mutant(
        "recovery leaves open what it finds",
        "engine/hold/ownership.py",
        (("        for operation in waiting:\n", "        for operation in waiting[:0]:\n"),),
        _kills("rollback", "/sandboxes/", 5),
    ),
    Mutant(
        "a restore is not looked at again",
        "snapshots/archive.py",
        (("            self._verify(snapshot, roots, kept, staging_fd)\n", ""),),
        _features("faults", "a file that was not put in its place"),
    ),
    Mutant(
        "stored content is not verified before a restore",
        "snapshots/archive.py",
        (("    refuse_lost(way, verifier)\n", ""),),
        _features("rollback_recovery", ""),
    ),
    Mutant(
        "what goes is not read back before a rollback",
        "engine/back/checkpoint_acts.py",
        (("            safety = taken.secure(way.changes)\n", NOT_READ_BACK),),
        ("-m", "behave", "--format", "null", "features/rollback_recovery.feature"),
    ),
    Mutant(
        "what goes is not read back before a sandbox is removed",
        "engine/back/saving.py",
        (("            safety = taken.secure(going)\n", NOT_READ_BACK),),
        ("-m", "faults", "damage", "--operation", "prune", "--points", "6"),
    ),
    Mutant(
        "an old pack goes before its rest is kept elsewhere",
        "snapshots/store/store.py",
        ((REWRITE, f"    {UNLINK}{REWRITE}"), (NO_ROOM + UNLINK, NO_ROOM)),
        _kills("prune", "/packs/"),
    ),
    Mutant(
        "a sweep takes what is live",
        "snapshots/store/store.py",
        (
            ("            roots = live()\n", "            roots = set[bytes]()\n"),
            ("ORPHAN_GRACE_SECONDS = 24 * 3600", "ORPHAN_GRACE_SECONDS = 0"),
        ),
        _kills("prune", "/packs/"),
    ),
    Mutant(
        "a plan goes on with what its dead run left",
        "engine/run/resume.py",
        ((GO_BACK, ""),),
        _kills("resume", "/sandboxes/", 4),
    ),
    Mutant(
        "a migration is not one transaction",
        "storage/migrations/__init__.py",
        ((UPGRADE, UPGRADE_APART),),
        _kills("migrate", "cleveragents.db"),
    ),
    Mutant(
        "the checkpoint that is due before a tool is left out",
        "engine/run/tool_step.py",
        (("        if saved is None and not declared.read_only:\n", "        if not declared:\n"),),
        _features("sandbox_checkpoints", "one trigger by itself"),
    ),
    Mutant(
        "the line is not closed around what is forgotten",
        "checkpoints/checkpoint.py",
        (("        self.relink(closed_around(parents, gone))\n", "        del parents\n"),),
        _features("checkpoint_lines", ""),
    ),
    Mutant(
        "what a crash left without a row goes at once",
        "snapshots/store/store.py",
        (("ORPHAN_GRACE_SECONDS = 24 * 3600", "ORPHAN_GRACE_SECONDS = 0"),),
        _features("store", "what a crash left without a row is kept"),
    ),
    Mutant(
        "something else is done than what was shown",
        "checkpoints/shown.py",
        (("    if shown not in (None, now):\n", "    if not now:\n"),),
        _features("apply", "what changed while the question stood"),
    ),
    Mutant(
        "an edit made meanwhile is no reason to leave it alone",
        "snapshots/write/way_back.py",
        (
            ("dict.fromkeys(way.differing())\n", "dict[bytes, None]()\n"),
            (" or _named(error, way)\n", "\n"),  # what is met on the way says the same
        ),
        _features("apply_recovery", "an edit after a crash"),
    ),
    Mutant(
        "what is written into a sandbox while an act is under way is replaced",
        "sandbox/workplace.py",
        (("        if edited == {}:\n", "        if edited != 0:\n"),),
        _features("meanwhile", ""),
    ),
    Mutant(
        "what leaves its place in an apply is not compared",
        "snapshots/write/exchange.py",
        (("        return same(found, change.before)\n", "        return True\n"),),
        _features("apply_recovery", "between the last look"),
    ),
    Mutant(
        "nobody owns the project while it is applied to",
        "engine/bring/application.py",
        (("self._locks.own(project_id, ", "self._locks.own(f'{time.time_ns()}', "),),
        _features("apply_recovery", "only one applies at a time"),
    ),
    Mutant(
        "nobody owns a plan",
        "storage/lock.py",
        (("            fcntl.flock(", "            (lambda *_: None)("),),
        ("-m", "faults", "crowd"),
    ),
)


@dataclass(frozen=True)
class Tested:
    """What became of a mutant."""

    mutant: Mutant
    caught: bool
    how: str


def run(names: Sequence[str]) -> list[Tested]:
    """Tests all mutants, or those whose name holds one of the words."""
    chosen = [one for one in MUTANTS if not names or any(name in one.name for name in names)]
    return [_test(mutant) for mutant in chosen]


def changed(mutant: Mutant) -> str:
    """Returns the source of a mutant; a ValueError tells that the code is not what it was."""
    text = (ROOT / "src" / "cleveragents" / mutant.file).read_text()
    for old, new in mutant.changes:
        if text.count(old) != 1:
            raise ValueError(f"stale: {old!r} is there {text.count(old)} times")
        text = text.replace(old, new)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"no program any more: {error}") from error
    return text


def _test(mutant: Mutant) -> Tested:
    with tempfile.TemporaryDirectory(prefix="mutant ") as home:
        source = Path(home) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            text = changed(mutant)
        except ValueError as stale:
            return Tested(mutant, caught=False, how=str(stale))
        (source / "cleveragents" / mutant.file).write_text(text)
        done = subprocess.run(
            [sys.executable, *mutant.noticed_by],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    # A suite that breaks down has noticed nothing.
    caught = done.returncode != 0 and "Traceback" not in done.stderr
    return Tested(mutant, caught, _symptom(done.stderr, done.stdout))


def _symptom(*outputs: str) -> str:
    """The first thing that was told, without its details."""
    lines = [line.strip() for output in outputs for line in output.splitlines()]
    silent = ("LOG_", "|", "USING RUNNER", "Failing scenarios")
    telling = [line for line in lines if line and not line.startswith(silent)]
    return telling[0].partition("(")[0][:100] if telling else ""
