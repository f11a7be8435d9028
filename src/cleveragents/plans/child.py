"""A child: a plan that a step of another plan spawned, and that counts there until taken back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cleveragents.ids import CauseId, PlanId, SnapshotId
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, QUEUED
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.storage.connection import Connection

if TYPE_CHECKING:
    from cleveragents.plans.action import Action

_OF_PLAN = "SELECT plan_id FROM plans WHERE parent_plan_id = :plan_id ORDER BY number"


class ChildRepository:
    """The rows of plans, seen from their parents."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._plans = PlanRepository(connection)

    def spawn(self, parent: Plan, action: "Action") -> Plan:
        """Records a child of the step at the parent's cursor, ready to be executed."""
        child = self._plans.add(parent.project_id, action, stage=QUEUED)
        self._set(child.plan_id, parent_plan_id=parent.plan_id, parent_step=parent.cursor)
        return self._plans.get(child.plan_id)

    def of_plan(self, plan_id: PlanId) -> Sequence[Plan]:
        """Returns every child of a plan in order, those taken back included."""
        found = self._connection.column(_OF_PLAN, plan_id=plan_id)
        return [self._plans.get(child_id) for child_id in found]

    def counting(self, plan_id: PlanId) -> Sequence[Plan]:
        """Returns the children of a plan that nothing took back, in order."""
        return [child for child in self.of_plan(plan_id) if child.superseded_by is None]

    def below(self, plan_id: PlanId) -> Iterator[Plan]:
        """Yields the children that count and theirs, at any depth, parents first."""
        for child in self.counting(plan_id):
            yield child
            yield from self.below(child.plan_id)

    def set_merged(self, child_id: PlanId, snapshot_id: SnapshotId) -> None:
        """Records what of a child was merged into its parent."""
        self._set(child_id, merged_ref=snapshot_id)

    def supersede(self, child_id: PlanId, by: CauseId) -> None:
        """Says that a child counts no longer, and what took its place."""
        self._set(child_id, superseded_by=by)

    def going(self, plan_id: PlanId, listed: Mapping[PlanId, SnapshotId | None]) -> list[Plan]:
        """Returns the children that would not count if exactly the listed did, and all theirs."""
        return [
            plan
            for child in self.counting(plan_id)
            if child.plan_id not in listed
            for plan in (child, *self.below(child.plan_id))
        ]

    def make_active(
        self, plan_id: PlanId, listed: Mapping[PlanId, SnapshotId | None], cause: CauseId
    ) -> list[Plan]:
        """Makes exactly the listed children count; returns the plans that were cancelled.

        One that comes back goes on from where it was: what it had finished stays finished.
        """
        gone = self.going(plan_id, listed)
        for child in gone:
            self.cancel(child)
            if child.parent_plan_id == plan_id:
                self.supersede(child.plan_id, cause)
        for child_id, merged in listed.items():
            child = self._plans.get(child_id)
            self._set(child_id, superseded_by=None, merged_ref=merged)
            if child.superseded_by is not None:
                for plan in (child, *self.below(child_id)):
                    self._revive(plan)
        return gone

    def cancel(self, child: Plan) -> None:
        """Moves a child to cancelled, wherever it is."""
        if child.stage != CANCELLED:
            self._plans.move(child.plan_id, CANCELLED)

    def _revive(self, child: Plan) -> None:
        self._plans.move(child.plan_id, COMPLETE if child.step is None else QUEUED)

    def _set(self, child_id: PlanId, **values: object) -> None:
        self._connection.update("plans", {"plan_id": child_id}, **values)
