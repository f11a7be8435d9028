"""Undo and redo: the newest deed that stands is taken back; the last undo is taken back."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.engine.hold.ownership import ways_out
from cleveragents.engine.undo.deeds import Deed, DeedList, DeedReader
from cleveragents.engine.undo.reversals import Effect, Reversal, ReversalResult, Ways
from cleveragents.engine.undo.trail import Direction
from cleveragents.errors import Busy, CleverAgentsError, Refused
from cleveragents.ids import CheckpointId, PlanId, made_at
from cleveragents.operations.intent import Retrace
from cleveragents.operations.kind import Status
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.naming import no_plan_yet
from cleveragents.records import frozen
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold

NOTHING: Mapping[Direction, str] = {
    Direction.BACK: "there is nothing to take back",
    Direction.FORWARD: "there is nothing to do again",
}


@frozen
class RetraceForesight:
    """The preview of an undo or a redo."""

    deed: Deed
    effect: Effect

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        return digest_of((), self.deed.deed_id, self.effect.digest)


@frozen
class RetraceResult:
    """The result of an undo or a redo."""

    deed: Deed  # as it was before
    operation: AnyOperation
    done: ReversalResult | None  # None: it had been interrupted, and was only finished now
    is_more_back: bool  # whether there is something left to take back
    is_more_forward: bool  # whether there is something to do again now

    @property
    def safety(self) -> CheckpointId | None:
        """The checkpoint of what was there before; an apply has a way back of its own."""
        return self.operation.intent.before


class UndoService:
    """Takes deeds back and does them again, one after the other."""

    def __init__(
        self, database: Database, reader: DeedReader, ways: Mapping[str, Ways], hold: Hold
    ) -> None:
        self._database = database
        self._reader = reader
        self._ways = ways
        self._hold = hold

    def deeds(self, plan_id: PlanId | None = None) -> DeedList:
        """Returns everything that was done here, or to one plan, the newest first."""
        found = self._reader.read(plan_id)
        if not found.plans:
            raise no_plan_yet()
        return found

    def latest_at(self, direction: Direction) -> datetime | None:
        """Returns when that was done which would be taken back next; None: there is nothing."""
        due = self._reader.read().trail.due(direction)
        return None if due is None else made_at(due.when)

    def owner(self, direction: Direction, plan_id: PlanId | None) -> PlanId | None:
        """Returns the plan whose turn it is; None: there is nothing to do."""
        found = self.deeds(plan_id)
        if found.busy and plan_id is not None:
            raise Busy(
                f"another process is at work on plan {plan_id}",
                hints=["wait for it to finish", *ways_out(plan_id)],
            )
        owner = found.trail.owner(direction)
        return None if owner is None else PlanId(owner)

    def preview(self, direction: Direction, plan_id: PlanId | None) -> RetraceForesight:
        """Tells what would be done; owns nothing, stores and changes nothing."""
        deed = self._next(direction, plan_id)
        with _naming(direction, deed):
            return self._foreseen(direction, deed)

    def run(
        self,
        direction: Direction,
        plan_id: PlanId | None,
        *,
        shown_digest: str | None = None,
        only: str | None = None,
    ) -> RetraceResult:
        """Does it; with a digest, only if it is still what was shown; or only with one deed."""
        owner = self._next(direction, plan_id).plan.plan_id
        with self._hold(owner, f"{direction} of what was done last") as held:
            deed = self._next(direction, plan_id, held=owner, only=only)
            with _naming(direction, deed):
                done = self._carry_out(held, direction, deed, shown_digest)
            return self._result(deed, done, plan_id)

    def _carry_out(
        self, held: Held, direction: Direction, deed: Deed, shown_digest: str | None
    ) -> ReversalResult:
        shown = None
        if shown_digest is not None:
            would = self._foreseen(direction, deed)
            refuse_other(shown_digest, would.digest, f"agents {direction}")
            shown = would.effect.digest
        way = self._way(direction, deed)
        return way.carry_out(held, deed, _retrace(direction, deed), shown)

    def finished(
        self, direction: Direction, begun: AnyOperation, plan_id: PlanId | None
    ) -> RetraceResult | None:
        """Returns what became of an operation that recovery had to finish, if it was just this."""
        deed = self.deeds(plan_id).find(begun.intent.retraced.deed)
        if deed is None or _retrace(direction, deed) != begun.intent.retraced:
            return None
        ended = self._ended(deed)
        if not ended or ended[-1].operation_id != begun.operation_id:
            return None  # it was taken back, or set aside
        return self._result(deed, None, plan_id)

    def _next(
        self,
        direction: Direction,
        plan_id: PlanId | None,
        *,
        held: PlanId | None = None,
        only: str | None = None,
    ) -> Deed:
        found = self._reader.read(plan_id, held=held)
        deed = found.find(found.trail.next(direction))
        is_another = deed is not None and only not in (None, deed.deed_id)
        if deed is None or is_another or held not in (None, deed.plan.plan_id):
            raise Refused(
                "what was to be done has changed meanwhile; nothing was done",
                hints=[f"look again: agents {direction}"],
            )
        return deed

    def _foreseen(self, direction: Direction, deed: Deed) -> RetraceForesight:
        return RetraceForesight(deed, self._way(direction, deed).look(deed))

    def _way(self, direction: Direction, deed: Deed) -> Reversal:
        ways = self._ways[deed.kind]
        return ways.back if direction is Direction.BACK else ways.forward

    def _result(
        self, deed: Deed, done: ReversalResult | None, plan_id: PlanId | None
    ) -> RetraceResult:
        """Tells what was recorded of it."""
        trail = self._reader.read(plan_id, held=deed.plan.plan_id).trail
        back, forward = (trail.next(each) is not None for each in Direction)
        return RetraceResult(deed, self._ended(deed)[-1], done, back, forward)

    def _ended(self, deed: Deed) -> Sequence[AnyOperation]:
        """The undos and redos of a deed that came to their end, in order."""
        with self._database.reading() as connection:
            operations = OperationRepository(connection).of_plan(deed.plan.plan_id)
        done = [one for one in operations if one.status is Status.DONE]
        return [one for one in done if one.intent.retraced.deed == deed.deed_id]


@contextmanager
def _naming(direction: Direction, deed: Deed) -> Generator[None]:
    """Names the deed with whatever it meets: who was shown nothing does not know which it is."""
    try:
        yield
    except CleverAgentsError as error:
        error.detail = (f"{direction} of {deed.title} (plan {deed.plan.name})", *error.detail)
        raise


def _retrace(direction: Direction, deed: Deed) -> Retrace:
    if direction is Direction.BACK:
        return Retrace(undoes=deed.deed_id)
    return Retrace(redoes=deed.deed_id)
