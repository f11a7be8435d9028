"""What must not grow with age: calls of a session, subplans, checkpoints of a project."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.trials.costs import changed, cpu, project
from benchmarks.trials.place import BEYOND, Place
from cleveragents.app import App

CALLS = 1_000
BLOCK = 25  # of calls: what one of them takes is too little to be measured alone
SUBPLANS = (25, 100)
CHECKPOINTS = 10_000


def of_calls(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """Calls of one session, the first after the limit beside the last."""
    source = project(home / "project", 100)
    with App(source, data_dir=home / "data").session() as run:

        def block() -> None:
            for number in range(BLOCK):
                run.tool("write_file", path=f"f{number % 10}", content="x" * 1000)

        for _ in range(BEYOND // BLOCK + 1):
            block()
        costs = [cpu(block) for _ in range(CALLS // BLOCK)]
    yield "call 1,000 of a session / call 1", median(costs[-4:]) / median(costs[:4])


def of_subplans(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """A plan of so many subplans beside one of fewer, per subplan."""
    costs = [cpu(lambda count=count: _run_subplans(home / str(count), count)) for count in SUBPLANS]
    few, many = (cost / count for cost, count in zip(costs, SUBPLANS, strict=True))
    yield "subplan 100 / subplan 25", many / few


def _run_subplans(home: Path, count: int) -> None:
    source = project(home / "project", 100)
    plans = "\n".join(
        f"        - {{name: s{n}, steps: [{{tool: write_file, with: {{path: n{n}, content: x}}}}]}}"
        for n in range(count)
    )
    action = home / "action.yaml"
    action.write_text(f"name: many\nsteps:\n  - subplans:\n      plans:\n{plans}\n")
    app = App(source, data_dir=home / "data")
    app.execute.run(app.use(action, {}).plan_id)


def of_projects(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """Checkpoints of one plan, each of a small change."""
    place = Place(home, 100)
    costs: list[float] = []

    def block(start: int) -> None:
        for turn in range(start, start + BLOCK):
            changed(place.tree, place.files, 1, f"turn {turn}")
            place.checkpoint()

    with place.held():
        for start in range(0, CHECKPOINTS, BLOCK):
            costs.append(cpu(lambda start=start: block(start)))
            for path in place.tree.glob("d0000/f000000.txt"):
                path.write_text("short again\n")
    yield (
        "checkpoint 10,000 of a project / checkpoint 100",
        median(costs[-8:]) / median(costs[3:11]),
    )
