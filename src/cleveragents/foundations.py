"""The foundations of everything else: the data directory opened, and the settings in force."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.config.environment import home, user_config
from cleveragents.config.levels import Settings
from cleveragents.config.settings import STOP
from cleveragents.engine.hold.stopping import StopRequests
from cleveragents.errors import Failed
from cleveragents.events import NO_PLAN, Note, Reporter, Working
from cleveragents.ids import PlanId
from cleveragents.once import once
from cleveragents.records import frozen
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.storage.database import Database
from cleveragents.storage.glance import DATABASE
from cleveragents.storage.head import Head
from cleveragents.storage.lock import Locks
from cleveragents.storage.place import ELSEWHERE, is_ours, make_durably, refuse_network
from cleveragents.storage.privacy import HOOK, make_private
from cleveragents.storage.request import CancelRequests

if TYPE_CHECKING:
    from cleveragents.clients.launcher import Launcher
    from cleveragents.confinement.confinement import Confinement
    from cleveragents.masking import Masking
    from cleveragents.sandbox.process import StepEnvironment
    from cleveragents.sandbox.sandboxes import Sandboxes


@frozen
class Foundations:
    """The foundations of everything else."""

    data: Path
    settings: Settings
    caller: Mapping[str, str]  # the environment of who called
    database: Database
    head: Head
    plan_locks: Locks
    project_locks: Locks
    stopping: StopRequests
    report: Reporter

    # What lies above the tables is imported when it is asked for: to list plans takes none of it.
    @once
    def environment(self) -> "StepEnvironment":
        """The environment that steps may see."""
        from cleveragents.sandbox.process import StepEnvironment

        return StepEnvironment(self.caller, self.settings.texts("sandbox.pass-env"))

    @once
    def masking(self) -> "Masking":
        """The masking of what steps print."""
        from cleveragents.masking import Masking

        return Masking(self.settings.texts("sandbox.mask"))

    @once
    def sandboxes(self) -> "Sandboxes":
        """Where plans work."""
        from cleveragents.sandbox.sandbox import SandboxPolicy
        from cleveragents.sandbox.sandboxes import Sandboxes

        settings, report = self.settings, self.report
        policy = SandboxPolicy(
            settings.text("sandbox.strategy"),
            settings.text("sandbox.base"),
            settings.texts("sandbox.copy-ignored"),
        )
        return Sandboxes(
            self.database,
            self.data,
            self.project_locks,
            policy,
            Tracking(settings.text("sandbox.checkpoint.tracking")),
            lambda text: report(Note(NO_PLAN, text)),
            lambda extent: report(Working(NO_PLAN, **vars(extent))),
        )

    def confinement(self, project: Path) -> "Confinement":
        """How the steps of plans are confined, tried out beside a project."""
        from cleveragents.confinement.confinement import Confinement
        from cleveragents.confinement.limits import Limits
        from cleveragents.confinement.surroundings import Given, Neighbours, Surroundings
        from cleveragents.sandbox.mirror import mirror_in
        from cleveragents.sandbox.project import beside
        from cleveragents.sandbox.trials import trial_in

        def around(plan_id: PlanId) -> Neighbours:
            with self.database.reading() as connection:
                own, places = beside(connection, plan_id)
            others = [path for project_id, path in places.items() if project_id != own]
            if own is None:
                return Neighbours(None, others, None)
            return Neighbours(places[own], others, mirror_in(self.data / "projects" / own))

        given = Given(
            self.data,
            project,
            user_config(self.caller).parent,
            self.settings.user_file,
            home(self.caller),
            self.caller,
            self.settings.texts("sandbox.writable"),
            self.settings.texts("sandbox.hidden"),
        )
        wanted = self.settings.text("sandbox.confinement")
        trial = trial_in(self.data, project)
        limits = Limits.of(self.settings.amount)
        return Confinement(self.data, wanted, Surroundings(given), around, trial, limits)

    @property
    def output(self) -> Path:
        """Where the output of steps is kept."""
        return self.data / "output"

    @once
    def launcher(self) -> "Launcher":
        """The program that coding agents call."""
        return launcher_of(self.data, self.settings)

    @property
    def cleanup(self) -> str:
        """When the files of a sandbox go."""
        return self.settings.text("sandbox.cleanup")

    @property
    def stops_on_conflict(self) -> bool:
        """Whether a plan with open conflicts waits before its next step."""
        return self.settings.text("subplans.on-conflict") == STOP


def open_foundations(
    data: Path,
    settings: Settings,
    caller: Mapping[str, str],
    report: Reporter,
) -> Foundations:
    """Opens what is kept in the data directory."""
    database = Database(_prepared(data) / DATABASE)
    base = Foundations(
        data=data,
        settings=settings,
        caller=caller,
        database=database,
        head=Head(database, data / "head"),
        plan_locks=Locks(data / "locks", "plan"),
        project_locks=Locks(data / "locks", "project"),
        stopping=StopRequests(CancelRequests(data / "locks")),
        report=report,
    )
    if os.path.exists(data / HOOK):  # most people have no hooks
        base.launcher.settle()
    return base


def launcher_of(data: Path, settings: Settings) -> "Launcher":
    """The program that coding agents call, as settings have it."""
    from cleveragents.clients.launcher import Launcher

    denials: Mapping[str, str] = {}
    if settings.flag("chat.strict"):
        from cleveragents.clients.client import CLIENTS
        from cleveragents.engine.chat.answers import blocking

        denials = {client: blocking(client) for client in CLIENTS}
    keeps_texts = settings.text("chat.texts") == "keep"
    return Launcher(data, settings.number("chat.hook-budget"), denials, keeps_texts)


def _prepared(data: Path) -> Path:
    """Makes the data directory, for its owner alone; one that has something can also be read."""
    try:
        make_durably(data)
        is_new = not (data / DATABASE).exists()
        if not os.access(data, (os.W_OK if is_new else os.R_OK) | os.X_OK, effective_ids=True):
            raise PermissionError(13, "Permission denied", str(data))
        if is_new and is_ours(data):
            make_private(data)
    except OSError as error:
        raise Failed(
            f"the data directory cannot be used: {error.strerror}: {data}",
            hints=[ELSEWHERE],
        ) from error
    refuse_network(data)
    return data
