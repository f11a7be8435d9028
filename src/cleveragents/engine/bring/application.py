"""Applications: the operations that change the user's project, and nothing else does.

Each affected path is what it was or what it shall be, whatever happens: an interrupted operation is
rolled forward; one that meets an error, or somebody else's edit, is taken back, the edit is kept.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

from cleveragents.chats.acts import End, note_act
from cleveragents.engine.back.removal import Removals, told_why_it_stays
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.engine.bring.proposal import BRANCH, Proposal, versions
from cleveragents.engine.bring.withdrawal import Withdrawal
from cleveragents.errors import CleverAgentsError, Damaged, Failed, Interrupted
from cleveragents.events import Note, PlanMoved, Reporter, afterwards
from cleveragents.ids import CheckpointId, PlanId, ProjectId, SnapshotId
from cleveragents.operations.in_project import Apply, InBranch, InFiles, Unapply
from cleveragents.operations.intent import NO_RETRACE, Retrace
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.lifecycle import APPLIED, APPLYING, COMPLETE, Stage
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import frozen, replace
from cleveragents.sandbox import branch
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.workplace import ProjectWorkplace
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.merging import MergeResult
from cleveragents.snapshots.tree.giving_up import to_the_end
from cleveragents.snapshots.write import owners
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.storage.lock import Locks

A = TypeVar("A", bound=Apply)
MANUAL = "manual"  # sandboxes stay until somebody removes them


@frozen
class ApplyOutcome:
    """How an application ended."""

    operation: Operation[Apply]
    paths: tuple[str, ...]  # that were changed
    kept: tuple[str, ...]  # directories that stay because they hold other files
    error: CleverAgentsError | None = None  # why it was taken back


@frozen
class RecoveredApply:
    """An apply or unapply that was interrupted, and that recovery has brought to its end."""

    plan: Plan  # as it is now
    intent: Apply


class Applications:
    """Opens and carries out apply and unapply operations."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        workplaces: Workplaces,
        project_locks: Locks,
        removals: Removals,
        cleanup: str,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._workplaces = workplaces
        self._locks = project_locks
        self._removals = removals
        self._cleanup = cleanup
        self._report = report

    @contextmanager
    def project_owned(self, project_id: ProjectId) -> Generator[None]:
        """While inside, no other process applies anything to the project."""
        with self._locks.own(project_id, "applying to the project"):
            yield

    def open(
        self,
        held: Held,
        plan: Plan,
        proposal: Proposal,
        result: SnapshotId,
        checkpoint_id: CheckpointId | None,
        retraces: Retrace = NO_RETRACE,
    ) -> Operation[Apply]:
        """Stores both versions of every affected path, then records the intent.

        `result` is the snapshot of the sandbox that the proposal was made of.
        """
        place = self._place(plan, proposal)
        kept = (place.old, place.new) if isinstance(place, InFiles) else ()
        intent = Apply(
            mode=proposal.options.mode,
            base=proposal.sandbox.base,
            result=result,
            checkpoint=checkpoint_id,
            paths=tuple(file.diff.path for file in proposal.files),
            place=place,
            include_ignored=proposal.options.include_ignored,
            left=proposal.options.left,
            retraces=retraces,
            keeps=(proposal.sandbox.base, result, *kept),
        )
        return self._open(held, intent)

    def _place(self, plan: Plan, proposal: Proposal) -> InFiles | InBranch:
        if proposal.options.mode == BRANCH:
            return InBranch(branch.name_of(plan.plan_id), self._commit(plan, proposal))
        archive = self._sandboxes.archive(plan.project_id)
        about = {"kind": "apply", "plan_id": plan.plan_id}
        new = archive.keep_merge(proposal.merge, about)
        before = replace(proposal.merge, snapshot=proposal.merge.ours)
        old = archive.keep_merge(before, about)
        saved = archive.secure_merged(old, proposal.merge)
        known = owners.owners(
            proposal.project.path,
            (change.path for change in proposal.merge.changes if change.before is not None),
        )
        return InFiles(saved, new, time.time_ns(), known)

    def open_unapply(
        self, held: Held, plan: Plan, way: Withdrawal, retraces: Retrace = NO_RETRACE
    ) -> Operation[Unapply]:
        """Records the intent to take an apply back."""
        was = way.applied.intent
        place = self._place_before(plan, was.place, way.merge)  # may heal what is refused otherwise
        kept = (place.old, place.new) if isinstance(place, InFiles) else ()
        intent = Unapply(
            mode=was.mode,
            base=was.base,
            result=was.result,
            checkpoint=was.checkpoint,
            paths=way.paths,
            place=place,
            include_ignored=was.include_ignored,
            left=way.left,
            retraces=retraces,
            keeps=(*was.keeps, *kept),
            # Said here: after a crash in the middle of it half a sandbox is there.
            rebuilds=not self._sandboxes.is_there(plan.plan_id),
        )
        self._refuse_damaged(plan, intent)
        return self._open(held, intent)

    def _refuse_damaged(self, plan: Plan, intent: Unapply) -> None:
        """Refuses to take out of the project what could then not be applied again."""
        needed = [intent.place.new] if isinstance(intent.place, InFiles) else []
        if intent.rebuilds:
            needed += [intent.result, intent.base]
        archive = self._sandboxes.archive(plan.project_id)
        verifier = archive.verifier()  # they share most of what they hold
        try:
            bad = [path for ref in needed for path in archive.damaged(archive.load(ref), verifier)]
        except Damaged as error:
            bad = [error.message]
        if bad:
            raise Damaged(
                "what is stored of the plan is damaged: taken back, it could not be applied again; "
                "nothing was changed",
                detail=list(dict.fromkeys(bad)),
                hints=["look for intact copies: agents doctor --repair"],
            )

    def _place_before(
        self, plan: Plan, place: InFiles | InBranch, merge: MergeResult | None
    ) -> InFiles | InBranch:
        """The way back; what it takes out of the project is read back, to be applied again."""
        if isinstance(place, InBranch) or merge is None:
            return place  # a branch just goes
        archive = self._sandboxes.archive(plan.project_id)
        about = {"kind": "unapply", "plan_id": plan.plan_id}
        new = archive.keep_merge(merge, about)
        old = archive.keep_merge(replace(merge, snapshot=merge.ours), about)
        going = {MAIN: list(merge.changes)}
        saved = archive.secure_outside(old, self._project(plan).path, going)
        return InFiles(saved, new, time.time_ns(), place.owners)

    def carry_out(
        self, held: Held, operation: Operation[Apply], *, again: bool = False
    ) -> ApplyOutcome:
        """Brings the project to where the operation leads, or back, and closes it."""
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(operation.plan_id)
        place = operation.intent.place
        with self.project_owned(plan.project_id):
            if isinstance(place, InBranch):
                return self._carry_out_branch(held, plan, operation, place)
            workplace = self._workplace(plan, operation, place)
            return self._carry_out_changes(held, plan, operation, workplace, again=again)

    def finish(self, held: Held, operation: Operation[Apply]) -> str:
        """Carries out what was interrupted, and tells how it ended."""
        applied = self.carry_out(held, operation, again=True)
        if applied.error is None:
            return f"an interrupted {operation.kind} was finished"
        told = "; ".join([applied.error.message, *applied.error.detail])
        return f"an interrupted {operation.kind} was taken back: {told}"

    def _carry_out_changes(
        self,
        held: Held,
        plan: Plan,
        operation: Operation[Apply],
        workplace: ProjectWorkplace,
        *,
        again: bool,
    ) -> ApplyOutcome:
        try:
            self._rebuild(held, plan, operation)
        except Failed as error:
            outcome = workplace.take_back(error)
        else:
            outcome = workplace.bring_to(again=again)
        if outcome.error is not None:
            return self._abort(held, operation, outcome.error)
        return self._close(held, operation, outcome.kept)

    def _carry_out_branch(
        self, held: Held, plan: Plan, operation: Operation[Apply], place: InBranch
    ) -> ApplyOutcome:
        project = self._project(plan)
        try:
            if operation.kind is Kind.APPLY:
                branch.create(project, place.branch, place.commit)
            else:
                self._rebuild(held, plan, operation)
                branch.remove(project, place.branch, place.commit)
        except Failed as error:
            return self._abort(held, operation, error)
        return self._close(held, operation)

    def _commit(self, plan: Plan, proposal: Proposal) -> str:
        changed = versions(self._sandboxes.archive(plan.project_id), proposal.merge)
        message = f"{plan.name}\n\n{plan.action.description}\n\nPlan: {plan.plan_id}\n"
        return branch.build(proposal.project, str(proposal.sandbox.head), changed, message)

    def _open(self, held: Held, intent: A) -> Operation[A]:
        with self._database.writing(held) as connection:
            moved = PlanRepository(connection).move(held.plan_id, APPLYING)
            operation = OperationRepository(connection).open(held.plan_id, intent)
            _note(connection, moved, operation, "begin")
        self._report(PlanMoved(held.plan_id, moved.phase, moved.state))
        return operation

    def _project(self, plan: Plan) -> Project:
        with self._database.reading() as connection:
            return projects.find(connection, plan.project_id)

    def _workplace(
        self, plan: Plan, operation: Operation[Apply], place: InFiles
    ) -> ProjectWorkplace:
        return ProjectWorkplace(
            root=self._project(plan).path,
            archive=self._sandboxes.archive(plan.project_id),
            saved=place.old,
            target=place.new,
            mark=operation.operation_id,
            stamp_ns=place.stamp,
            owners=place.owners,
        )

    def _close(
        self, held: Held, operation: Operation[Apply], kept: tuple[str, ...] = ()
    ) -> ApplyOutcome:
        moved = self._end(held, operation, Status.DONE, operation.intent.leads_to)
        if operation.kind is Kind.APPLY and self._cleanup != MANUAL:
            for one in (moved, *self._merged_into(held.plan_id)):
                self._remove(held, one)
        return ApplyOutcome(operation, operation.intent.paths, kept)

    def _remove(self, held: Held, plan: Plan) -> None:
        """Removes the sandbox of a plan or of one below it; what goes wrong is no part of it."""
        doing = "removing its sandbox"
        with (
            afterwards(self._report, plan.plan_id, doing),
            held.with_(plan.plan_id, doing, files=False) as own,
        ):
            kept_for = self._removals.remove(own, plan).kept_for
            if kept_for:
                self._report(Note(plan.plan_id, told_why_it_stays(kept_for)))

    def _merged_into(self, plan_id: PlanId) -> list[Plan]:
        """The subplans whose result is part of a plan's, at any depth."""
        with self._database.reading() as connection:
            below = ChildRepository(connection).below(plan_id)
            return [child for child in below if child.merged_ref is not None]

    def _abort(
        self, held: Held, operation: Operation[Apply], error: CleverAgentsError
    ) -> ApplyOutcome:
        stage = COMPLETE if operation.kind is Kind.APPLY else APPLIED
        moved = self._end(held, operation, Status.ABORTED, stage)
        if isinstance(operation.intent, Unapply) and operation.intent.rebuilds:
            with to_the_end():  # it was made for what did not come about, if somebody stops it, too
                self._remove(held, moved)
        return ApplyOutcome(operation, (), (), error)

    def _end(self, held: Held, operation: Operation[Apply], status: Status, stage: Stage) -> Plan:
        with self._database.writing(held) as connection:
            moved = PlanRepository(connection).move(held.plan_id, stage)
            OperationRepository(connection).close(operation.operation_id, status, {})
            _note(connection, moved, operation, "end")
        self._report(PlanMoved(held.plan_id, moved.phase, moved.state))
        return moved

    def _rebuild(self, held: Held, plan: Plan, operation: Operation[Apply]) -> None:
        """Gives a plan that is unapplied its sandbox back, if it was cleaned up.

        That comes before the project changes: what stands in the way leaves all as it was.
        """
        intent = operation.intent
        if not (isinstance(intent, Unapply) and intent.rebuilds):
            return
        place = self._workplaces.of(held, plan.project_id, operation.kind.noun)
        try:
            place.refill(intent.result)
        except Interrupted:
            raise  # it is made when this is finished
        except (CleverAgentsError, OSError) as error:
            detail = getattr(error, "detail", ())
            raise Failed(f"its sandbox could not be made again: {error}", detail=detail) from error


def _note(connection: Connection, plan: Plan, operation: Operation[Apply], end: End) -> None:
    """Tells the chats of the directory, so that what changes there is taken for nobody else's."""
    if isinstance(operation.intent.place, InFiles):
        note_act(connection, plan.project_id, operation.operation_id, operation.kind, end)
