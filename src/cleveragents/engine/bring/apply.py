"""Apply: the result of a plan reaches the user's project, whole or not at all.

The user's files are looked at, merged off-tree, and everything that would be overwritten is a
refusal. Then: intent, exchange of the affected paths, verification, sync, one closing transaction.
"""

from collections.abc import Sequence

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.counting import counted
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.bring.application import Applications, ApplyOutcome
from cleveragents.engine.bring.obstacles import refuse
from cleveragents.engine.bring.proposal import BRANCH, ApplyOptions, Proposal, Proposals
from cleveragents.engine.bring.validate import Check, Validations
from cleveragents.engine.bring.withdrawal import Withdrawal, Withdrawals
from cleveragents.engine.hold.stuck import refuse_stuck
from cleveragents.errors import Refused
from cleveragents.ids import CheckpointId, PlanId, SnapshotId
from cleveragents.operations.in_project import Apply
from cleveragents.operations.intent import NO_RETRACE, Retrace
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import AnyOperation, Operation, OperationRepository
from cleveragents.plans.conflict import ConflictRepository
from cleveragents.plans.lifecycle import APPLIED, COMPLETE, Stage, written
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.sandbox.sandboxes import REPOSITORY, Sandboxes
from cleveragents.sandbox.users_repository import unfinished
from cleveragents.snapshots.tree.scan import shown
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold


@frozen
class ApplyResult:
    """The result of an apply."""

    plan: Plan
    applied: ApplyOutcome | None  # None: there was nothing to apply, and the plan stays as it was
    proposal: Proposal
    checks: Sequence[Check]


