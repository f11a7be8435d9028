"""Several ways to save a tree and to go back, taken in turn; where each leads is looked at."""

import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from benchmarks.trials.costs import Cost, changed, cost, names
from benchmarks.trials.ways import Way

Costs: TypeAlias = dict[str, list[Cost]]  # of each way, by its name, turn by turn


def saves(ways: Sequence[Way], files: int, count: int, turns: int) -> Costs:
    """What it costs to save after so many files have changed."""
    costs: Costs = defaultdict(list)
    for turn in range(turns):
        _save(ways, files, count, f"turn {turn}", costs)
    return costs


def round_trips(ways: Sequence[Way], files: int, count: int, turns: int) -> tuple[Costs, Costs]:
    """The same, and what it costs to go back after as many have changed again."""
    saving: Costs = defaultdict(list)
    going_back: Costs = defaultdict(list)
    for turn in range(turns):
        _save(ways, files, count, f"there {turn}", saving)
        wanted = {way.tree: _contents(way.tree, files, count) for way in ways}
        for way in ways:
            if way.goes_back:
                changed(way.tree, files, count, f"away {turn}")
                going_back[way.name].append(_go_back(way))
                assert _contents(way.restored, files, count) == wanted[way.tree], way.name
    return saving, going_back


def kilobytes(ways: Sequence[Way], files: int, count: int, turns: int) -> dict[str, float]:
    """What saving after so many files have changed adds on the disk."""
    before = {way.name: way.stored() for way in ways}
    for turn in range(turns):
        _change(ways, files, count, f"kept {turn}")
        for way in ways:
            way.save()
    return {way.name: (way.stored() - before[way.name]) / turns / 1000 for way in ways}


def _save(ways: Sequence[Way], files: int, count: int, text: str, costs: Costs) -> None:
    for way in ways:
        way.get_ready()
    _change(ways, files, count, text)
    for way in ways:
        costs[way.name].append(cost(way.save))


def _change(ways: Sequence[Way], files: int, count: int, text: str) -> None:
    for tree in {way.tree for way in ways}:
        changed(tree, files, count, text)


def _go_back(way: Way) -> Cost:
    if way.restored != way.tree:
        shutil.rmtree(way.restored, ignore_errors=True)
        way.restored.mkdir()
    return cost(way.back, way.settle)


def _contents(tree: Path, files: int, count: int) -> list[bytes]:
    return [(tree / name).read_bytes() for name in names(files, count)]
