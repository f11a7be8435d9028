"""Reversion: a plan is planned anew; what it has done goes back to the start, as one act."""

from contextlib import ExitStack
from pathlib import Path

from cleveragents.checkpoints.besides import Besides, Footprint
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.back.restating import restated
from cleveragents.engine.back.rollback import Rollbacks
from cleveragents.engine.run.strategist import Strategist
from cleveragents.engine.run.strategize import root_of, unkept
from cleveragents.errors import Failed, Refused
from cleveragents.ids import CheckpointId, DecisionId, PlanId, new_id
from cleveragents.operations.in_sandbox import Ending, PlanAnew
from cleveragents.operations.operation import Operation, OperationRepository
from cleveragents.plans.action import Action, read_again
from cleveragents.plans.decision import INTERVENTIONS, REVERSION, DecisionRepository, NewDecision
from cleveragents.plans.document import current_document, make_current
from cleveragents.plans.lifecycle import STRATEGIZED, STRATEGIZING
from cleveragents.plans.plan import Plan, PlanRepository, file_hash, refuse_applied
from cleveragents.records import frozen, replace
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold

LIMIT = 3  # how many times a plan may be planned anew
ANEW = "make a new one: agents plan use ACTION"


@frozen
class _Anew:
    """The record of a plan that is planned anew."""

    action: Action
    number: int  # of the action, among those the plan has had
    guidance: str
    root_id: DecisionId
    reversion_id: DecisionId
    said: tuple[DecisionId, ...]  # what users have said before: it goes on counting
    action_hash: str | None  # of the file that the action was read from

    @property
    def decisions(self) -> tuple[DecisionId, ...]:
        """The decisions that count afterwards."""
        return (*self.said, self.root_id, self.reversion_id)


@frozen(kw_only=True)
class BackToStart(Footprint):
    """The preview of planning anew."""

    plan: Plan
    times_left: int  # how often it may still be done


@frozen
class ReversionResult:
    """A plan that was planned anew."""

    plan: Plan
    safety: Checkpoint | None  # what there was before; None: nothing had run


