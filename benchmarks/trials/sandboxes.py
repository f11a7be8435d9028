"""Making sandboxes beside `cp -a`."""

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.trials.costs import command, cpu, project
from benchmarks.trials.place import ACTION
from cleveragents.app import App

FEW = 10_000
LATER = 3


def made(home: Path, files: int) -> Iterator[tuple[str, float]]:
    """The sandbox of the first plan of a project, and those of later ones."""
    for count, told in {FEW: "10,000", files: "many"}.items():
        place = home / str(count)
        source = project(place / "project", count)
        copying = min(cpu(_copy(source, place, turn)) for turn in range(LATER))
        costs = _costs(place, source)
        yield f"sandbox of {told} files, first plan / cp -a", costs[0] / copying
        yield f"sandbox of {told} files, later plans / cp -a", min(costs[1:]) / copying


def _costs(place: Path, source: Path) -> list[float]:
    action = place / "action.yaml"
    action.write_text(ACTION)
    found: list[float] = []
    for _ in range(LATER + 1):
        app = App(source, data_dir=place / "data")
        plan = app.use(action, {})
        found.append(cpu(lambda app=app, plan=plan: app.execute.run(plan.plan_id)))
    return found


def _copy(source: Path, place: Path, turn: int) -> Callable[[], object]:
    return command(["cp", "-a", source, place / f"copy{turn}"], place)
