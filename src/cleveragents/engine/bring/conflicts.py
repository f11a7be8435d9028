"""The open conflicts of plans, and resolving them."""

import os
from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.shown import refuse_other
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.bring.resolution import ResolutionProposal, Resolutions
from cleveragents.engine.bring.versions import ConflictVersions, ConflictView
from cleveragents.errors import NotFound
from cleveragents.ids import PlanId
from cleveragents.plans.conflict import Conflict, ConflictRepository
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.quoting import quoted
from cleveragents.records import frozen
from cleveragents.snapshots.archive import MAIN
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold


@frozen
class ResolvedConflict:
    """A conflict that was resolved."""

    conflict: Conflict
    before: Checkpoint | None  # what takes it back; None for a plan without checkpoints


class ConflictService:
    """The open conflicts of plans."""

    def __init__(
        self,
        database: Database,
        resolutions: Resolutions,
        versions: ConflictVersions,
        checkpoints: CheckpointActs,
        hold: Hold,
    ) -> None:
        self._database = database
        self._resolutions = resolutions
        self._versions = versions
        self._checkpoints = checkpoints
        self._hold = hold

    def open(self, plan_id: PlanId) -> Sequence[Conflict]:
        """Returns what nobody has resolved yet, by path."""
        with self._database.reading() as connection:
            PlanRepository(connection).get(plan_id)  # refuses a plan that there is not
            return ConflictRepository(connection).open(plan_id)

    def view(self, plan_id: PlanId, path: str) -> ConflictView:
        """Returns an open conflict with both versions and what they came from."""
        return self._versions.view(self._plan(plan_id), self._find(plan_id, path))

    def preview(self, plan_id: PlanId, path: str, take: str) -> ResolutionProposal:
        """Tells what resolving a conflict would do; changes nothing."""
        return self._resolutions.propose(self._plan(plan_id), self._find(plan_id, path), take)

    def resolve(
        self, plan_id: PlanId, path: str, take: str, *, shown_digest: str | None = None
    ) -> ResolvedConflict:
        """Puts one side's version, or a file, in place, between two checkpoints.

        With a digest, only if it would still replace just what was shown.
        """
        with self._hold(plan_id, f"resolving the conflict in {path}") as held:
            plan = self._plan(plan_id)
            proposed = self._resolutions.propose(plan, self._find(plan_id, path), take)
            again = f"agents plan resolve {plan_id} {quoted(path)} --take {quoted(take)}"
            refuse_other(shown_digest, proposed.digest, again)
            reason, going = f"before {path} was resolved", {MAIN: list(proposed.going)}
            before = self._checkpoints.save_before(held, plan, reason, going)
            operation = self._resolutions.open(held, plan, proposed, before)
            self._resolutions.carry_out(held, operation)
            return ResolvedConflict(proposed.conflict, before)

    def _find(self, plan_id: PlanId, path: str) -> Conflict:
        for conflict in self.open(plan_id):
            if conflict.path == os.fsencode(path.removeprefix("./")):
                return conflict
        raise NotFound(
            f"no open conflict in {path}", hints=[f"see: agents plan conflicts {plan_id}"]
        )

    def _plan(self, plan_id: PlanId) -> Plan:
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan_id)
