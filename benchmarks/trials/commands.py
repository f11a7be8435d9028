"""Commands in processes of their own, and the same acts in a running process."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.trials.costs import BARE, GIT, ROUNDS, agents, changed, command, cpu, least, project
from cleveragents.app import App
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType

FILES = 1_000
PLANS = 1_000
STEPS = 20
MANY_STEPS = 100
BEYOND = 60  # checkpoints: more than a plan keeps unless told otherwise
ACTION = "name: look\nsteps: [{tool: shell, with: {command: 'true'}}]\n"


class Place:
    """A project, its data directory and one plan that has run."""

    def __init__(self, home: Path, files: int) -> None:
        self.home, self.files = home, files
        self.project = project(home / "project", files)
        self.data = home / "data"
        self.action = home / "action.yaml"
        self.action.write_text(ACTION)
        self.app = App(self.project, data_dir=self.data)
        self.plan_id = self.app.use(self.action, {}).plan_id
        self.app.execute.run(self.plan_id)
        sandbox = self.app.plans.status(self.app.plans.find("@")).sandbox
        assert sandbox is not None
        self.tree = sandbox.path

    def agents(self, *arguments: str) -> Callable[[], object]:
        return agents(self.data, self.project, *arguments)

    def checkpoint(self) -> None:
        wanted = CheckpointRequest(CheckpointType.TOOL, "measured", even_if_unchanged=False)
        self.app.checkpoints.create_checkpoint(self.plan_id, wanted)

    def rollback(self) -> None:
        latest = self.app.checkpoints.latest_checkpoint(self.plan_id)
        assert latest is not None
        self.app.checkpoints.rollback_to_checkpoint(self.plan_id, latest)

    def shadow(self) -> Path:
        """The same files for git, in a repository of their own."""
        copy = self.home / "shadow"
        subprocess.run(["cp", "-a", self.project, copy], check=True)
        return copy


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
    create = place.agents("plan", "checkpoint", "create", "@")
    undo = place.agents("plan", "rollback", "@", "@", "--yes")
    costs: dict[str, list[float]] = {"ours": [], "git": [], "back": [], "reset": []}
    for turn in range(ROUNDS):
        for tree in (place.tree, shadow):
            changed(tree, files, 10, f"turn {turn}")
        costs["ours"].append(cpu(create))
        costs["git"].append(cpu(_git(shadow, ["add", "-A"], ["write-tree"])))
        _git(shadow, ["commit", "-qm", "turn"])()
        for tree in (place.tree, shadow):
            changed(tree, files, 10, f"away {turn}")
        costs["back"].append(cpu(undo))
        costs["reset"].append(cpu(_git(shadow, ["reset", "-q", "--hard"], ["clean", "-fdq"])))
    lowest = {name: min(found) for name, found in costs.items()}
    yield (
        "checkpoint create, many files / git add + write-tree",
        lowest["ours"] / lowest["git"],
    )
    yield (
        "rollback, many files, 10 changed / git reset + clean",
        lowest["back"] / lowest["reset"],
    )


def running(home: Path, files: int) -> Iterator[tuple[str, float]]:
    """The same in a running process, of a plan that has more checkpoints than it keeps."""
    place = Place(home, files)
    shadow = place.shadow()
    costs: dict[str, list[float]] = {"ours": [], "git": [], "back": [], "reset": []}
    with place.app.ownership.hold(place.plan_id, "measuring"):
        for turn in range(BEYOND):
            changed(place.tree, files, 10, f"before {turn}")
            place.checkpoint()
        for turn in range(ROUNDS):
            for tree in (place.tree, shadow):
                changed(tree, files, 10, f"turn {turn}")
            costs["ours"].append(cpu(place.checkpoint))
            costs["git"].append(cpu(_git(shadow, ["add", "-A"], ["commit", "-qm", "turn"])))
            for tree in (place.tree, shadow):
                changed(tree, files, 10, f"away {turn}")
            costs["back"].append(cpu(place.rollback))
            costs["reset"].append(cpu(_git(shadow, ["reset", "-q", "--hard"], ["clean", "-fdq"])))
    lowest = {name: min(found) for name, found in costs.items()}
    yield (
        "git add + commit / checkpoint in a running plan beyond the limit",
        lowest["git"] / lowest["ours"],
    )
    yield "git reset + clean / rollback in a running process", lowest["reset"] / lowest["back"]


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


def _git(where: Path, *lines: Sequence[str]) -> Callable[[], object]:
    return lambda: [command([*GIT, *line], where)() for line in lines]


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