class ApplyPhase:
    """Applies the result of plans, and takes it back."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        checkpoints: CheckpointActs,
        proposals: Proposals,
        validations: Validations,
        applications: Applications,
        hold: Hold,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._checkpoints = checkpoints
        self._proposals = proposals
        self._validations = validations
        self._applications = applications
        self._withdrawals = Withdrawals(sandboxes)
        self._hold = hold

    def preview(self, plan_id: PlanId, options: ApplyOptions) -> Proposal:
        """Tells what an apply would do; owns nothing, stores nothing and changes nothing."""
        plan = self._plan(plan_id, COMPLETE)
        self._guard(plan, options)
        return self._proposals.make(plan, options)

    def run(
        self,
        plan_id: PlanId,
        options: ApplyOptions,
        *,
        shown_digest: str | None = None,
        retraces: Retrace = NO_RETRACE,
    ) -> ApplyResult:
        """Applies a finished plan; with a digest, only if it is still what was shown.

        An undo or a redo makes it applied again even if the project has all of it by now.
        """
        with self._hold(plan_id, "applying") as held:
            plan = self._plan(plan_id, COMPLETE)
            self._guard(plan, options)
            checks = self._validated(held, plan, options)
            with self._applications.project_owned(plan.project_id):
                self._guard(plan, options)
                result = self._proposals.keep_result(plan)
                proposal = self._proposals.make(plan, options, result)
                refuse(proposal.obstacles, proposal.ways_out)
                refuse_other(shown_digest, proposal.digest, options.command(plan_id))
                if not proposal.files and retraces.deed is None:
                    return ApplyResult(plan, None, proposal, checks)
                checkpoint_id = self._milestone(held, plan, proposal)
                operation = self._applications.open(
                    held, plan, proposal, result, checkpoint_id, retraces
                )
                applied = self._applications.carry_out(held, operation)
        if applied.error is not None:
            raise applied.error
        return ApplyResult(self._plan(plan_id, APPLIED), applied, proposal, checks)

    def _validated(self, held: Held, plan: Plan, options: ApplyOptions) -> Sequence[Check]:
        """Runs what must pass; what would be refused anyhow is refused before it."""
        if not plan.action.validate_:
            return ()
        result = self._proposals.keep_result(plan)
        proposal = self._proposals.make(plan, options, result)
        refuse(proposal.obstacles, proposal.ways_out)
        if not proposal.files:
            return ()
        return self._validations.check(held, plan, proposal.sandbox, result)

    def preview_unapply(self, plan_id: PlanId, *, keep_mine: bool = False) -> Withdrawal:
        """Tells what an unapply would change; owns nothing, stores nothing and changes nothing."""
        plan = self._plan(plan_id, APPLIED)
        project, _ = self._guard_project(plan)
        return self._withdrawals.make(plan, project, self._last(plan), keep_mine=keep_mine)

    def versions(self, plan: Plan) -> tuple[SnapshotId, SnapshotId]:
        """Returns the snapshots from before and after the apply of an applied plan."""
        return self._last(plan).intent.versions

    def unapply(
        self,
        plan_id: PlanId,
        *,
        keep_mine: bool = False,
        shown_digest: str | None = None,
        retraces: Retrace = NO_RETRACE,
    ) -> ApplyOutcome:
        """Takes an applied plan back; what you changed since in the same places is refused.

        To keep yours leaves those paths as they are, and takes all else back.
        """
        with self._hold(plan_id, "taking an apply back") as held:
            plan = self._plan(plan_id, APPLIED)
            with self._applications.project_owned(plan.project_id):
                way = self.preview_unapply(plan_id, keep_mine=keep_mine)
                refuse(way.obstacles, way.ways_out)
                refuse_other(shown_digest, way.digest, way.command)
                operation = self._applications.open_unapply(held, plan, way, retraces)
                undone = self._applications.carry_out(held, operation)
        if undone.error is not None:
            raise undone.error
        return undone

    def _plan(self, plan_id: PlanId, needed: Stage) -> Plan:
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(plan_id)
            if plan.stage == needed:
                return plan
            refuse_stuck(connection, plan_id)
            acts = OperationRepository(connection).of_plan(plan_id)
        is_undone = plan.stage == COMPLETE and _is_undone(acts)
        ways: dict[Stage, str] = {
            APPLIED: f"take it back first: agents plan unapply {plan_id}",
            COMPLETE: f"apply it: agents plan apply {plan_id}",
        }
        way = ways.get(plan.stage, f"run it to its end: agents plan execute {plan_id}")
        verb = "applied" if needed == COMPLETE else "unapplied"
        again = [f"an undo took it out: agents redo --plan {plan_id}"] if is_undone else []
        raise Refused(f"a plan in {written(plan.stage)} cannot be {verb}", hints=[*again, way])

    def _guard(self, plan: Plan, options: ApplyOptions) -> None:
        """Refuses what does not depend on single paths."""
        if plan.parent_plan_id is not None:
            raise Refused(
                "a subplan is not applied by itself: its result is part of its parent",
                hints=[f"apply the parent: agents plan apply {plan.parent_plan_id}"],
            )
        with self._database.reading() as connection:
            left = ConflictRepository(connection).open(plan.plan_id)
        if left:
            raise Refused(
                f"{counted(len(left), 'conflict is', 'conflicts are')} open",
                detail=[f"{shown(conflict.path)}: {conflict.reason}" for conflict in left],
                hints=[f"resolve them: agents plan conflicts {plan.plan_id}"],
            )
        project, sandbox = self._guard_project(plan)
        if options.mode == BRANCH:
            _refuse_branch(plan, project, sandbox)

    def _guard_project(self, plan: Plan) -> tuple[Project, Sandbox]:
        sandbox = self._sandboxes.find(plan.plan_id)
        with self._database.reading() as connection:
            project = projects.find(connection, plan.project_id)
        if not project.path.is_dir():
            raise Refused(
                f"the project is gone: {project.path}", hints=["put it back where it was"]
            )
        if sandbox is None or _is_another(project, sandbox):
            raise Refused(
                f"{project.path} is not the directory that the plan started from",
                hints=[f"merge what is there now: agents plan refresh {plan.plan_id}"],
            )
        begun = unfinished(project)
        if begun:
            raise Refused(
                "git is in the middle of something in the project",
                detail=begun,
                hints=["finish or abort it, then try again"],
            )
        return project, sandbox

    def _milestone(self, held: Held, plan: Plan, proposal: Proposal) -> CheckpointId | None:
        if not plan.keeps_checkpoints:
            return None
        reason = f"before its result is applied as {proposal.options.mode}"
        wanted = CheckpointRequest(CheckpointType.PRE_APPLY, reason)
        return self._checkpoints.make(held, wanted).checkpoint_id

    def _last(self, plan: Plan) -> Operation[Apply]:
        with self._database.reading() as connection:
            return OperationRepository(connection).latest(plan.plan_id, Apply)


def _is_undone(acts: Sequence[AnyOperation]) -> bool:
    """Whether the last thing that was done is that an undo took an apply out."""
    done = [one for one in acts if one.status is Status.DONE]
    return bool(done) and done[-1].kind is Kind.UNAPPLY and bool(done[-1].intent.retraced.undoes)


def _is_another(project: Project, sandbox: Sandbox) -> bool:
    """Whether something else took the place of the directory that a sandbox started from."""
    if sandbox.strategy == REPOSITORY and not project.is_repository:
        return True
    return sandbox.project_inode not in (None, projects.inode_of(project))


def _refuse_branch(plan: Plan, project: Project, sandbox: Sandbox) -> None:
    """Refuses a branch where there can be none."""
    hints = [f"apply it to the files: agents plan apply {plan.plan_id}"]
    if not project.is_repository:
        raise Refused("the project is no git repository, so there can be no branch", hints=hints)
    if sandbox.head is None:
        raise Refused(
            "there was no commit when the plan started, so a branch has nothing to stand on",
            hints=hints,
        )