class ReversionService:
    """Plans anew."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        reads: CheckpointReads,
        checkpoints: CheckpointActs,
        rollbacks: Rollbacks,
        strategist: Strategist,
        hold: Hold,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._reads = reads
        self._checkpoints = checkpoints
        self._rollbacks = rollbacks
        self._strategist = strategist
        self._hold = hold

    def preview(self, plan_id: PlanId) -> BackToStart:
        """Tells all that planning anew takes back; owns nothing, stores and changes nothing."""
        plan = self._plan(plan_id)
        self._refuse(plan)
        first = self._first(plan)
        with self._database.reading() as connection:
            counting = DecisionRepository(connection).counting(plan_id)
        said = tuple(row.decision_id for row in counting if row.decision_type in INTERVENTIONS)
        if first is None:
            gone = tuple(row for row in counting if row.decision_id not in said)
            changes, besides = {MAIN: list[Change]()}, Besides(decisions=gone)
            return BackToStart(
                plan=plan, times_left=self._left(plan), changes=changes, besides=besides
            )
        document = replace(self._reads.rollbacks.document(plan, first), decisions=said)
        changes = self._reads.rollbacks.preview(plan, first)
        besides = self._reads.rollbacks.besides(plan, first, document)
        return BackToStart(plan=plan, times_left=self._left(plan), changes=changes, besides=besides)

    def to_strategize(
        self, plan_id: PlanId, guidance: str, *, shown_digest: str | None = None
    ) -> ReversionResult:
        """Reads the action file or asks the strategist again; the plan then starts from there.

        A problem with the new steps leaves everything as it is. With a digest, it goes only as was
        shown.
        """
        with self._hold(plan_id, "planning anew") as held:
            plan = self._plan(plan_id)
            self._refuse(plan)
            if shown_digest is not None:
                again = f"agents plan revert --to-phase strategize {plan_id}"
                refuse_other(shown_digest, self.preview(plan_id).digest, again)
            first = self._first(plan)
            anew = self._anew(plan, guidance)
            if first is None:
                self._start_from_nothing(held, plan, anew)
            safety = None if first is None else self._go_back(held, plan, first, anew)
            return ReversionResult(self._plan(plan_id), safety)

    def _left(self, plan: Plan) -> int:
        """Returns how many times a plan may still be planned anew."""
        with self._database.reading() as connection:
            rows = DecisionRepository(connection).of_plan(plan.plan_id)
        return LIMIT - sum(row.decision_type == REVERSION for row in rows)

    def _first(self, plan: Plan) -> Checkpoint | None:
        """The checkpoint of the start; None: nothing has run yet."""
        if self._sandboxes.find(plan.plan_id) is None:
            return None
        rows = self._reads.list_checkpoints(plan.plan_id)
        if not rows:
            raise Refused(
                "the plan has no checkpoint: its files cannot be taken back", hints=[ANEW]
            )
        return rows[0]

    def _refuse(self, plan: Plan) -> None:
        refuse_applied(plan)
        if self._left(plan) <= 0:
            raise Refused(f"the plan was planned anew {LIMIT} times already", hints=[ANEW])

    def _anew(self, plan: Plan, guidance: str) -> _Anew:
        with self._database.reading() as connection:
            project = projects.find(connection, plan.project_id)
            rows = DecisionRepository(connection).counting(plan.plan_id)
            number = PlanRepository(connection).newest_definition(plan.plan_id) + 1
        said = [row for row in rows if row.decision_type in INTERVENTIONS]
        read = plan.action_hash
        if plan.action.strategist is None:
            read = None if plan.action_path is None else file_hash(Path(plan.action_path))
            action = _read_again(plan)
        else:
            texts = [*(row.chosen for row in said), guidance]
            action = self._strategist.complete(plan.action, plan.plan_id, project.path, texts)
        if (error := unkept(action)) is not None:
            raise Failed(error.message, detail=error.detail)
        ids = tuple(row.decision_id for row in said)
        return _Anew(
            action, number, guidance, DecisionId(new_id()), DecisionId(new_id()), ids, read
        )

    def _start_from_nothing(self, held: Held, plan: Plan, anew: _Anew) -> None:
        """Nothing has run yet: only the rows change."""
        with self._database.writing(held) as connection:
            document = current_document(connection, plan)
            _record(connection, plan, anew, superseded_by=None)
            changed = replace(document, decisions=anew.decisions, definition=anew.number)
            make_current(connection, plan.plan_id, changed, anew.reversion_id)
            PlanRepository(connection).move(plan.plan_id, STRATEGIZING)
            PlanRepository(connection).move(plan.plan_id, STRATEGIZED)

    def _go_back(self, held: Held, plan: Plan, first: Checkpoint, anew: _Anew) -> Checkpoint:
        saved = self._checkpoints.save_safety(held, "before it was planned anew", first)
        safety = saved.checkpoint
        start = self._reads.rollbacks.document(plan, first)
        goal = restated(
            self._sandboxes.archive(plan.project_id),
            first,
            replace(start, decisions=anew.decisions, definition=anew.number),
            seq=safety.seq + 1,
            reason="the start, planned anew",
            action=anew.action,
        )
        with ExitStack() as stack:
            intent = PlanAnew(
                target=goal.checkpoint_id,
                safety=safety.checkpoint_id,
                record=CheckpointId(new_id()),
                ending=Ending(STRATEGIZED),
                going=self._checkpoints.save_children(held, plan, start, stack),
                was=Ending.where(plan),
            )
            self._rollbacks.carry_out(held, self._open(held, plan, goal, intent, anew))
        return safety

    def _open(
        self, held: Held, plan: Plan, goal: Checkpoint, intent: PlanAnew, anew: _Anew
    ) -> Operation[PlanAnew]:
        with self._database.writing(held) as connection:
            CheckpointRepository(connection).add(goal)
            operation = OperationRepository(connection).open(plan.plan_id, intent)
            _record(connection, plan, anew, superseded_by=operation.operation_id)
        return operation

    def _plan(self, plan_id: PlanId) -> Plan:
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan_id)


def _read_again(plan: Plan) -> Action:
    """Reads the action file as it is now, with the arguments as they were."""
    if plan.action_path is None:
        raise Refused("the plan was not made from an action file", hints=[ANEW])
    return read_again(Path(plan.action_path), plan.action)


def _record(connection: Connection, plan: Plan, anew: _Anew, *, superseded_by: str | None) -> None:
    """Records the action, a new root and why."""
    PlanRepository(connection).redefine(plan.plan_id, anew.number, anew.action)
    PlanRepository(connection).set_action_hash(plan.plan_id, anew.action_hash)
    repository = DecisionRepository(connection)
    repository.add(
        plan.plan_id, root_of(anew.action), decision_id=anew.root_id, superseded_by=superseded_by
    )
    why = NewDecision(REVERSION, "Why is it planned anew?", anew.guidance, parent_id=anew.root_id)
    repository.add(plan.plan_id, why, decision_id=anew.reversion_id, superseded_by=superseded_by)
