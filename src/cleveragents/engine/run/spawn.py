"""Spawns subplans: plans of their own from the first moment, that start from the parent's state."""

from collections.abc import Sequence

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.ids import CheckpointId, DecisionId, SnapshotId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.decision import (
    PROMPT_DEFINITION,
    SUBPLAN_SPAWN,
    DecisionRepository,
    NewDecision,
)
from cleveragents.plans.lifecycle import CANCELLED
from cleveragents.plans.plan import Plan, PlanError, PlanRepository
from cleveragents.plans.step import Subplan
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


class Spawns:
    """Makes the children of plans; what is held is the parent."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        checkpoints: CheckpointActs,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._checkpoints = checkpoints

    def spawn(self, held: Held, plan: Plan, subplans: Sequence[Subplan]) -> list[Plan]:
        """Records the children, each with the decision for it and what it starts from.

        The checkpoint before is the one to go back to; that after it lets a crash go on with them.
        """
        names = ", ".join(subplan.name for subplan in subplans)
        checkpoint_id, base_ref = self._state(held, plan, names)
        children: list[Plan] = []
        with self._database.writing(held) as connection:
            parent_id = DecisionRepository(connection).holding(plan.plan_id, plan.cursor)
            for subplan in subplans:
                child = self._record(connection, plan, subplan, parent_id, checkpoint_id)
                self._sandboxes.reserve(connection, child.plan_id, plan.plan_id, base_ref)
                children.append(child)
        self._save(held, plan, f"spawned {names}")
        return children

    def skip(self, held: Held, plan: Plan, subplan: Subplan, reason: str) -> Plan:
        """Records a child that is not going to run."""
        with self._database.writing(held) as connection:
            parent_id = DecisionRepository(connection).holding(plan.plan_id, plan.cursor)
            child = self._record(connection, plan, subplan, parent_id, None)
            return PlanRepository(connection).move(
                child.plan_id, CANCELLED, error=PlanError(reason)
            )

    def _record(
        self,
        connection: Connection,
        plan: Plan,
        subplan: Subplan,
        parent_id: DecisionId,
        checkpoint_id: CheckpointId | None,
    ) -> Plan:
        decisions = DecisionRepository(connection)
        spawned = NewDecision(
            SUBPLAN_SPAWN,
            "Which subplan?",
            subplan.name,
            cursor=plan.cursor,
            parent_id=parent_id,
            checkpoint_id=checkpoint_id,
        )
        decision_id = decisions.add(plan.plan_id, spawned)
        child = ChildRepository(connection).spawn(plan, plan.action.of_subplan(subplan))
        asked = subplan.description or subplan.name
        root = NewDecision(PROMPT_DEFINITION, "What is to be done?", asked, parent_id=decision_id)
        decisions.add(child.plan_id, root)
        return child

    def _state(self, held: Held, plan: Plan, names: str) -> tuple[CheckpointId | None, SnapshotId]:
        """Returns the checkpoint before a spawn, if there is one, and the snapshot of the state."""
        if not plan.keeps_checkpoints:
            filter_ = self._checkpoints.policy.filter
            return None, self._sandboxes.capture(plan.plan_id, plan.project_id, filter_)
        reason = f"before spawning {names}"
        self._checkpoints.make_due(held, Trigger.ON_SUBPLAN_SPAWN, reason)
        # Before every decision there is one, whatever the settings say.
        wanted = CheckpointRequest(CheckpointType.DECISION, reason, even_if_unchanged=False)
        made = self._checkpoints.make(held, wanted)
        return made.checkpoint_id, made.sandbox_ref

    def _save(self, held: Held, plan: Plan, reason: str) -> None:
        if plan.keeps_checkpoints:
            wanted = CheckpointRequest(CheckpointType.SUBPLAN, reason, even_if_unchanged=False)
            self._checkpoints.make(held, wanted)
