"""A crowd: eight processes on one plan and one project, one of them stopped and woken again.

Their clocks are moved back and forth by days meanwhile. What each was told is held
against what is there in the end: the rows, in their order, must tell one story of the tree in which
everything that was reported has happened, and nothing that was refused.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from oracle import picture

from faults import ROOT, clock, member
from faults.facts import read
from faults.member import Told
from faults.product import Product
from faults.room import Room, import_everything
from faults.stage import Stage

MEMBERS = 8
STOPPED_SECONDS = 0.5
DAY = 24 * 3600
CLOCKS = (0, -3 * DAY, 2 * DAY, -40 * DAY, 3600, -300)  # seconds off, one after the other
NEWEST = 4  # the newest checkpoint cannot be deleted: that is refused


@dataclass(frozen=True)
class Gathered:
    """What a crowd did, and what is wrong with what it left."""

    told: tuple[Told, ...]
    stops: int
    problems: tuple[str, ...]


def run(seed: int) -> Gathered:
    """Lets the crowd loose and looks at what it left."""
    import_everything()
    with tempfile.TemporaryDirectory(prefix="crowd ") as home:
        stage = Stage(Room(Path(home) / "room", Product()))
        stage.start("done")
        plan_id = stage.room.sql("SELECT plan_id FROM plans")[0][0]
        clock.set_off(member.clock_of(stage.room), CLOCKS[0])
        names = [f"seed{seed}m{number}" for number in range(MEMBERS)]
        members = [_start(stage.room, plan_id, name) for name in names]
        stops = _disturb(stage.room, members)
        told = [
            Told(**json.loads(line))
            for name in names
            for line in _heard(stage.room, name).read_text().splitlines()
        ]
        problems = [*_unfinished(members), *_untold(stage, plan_id, told), *_story(stage, plan_id)]
        return Gathered(tuple(told), stops, tuple(problems))


def _heard(room: Room, name: str) -> Path:
    return room.home / f"heard-{name}"


def _start(room: Room, plan_id: str, name: str) -> subprocess.Popen[bytes]:
    with _heard(room, name).open("wb") as heard:
        return subprocess.Popen(
            [sys.executable, "-m", "faults.member", room.home, plan_id, name],
            cwd=ROOT,
            stdout=heard,
        )


def _disturb(room: Room, members: Sequence[subprocess.Popen[bytes]]) -> int:
    """Moves clocks, and stops what the first member is doing, until all are done."""
    stops = 0
    while any(one.poll() is None for one in members):
        clock.set_off(member.clock_of(room), CLOCKS[stops % len(CLOCKS)])
        for pid in _children(members[0].pid) if members[0].poll() is None else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                time.sleep(STOPPED_SECONDS)
                os.kill(pid, signal.SIGCONT)
                stops += 1
        time.sleep(STOPPED_SECONDS / 4)
    return stops


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _unfinished(members: Sequence[subprocess.Popen[bytes]]) -> Iterator[str]:
    for one in members:
        if one.returncode:
            yield f"a member ended with {one.returncode}"


def _untold(stage: Stage, plan_id: str, told: Sequence[Told]) -> Iterator[str]:
    """Compares what members were told with the rows that are there."""
    for one in told:
        if one.code not in (0, NEWEST):
            yield f"{one.kind} ended with {one.code}: {one.said}"
    before = stage.saved["done"]
    rows = [row for row in read(stage.room, plan_id).rows if row.checkpoint_id not in before]
    there = Counter(row.label for row in rows if row.label)
    done = {
        kind: {one.label for one in told if one.kind == kind and one.counts}
        for kind in member.CHANCES
    }
    for label in there.keys() | done["create"]:
        expected = label in done["create"] and label not in done["delete"]
        if there[label] != expected:
            yield f"checkpoint {label}: {there[label]} rows instead of {int(expected)}"
    recorded = sum(row.kind == "rollback" for row in rows)
    if recorded != len(done["rollback"]):
        yield f"{len(done['rollback'])} rollbacks were reported, {recorded} are recorded"
    plans = stage.room.sql("SELECT number FROM plans ORDER BY number")
    if plans != [(number + 1,) for number in range(len(done["run"]) + 1)]:
        yield f"{len(done['run'])} more plans were reported; there are {plans}"


def _story(stage: Stage, plan_id: str) -> Iterator[str]:
    """Follows the tree through the rows in their order, up to what the sandbox holds now."""
    stage.room.must(f"plan checkpoint create {plan_id} --label last")
    stage.room.must("plan checkpoint verify --all")
    facts = read(stage.room, plan_id)
    paths = stage.room.extract((row.seq for row in facts.rows), plan_id)
    trees = {seq: picture(path) for seq, path in paths.items()}
    now = stage.trees["dirty"]
    for row in facts.rows:
        tree = trees.get(row.seq)
        if row.checkpoint_id in stage.saved["done"]:
            now_or_then = stage.trees[stage.saved["done"][row.checkpoint_id]]
        else:
            now_or_then = now = tree if row.kind == "rollback" else now
        if tree is None or tree != now_or_then:
            yield f"checkpoint {row.seq} ({row.kind}) does not hold what was there at its time"
    if facts.unfinished:
        yield f"unfinished: {facts.unfinished}"
    for check in ("integrity_check", "foreign_key_check"):
        if (answer := stage.room.sql(f"PRAGMA {check}")) not in ([], [("ok",)]):
            yield f"{check}: {answer}"
