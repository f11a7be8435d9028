"""Fork: a second plan from any checkpoint of a first one, to try another way beside it."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.rollback import RollbackReads
from cleveragents.errors import Refused
from cleveragents.ids import DecisionId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.decision import DecisionRepository, NewDecision
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.origin import Origin
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox.sandbox import SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold


class ForkService:
    """Forks plans; the plan that is forked is only read."""

    def __init__(
        self, database: Database, sandboxes: Sandboxes, rollbacks: RollbackReads, hold: Hold
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._rollbacks = rollbacks
        self._hold = hold

    def fork(self, plan: Plan, checkpoint: Checkpoint, name: str) -> Plan:
        """Makes a plan that goes on from the checkpoint, with a sandbox of its own."""
        document = self._rollbacks.document(plan, checkpoint)
        with self._database.registering() as connection:
            _refuse_half_merged(connection, plan, document)
            plans = PlanRepository(connection)
            action = plans.action_of(plan, document.definition).model_copy(update={"name": name})
            origin = Origin(plan.plan_id, plan.name, checkpoint.checkpoint_id, checkpoint.name)
            made = plans.add(plan.project_id, action, stage=QUEUED, told=origin.to_record())
            plans.set_cursor(made.plan_id, document.cursor)
            _copy_decisions(connection, plan, made, document)
            sandboxes = SandboxRepository(connection)
            started = sandboxes.get(plan.plan_id)
            self._sandboxes.reserve(connection, made.plan_id, plan.plan_id, checkpoint.sandbox_ref)
            base = document.base or started.started_from
            sandboxes.inherit(made.plan_id, base=base, head=started.head)
        with self._hold(made.plan_id, "making its sandbox", files=False) as held:
            self._sandboxes.create(held, plan.project_id)
        with self._database.reading() as connection:
            return PlanRepository(connection).get(made.plan_id)


def _refuse_half_merged(connection: Connection, plan: Plan, document: PlanDocument) -> None:
    """Refuses a state that says more than its files: conflicts, and a group that is not done."""
    if document.conflicts:
        raise Refused("the checkpoint has open conflicts; fork one in which they are resolved")
    children = ChildRepository(connection).of_plan(plan.plan_id)
    if any(c.plan_id in document.children and c.parent_step == document.cursor for c in children):
        raise Refused("the checkpoint is in the middle of subplans; fork one before or after them")


def _copy_decisions(connection: Connection, plan: Plan, made: Plan, document: PlanDocument) -> None:
    """Gives the new plan the decisions that led to the checkpoint."""
    repository = DecisionRepository(connection)
    influences = repository.influences(plan.plan_id)
    copies: dict[DecisionId, DecisionId] = {}
    for row in repository.of_plan(plan.plan_id):
        if row.decision_id not in document.decisions:
            continue
        used = [other for mine, other in influences if mine == row.decision_id]
        copies[row.decision_id] = repository.add(
            made.plan_id,
            NewDecision(
                row.decision_type,
                row.question,
                row.chosen,
                row.alternatives,
                row.confidence,
                row.rationale,
                row.cursor,
                copies.get(row.parent_id) if row.parent_id else None,
                influenced_by=tuple(copies[other] for other in used if other in copies),
            ),
        )
