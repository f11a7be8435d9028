"""A project with a plan that has run in it, and what is done to it."""

import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from benchmarks.trials.costs import agents, changed, project
from cleveragents.app import App
from cleveragents.checkpoints.retention import DEFAULT_LIMIT
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType

BEYOND = DEFAULT_LIMIT + 10  # from here on each checkpoint lets go of an earlier one
ACTION = "name: look\nsteps: [{tool: shell, with: {command: 'true'}}]\n"


class Place:
    """A project, its data directory and one plan that has run."""

    def __init__(self, home: Path, files: int) -> None:
        self.home, self.files = home, files
        self.project = project(home / "project", files)
        self.data = home / "data"
        self.action = home / "action.yaml"
        self.action.write_text(ACTION)
        self.app = self._opened()
        self.plan_id = self.app.use(self.action, {}).plan_id
        self.app.execute.run(self.plan_id)
        sandbox = self.app.plans.status(self.app.plans.find("@")).sandbox
        assert sandbox is not None
        self.tree = sandbox.path

    def agents(self, *arguments: str) -> Callable[[], object]:
        return agents(self.data, self.project, *arguments)

    def held(self) -> AbstractContextManager[object]:
        """Holds the plan, as a run of it does."""
        return self.app.ownership.hold(self.plan_id, "measuring")

    def look_at_everything(self) -> None:
        """Lets each checkpoint look at every file, as one after a slow step does."""
        self.app = self._opened("sandbox.checkpoint.tracking=scan")

    def checkpoint(self) -> None:
        wanted = CheckpointRequest(CheckpointType.TOOL, "measured", even_if_unchanged=False)
        self.app.checkpoints.create_checkpoint(self.plan_id, wanted)

    def pass_limit(self) -> None:
        """Makes more checkpoints than a plan keeps."""
        for turn in range(BEYOND):
            changed(self.tree, self.files, 10, f"before {turn}")
            self.checkpoint()

    def rollback(self) -> None:
        latest = self.app.checkpoints.latest_checkpoint(self.plan_id)
        assert latest is not None
        self.app.checkpoints.rollback_to_checkpoint(self.plan_id, latest)

    def shadow(self) -> Path:
        """The same files for others to save, without their repository."""
        copy = self.home / "shadow"
        copy.mkdir()
        found = [path for path in self.project.iterdir() if path.name != ".git"]
        subprocess.run(["cp", "-a", *found, copy], check=True)
        return copy

    def _opened(self, *settings: str) -> App:
        return App(self.project, data_dir=self.data, flags=settings)
