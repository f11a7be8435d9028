"""Commands in processes of their own, and the same acts in a running process."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.trials.costs import BARE, ROUNDS, agents, command, least, project
from benchmarks.trials.place import Place
from benchmarks.trials.turns import Costs, round_trips
from benchmarks.trials.ways import Fresh, Git, GitTree, Running

FILES = 1_000
PLANS = 1_000
STEPS = 20
MANY_STEPS = 100
CHANGED = 10


def fresh(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """Short commands beside an interpreter that does nothing."""
    place = Place(home, FILES)
    bare = command(BARE, place.project)
    for name, words in {
        "plan status / bare Python": ["plan", "status", "@"],
        "plan checkpoint list / bare Python": ["plan", "checkpoint", "list", "@"],
        "checkpoint create, 1,000 files / bare Python": ["plan", "checkpoint", "create", "@"],
    }.items():
        ours, nothing = least(ROUNDS, place.agents(*words), bare)
        yield name, ours / nothing
    for _ in range(PLANS - 1):
        place.app.use(place.action, {})
    ours, nothing = least(ROUNDS, place.agents("plan", "list"), bare)
    yield "plan list, 1,000 plans / bare Python", ours / nothing


def beside_git(home: Path, files: int) -> Iterator[tuple[str, float]]:
    """Whole commands on many files beside git's."""
    place = Place(home, files)
    shadow = place.shadow()
    git, index = Git(home / "git", shadow), GitTree(home / "index", shadow)
    for way in (git, index):
        way.save()
    saving, back = round_trips([Fresh(place), git, index], files, CHANGED, ROUNDS)
    yield (
        "checkpoint create, many files / git add + write-tree",
        _least(saving, Fresh.name) / _least(saving, index.name),
    )
    yield (
        "rollback, many files, 10 changed / git reset + clean",
        _least(back, Fresh.name) / _least(back, git.name),
    )


def running(home: Path, files: int) -> Iterator[tuple[str, float]]:
    """The same in a running process, of a plan that has more checkpoints than it keeps."""
    place = Place(home, files)
    git = Git(home / "git", place.shadow())
    git.save()
    with place.held():
        place.pass_limit()
        saving, back = round_trips([Running(place), git], files, CHANGED, ROUNDS)
    yield (
        "git add + commit / checkpoint in a running plan beyond the limit",
        _least(saving, git.name) / _least(saving, Running.name),
    )
    yield (
        "git reset + clean / rollback in a running process",
        _least(back, git.name) / _least(back, Running.name),
    )


def steps(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """Plans of quick steps beside the same steps as a shell script."""
    source = project(home / "project", FILES)
    many = [f"echo {number} > quick{number % 20}" for number in range(MANY_STEPS)]
    script, one, all_ = least(
        3, _script(home, source, many), _plan(home, source, many[:1]), _plan(home, source, many)
    )
    copying, _ = least(3, _script(home, source, []), _script(home, source, []))
    each = (script - copying) / MANY_STEPS
    yield (
        "a quick step with all triggers / in a shell script",
        (all_ - one) / (MANY_STEPS - 1) / each,
    )
    script, ours = least(3, _script(home, source, many[:STEPS]), _plan(home, source, many[:STEPS]))
    yield "a plan of 20 steps on 1,000 files / cp -a and a shell script", ours / script


def _least(costs: Costs, name: str) -> float:
    return min(cost.cpu for cost in costs[name])


def _script(home: Path, source: Path, lines: Sequence[str]) -> Callable[[], object]:
    """Copies the project and runs each line in a shell, as a step does."""

    def run() -> None:
        target = Path(tempfile.mkdtemp(dir=home))
        command(["cp", "-a", f"{source}/.", target], home)()
        text = "\n".join(f"sh -c '{line}'" for line in lines)
        command(["sh", "-c", text], target)()

    return run


def _plan(home: Path, source: Path, lines: Sequence[str]) -> Callable[[], object]:
    """Runs a plan with all triggers, in a data directory of its own."""
    listed = [f"  - {{tool: shell, with: {{command: '{line}'}}}}" for line in lines]

    def run() -> None:
        action = Path(tempfile.mkdtemp(dir=home)) / "action.yaml"
        action.write_text("\n".join(["name: quick", "steps:", *listed, ""]))
        agents(action.parent / "data", source, "run", str(action), "--format", "json")()

    return run
