"""Checkpoints and rollbacks beside what others do: the rows that `benchmarks/peers.py` prints."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.trials.costs import GIT, Cost, agents, command, cost
from benchmarks.trials.place import Place
from benchmarks.trials.turns import Costs, kilobytes, round_trips, saves
from benchmarks.trials.ways import PEERS, Fresh, Running, Way, is_installed
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.tracker import Tracking

OURS = Running.name
CHANGED = 10
SOME = (1, CHANGED, 100)


class Row(NamedTuple):
    """What one thing takes in each way that does it, by the name of the way."""

    what: str
    unit: str
    values: dict[str, float]


def rows(home: Path, files: int, turns: int) -> Iterator[Row]:
    """All that is compared on a project of so many files."""
    place = Place(home, files)
    resident = _resident()
    shadow = place.shadow()
    peers = [way(home / f"peer{n}", shadow) for n, way in enumerate(PEERS) if is_installed(way)]
    yield from _first(place, peers)
    with place.held():
        place.pass_limit()
        yield from _running(place, peers, turns)
        place.app.tidy(place.plan_id)  # as a run does in the end, and the first command would do
    yield from _after_slow_steps(place, peers, turns)
    yield from _fresh(place, peers, turns)
    yield Row("memory of a process that runs a plan", "MB", {OURS: resident / 1e6})


def _first(place: Place, peers: Sequence[Way]) -> Iterator[Row]:
    """Everything is new to everybody; what follows finds it saved."""
    theirs = {way.name: [cost(way.save)] for way in peers}
    yield from _costs("first checkpoint", {OURS: [_captured(place)], **theirs})
    data = place.home / "first"
    command([*GIT, "gc", "-q"], place.project)()  # as a clone is
    run = agents(data, place.project, "run", str(place.action), "--format", "json")
    yield from _costs("`agents run`, first plan, with its sandbox", {OURS: [cost(run)], **theirs})
    shutil.rmtree(data)


def _captured(place: Place) -> Cost:
    archive = Archive(Store(place.home / "store"), Tracking.SCAN, print)

    def capture() -> None:
        with archive.capture({MAIN: place.tree}, Filter()) as found:
            found.commit({"plan": place.plan_id})

    return cost(capture)


def _running(place: Place, peers: Sequence[Way], turns: int) -> Iterator[Row]:
    ways = [Running(place), *peers]
    for count in (count for count in SOME if count <= place.files):
        found = saves(ways, place.files, count, turns)
        yield from _costs(f"checkpoint in a running plan, {count} changed", found)
    kept = kilobytes(ways, place.files, CHANGED, turns)
    yield Row(f"kept of it on the disk, {CHANGED} changed", "KB", kept)
    _, going_back = round_trips(ways, place.files, CHANGED, turns)
    yield from _costs(f"rollback in a running plan, {CHANGED} changed", going_back)


def _after_slow_steps(place: Place, peers: Sequence[Way], turns: int) -> Iterator[Row]:
    place.look_at_everything()
    with place.held():
        found = saves([Running(place), *peers], place.files, CHANGED, turns)
    yield from _costs(f"checkpoint after a slow step, {CHANGED} changed", found)


def _fresh(place: Place, peers: Sequence[Way], turns: int) -> Iterator[Row]:
    saving, going_back = round_trips([Fresh(place), *peers], place.files, CHANGED, turns)
    yield from _costs(f"`agents plan checkpoint create`, {CHANGED} changed", saving)
    yield from _costs(f"`agents plan rollback`, {CHANGED} changed", going_back)


def _costs(what: str, costs: Costs) -> Iterator[Row]:
    for unit, part in {"ms CPU": "cpu", "ms wall": "wall"}.items():
        middle = {
            name: median(getattr(one, part) for one in found) * 1000
            for name, found in costs.items()
        }
        yield Row(what, unit, middle)


def _resident() -> int:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
