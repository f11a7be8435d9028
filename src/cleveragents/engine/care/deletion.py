"""Deleting a plan: its rows go in one transaction, then its files, then content nobody else needs.

A crash leaves the plan or no plan. What it leaves of the files is told by the doctor; content goes
with the next sweep.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from cleveragents.checkpoints.checkpoint import CheckpointRepository, Total
from cleveragents.checkpoints.comparison import Comparisons
from cleveragents.checkpoints.needs import live
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.engine.back.pruning import Prunes
from cleveragents.errors import Busy, CleverAgentsError, Interrupted, Refused
from cleveragents.events import Reporter, afterwards
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.deletion import delete_plan
from cleveragents.plans.lifecycle import APPLIED, written
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold
from cleveragents.storage.space import disk_use


@frozen
class PlanDeletion:
    """A plan that is to go, with all that goes along."""

    plan: Plan
    subplans: tuple[Plan, ...]  # at any depth, those that were taken back included
    checkpoints: int  # of all of them
    stored_bytes: int  # what those added to the store
    sandboxes: tuple[Sandbox, ...]  # whose files are there
    sandbox_bytes: int
    has_work: bool  # that was never applied

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        about = (self.plan.plan_id, self.plan.updated_at, self.checkpoints, self.has_work)
        sizes = (self.stored_bytes, self.sandbox_bytes)
        paths = [str(one.path) for one in self.sandboxes]
        return digest_of((), about, sizes, [one.plan_id for one in self.subplans], paths)


class PlanDeletions:
    """Deletes plans."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Prunes,
        is_owned: Callable[[str], bool],
        hold: Hold,
        output: Path,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._comparisons = Comparisons(sandboxes)
        self._pruning = pruning
        self._is_owned = is_owned
        self._hold = hold
        self._output = output
        self._report = report

    def preview(self, plan_id: PlanId, *, discard: bool) -> PlanDeletion:
        """Tells what would go; refused while it runs or holds unapplied work."""
        would = self._look(plan_id)
        for plan in (would.plan, *would.subplans):
            if self._is_owned(plan.plan_id):
                stop = f"stop it first: agents plan cancel {plan_id}"
                raise Busy(
                    f"{plan.name} is in use by another process",
                    hints=["try again"] if plan.is_chat else [stop],
                )
        _refuse_work(would, discard=discard)
        return would

    def delete(
        self, plan_id: PlanId, *, discard: bool, shown_digest: str | None = None
    ) -> PlanDeletion:
        """Deletes a plan with its subplans; this cannot be undone."""
        doing = "deleting the plan"
        with ExitStack() as stack:
            held = stack.enter_context(self._hold(plan_id, doing))
            would = self._look(plan_id)
            for child in would.subplans:
                stack.enter_context(held.with_(child.plan_id, doing))
            refuse_other(shown_digest, would.digest, f"agents plan delete {plan_id} --dry-run")
            _refuse_work(would, discard=discard)
            made = self._made_for(would)
            with self._database.writing(held) as connection:
                self._delete(connection, would, made)
            self._remove_files(would)
        with afterwards(self._report, plan_id, "freeing space"):
            self._pruning.free_project(would.plan.project_id)
        return would

    def _look(self, plan_id: PlanId) -> PlanDeletion:
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
            subplans = tuple(_below(connection, plan_id))
            repository = CheckpointRepository(connection)
            totals = [repository.total(one.plan_id) for one in (plan, *subplans)]
        if plan.parent_plan_id is not None:
            raise Refused(
                "this is a subplan; it goes with the plan that it is a part of",
                hints=[f"delete that: agents plan delete {plan.parent_plan_id}"],
            )
        return self._found(plan, subplans, totals)

    def _found(self, plan: Plan, subplans: tuple[Plan, ...], totals: list[Total]) -> PlanDeletion:
        places = [self._sandboxes.find(one.plan_id) for one in (plan, *subplans)]
        there = tuple(one for one in places if one is not None and one.home.exists())
        return PlanDeletion(
            plan,
            subplans,
            sum(one.checkpoints for one in totals),
            sum(one.size_bytes for one in totals),
            there,
            sum(disk_use(one.home) for one in there),
            self._has_work(plan),
        )

    def _has_work(self, plan: Plan) -> bool:
        """Whether a state of a plan that is not applied differs from what it started from.

        Where that cannot be told, it may.
        """
        sandbox = self._sandboxes.find(plan.plan_id)
        if plan.stage == APPLIED or sandbox is None:
            return False
        try:
            return self._differs(plan, sandbox)
        except Interrupted:
            raise
        except (CleverAgentsError, OSError):
            return True

    def _differs(self, plan: Plan, sandbox: Sandbox) -> bool:
        with self._database.reading() as connection:
            rows = CheckpointRepository(connection).of_plan(plan.plan_id)
        return self._comparisons.has_work(plan, sandbox, {row.sandbox_ref for row in rows})

    def _made_for(self, would: PlanDeletion) -> set[SnapshotId]:
        """All that was stored for the plans, also what no row tells of."""
        archive = self._sandboxes.archive(would.plan.project_id)
        return set(archive.made_for([one.plan_id for one in (would.plan, *would.subplans)]))

    def _delete(self, connection: Connection, would: PlanDeletion, made: set[SnapshotId]) -> None:
        """Deletes the rows; the store is told before they go which snapshots are no lost ones."""
        project_id = would.plan.project_id
        known = (
            made | live(connection, project_id) | self._pruning.forgotten(connection, project_id)
        )
        for plan in (*reversed(would.subplans), would.plan):
            delete_plan(connection, plan.plan_id)
        left = live(connection, project_id) | self._pruning.forgotten(connection, project_id)
        self._sandboxes.archive(project_id).forget(known - left)

    def _remove_files(self, would: PlanDeletion) -> None:
        for sandbox in would.sandboxes:
            with afterwards(self._report, would.plan.plan_id, f"removing {sandbox.home}"):
                self._sandboxes.remove_files(sandbox)
        for plan in (would.plan, *would.subplans):
            with afterwards(self._report, plan.plan_id, "removing what its steps printed"):
                self._sandboxes.remove_directory(self._output / plan.plan_id)


def _below(connection: Connection, plan_id: PlanId) -> Iterator[Plan]:
    """Yields the subplans of a plan and theirs, parents first."""
    for child in ChildRepository(connection).of_plan(plan_id):
        yield child
        yield from _below(connection, child.plan_id)


def _refuse_work(would: PlanDeletion, *, discard: bool) -> None:
    if would.has_work and not discard:
        plan_id = would.plan.plan_id
        raise Refused(
            f"{would.plan.name} ({written(would.plan.stage)}) holds work that was never applied",
            hints=[
                f"look at it: agents plan diff {plan_id}",
                f"or at what its checkpoints hold: agents plan checkpoint list {plan_id}",
                f"delete it all the same: agents plan delete {plan_id} --discard",
            ],
        )
