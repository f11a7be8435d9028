"""The stage: a home, projects and a data directory as users have them, put back after every deed.

What root alone can prepare (another mount of the project, a program that is root's, sockets in
/run) is prepared in a mount namespace of its own, so nothing of it is there for anybody else.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cleveragents.config.levels import Sources, load
from cleveragents.confinement.level import STRICTER
from cleveragents.errors import Refused
from cleveragents.events import silent
from cleveragents.foundations import Foundations, open_foundations
from cleveragents.ids import PlanId, new_id
from cleveragents.sandbox.project import Project
from cleveragents.tools.commands import CallRules
from cleveragents.tools.tool import run_to_end
from cleveragents.wiring.points import Points

ORDINARY = 65534
RUN = Path("/run")
MOUNTS = Path("/proc/self/mountinfo")
INSIDE = Path(__file__).with_name("inside.py")
TIMEOUT = 30.0  # seconds; no deed takes so long
ACTION = "name: deeds\nsteps: [{tool: shell, with: {command: 'true'}}]\n"
SETTINGS = "[sandbox]\nmask = []\n"
NO_SECRET = "nothing to be found"


@dataclass(frozen=True)
class Stage:
    """Where deeds are done; all that is put back after each is in `world`."""

    place: Path

    @property
    def world(self) -> Path:
        return self.place / "world"

    @property
    def project(self) -> Path:
        return self.world / "work" / "above" / "project"

    @property
    def other_project(self) -> Path:
        return self.world / "other"

    @property
    def home(self) -> Path:
        return self.world / "home"

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share" / "cleveragents"

    @property
    def settings(self) -> Path:
        return self.home / ".config" / "cleveragents" / "config.toml"

    @property
    def runtime(self) -> Path:
        return self.world / "runtime"

    @property
    def temporary(self) -> Path:
        return self.world / "temporary"

    @property
    def agent(self) -> Path:
        return self.world / "agent" / "agent.sock"

    @property
    def linked(self) -> Path:
        return self.world / "elsewhere" / "linked.txt"

    @property
    def file(self) -> Path:
        return self.project / "kept.txt"

    @property
    def alias(self) -> Path:
        """The same file by another mount."""
        return self.place / "mirror" / "above" / "project" / "kept.txt"

    @property
    def helper(self) -> Path:
        """A program that whoever runs it runs as root."""
        return self.place / "helper" / "mkdir"

    @property
    def late(self) -> Path:
        """Where something may be mounted, and whoever has copied the mounts will see it."""
        return self.place / "late"

    @property
    def caller(self) -> Mapping[str, str]:
        """The environment of the user."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "XDG_RUNTIME_DIR": str(self.runtime),
            "TMPDIR": str(self.temporary),
            "SSH_AUTH_SOCK": str(self.agent),
            "CLEVERAGENTS_SANDBOX_CONFINEMENT": "none",  # each call asks for its own level
        }

    # --- made and put back ---

    def prepare_as_root(self) -> None:
        """Prepares what nobody else can, in a mount namespace of our own."""
        self._hold_mirror()
        self.helper.parent.mkdir()
        shutil.copy(shutil.which("mkdir") or "/bin/mkdir", self.helper)
        self.helper.chmod(0o4755)
        self.late.mkdir()
        _must("mount", "--bind", str(self.late), str(self.late))
        _must("mount", "--make-shared", str(self.late))
        _must("mount", "-t", "tmpfs", "-o", "mode=1777", "deeds", str(RUN))

    def _hold_mirror(self) -> None:
        """Mounts what is above the project a second time; nothing ever replaces it."""
        above = self.world / "work"
        above.mkdir(parents=True)
        mirror = self.place / "mirror"
        mirror.mkdir()
        _must("mount", "--bind", str(above), str(mirror))

    def build(self) -> None:
        """Makes everything, by the commands that users type, and keeps a copy."""
        for path in (self.project, self.other_project, self.home / ".ssh", self.settings.parent):
            path.mkdir(parents=True, exist_ok=True)
        for path in (self.runtime, self.temporary, self.agent.parent, self.linked.parent):
            path.mkdir(mode=0o700)
        self.file.write_text("kept\n")
        os.link(self.file, self.linked)
        (self.other_project / "secret.txt").write_text(NO_SECRET)
        (self.home / ".ssh" / "id_ed25519").write_text(NO_SECRET)
        (self.home / ".bashrc").write_text("# as it was\n")
        self.settings.write_text(SETTINGS)
        action = self.world / "action.yaml"
        action.write_text(ACTION)
        for project in (self.other_project, self.project, self.project):
            self._type(project, "plan", "use", str(action))
            self._type(project, "plan", "execute")
        self.problems  # noqa: B018 - the proofs that they rest on are kept as well
        _must("cp", "-a", str(self.world), str(self.place / "kept"))

    def put_back(self) -> None:
        """Makes everything what it was; what is mounted elsewhere too stays the same directory."""
        mounted = [
            line.split()[4].replace(r"\040", " ") for line in MOUNTS.read_text().splitlines()
        ]
        for path in reversed(mounted):  # an unconfined deed of root's mounts, where only we see it
            if Path(path).is_relative_to(self.world):
                _must("umount", "--lazy", path)
        for top in ("work", ""):
            for path in (self.world / top).iterdir():
                if path != self.world / "work":
                    _must("rm", "-rf", str(path))
        _must("cp", "-a", f"{self.place / 'kept'}/.", str(self.world))

    def _type(self, project: Path, *arguments: str) -> None:
        line = [sys.executable, "-m", "cleveragents", *arguments]
        done = subprocess.run(
            line, cwd=project, env={**self.caller}, capture_output=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{arguments}: {done.stderr.decode()}")

    # --- its plans ---

    @cached_property
    def sandboxes(self) -> list[tuple[PlanId, Path]]:
        """Plans and where they work: one of the other project, one beside it, and that of deeds."""
        base = self._foundations()
        with contextlib.closing(base.database), base.database.reading() as connection:
            rows = connection.tuples("SELECT plan_id, path FROM sandboxes ORDER BY sandbox_id")
            return [(PlanId(plan), Path(path)) for plan, path in rows]

    @property
    def plan(self) -> PlanId:
        return self.sandboxes[-1][0]

    @property
    def sandbox(self) -> Path:
        return self.sandboxes[-1][1]

    @property
    def other_sandbox(self) -> Path:
        return self.sandboxes[-2][1]

    def _foundations(self) -> Foundations:
        sources = Sources.of(self.project, None, (), self.caller, self.project)
        return open_foundations(self.data, load(sources), self.caller, silent)

    @cached_property
    def problems(self) -> Mapping[str, str]:
        """Why levels cannot be had here, those that cannot."""
        base = self._foundations()
        found: dict[str, str] = {}
        with contextlib.closing(base.database):
            confinement = Points(base, Project(self.project)).confinement
            for level in STRICTER:
                try:
                    confinement.confined([level])
                except Refused as refusal:
                    found[level] = "; ".join([refusal.message, *refusal.detail])
        return found

    def step(
        self, level: str, deed: str, facts: Mapping[str, object], look: Callable[[], None]
    ) -> str:
        """Does a deed as a step of the plan, at a level; returns what it printed."""
        base = self._foundations()
        try:
            commands = Points(base, Project(self.project)).commands
            output = commands.outputs(self.plan) / "deed.log"

            def must_stop() -> bool:
                look()
                return False

            rules = CallRules(timeout=TIMEOUT, confine=() if level == "none" else (level,))
            call = commands.call(
                self.plan, self.sandbox, new_id(), output, must_stop=must_stop, rules=rules
            )
            line = (sys.executable, "-I", "-S", str(INSIDE), deed, json.dumps(facts))
            return run_to_end(call, *line).tail
        finally:
            base.sandboxes.close()
            base.database.close()


def _must(*line: str) -> None:
    subprocess.run(line, check=True, capture_output=True)
