"""Several deeds taken back together: one of them and everything newer, shown and asked about once.

Each is taken back by an undo of its own, so that each can be done again by itself. What a later one
meets stops the series there: what was taken back by then is told, and what was not.
"""

from collections.abc import Iterator, Sequence

from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.comparison import Comparisons, FileDiff
from cleveragents.checkpoints.file_change import FileChange, described
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.checkpoints.stored import verified
from cleveragents.engine.undo.deeds import STEP, Deed, DeedList
from cleveragents.engine.undo.reversals import Effect, ToCheckpoint
from cleveragents.engine.undo.service import RetraceResult, UndoService
from cleveragents.engine.undo.trail import Direction
from cleveragents.errors import CleverAgentsError, Damaged, Failed, Refused, in_words
from cleveragents.ids import PlanId
from cleveragents.operations.in_project import Apply
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.way import Changes
from cleveragents.storage.database import Database

PICK = "agents undo --pick"
YOURS = "your project"
TOLD = {Kind.APPLY: "put back", Kind.UNAPPLY: "applied"}  # what undoing them makes of their paths


@frozen
class Part:
    """The changes of a series in one place."""

    where: str
    files: Sequence[FileChange] = ()
    besides: Besides = Besides()
    digest: str = ""
    mine: Sequence[str] = ()  # paths that stay as the user has them
    unknown: str = ""  # why it cannot be told
    is_branch: bool = False  # which goes or comes as a whole


@frozen
class SeriesForesight:
    """The preview of taking several deeds back."""

    deeds: Sequence[Deed]  # the newest first
    parts: Sequence[Part]
    first: Effect  # of the newest; what stands in the way of others shows when it is their turn

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        told = [(part.where, part.digest, part.unknown) for part in self.parts]
        return digest_of((), [deed.deed_id for deed in self.deeds], told, self.first.digest)


@frozen
class SeriesResult:
    """The deeds that were taken back, and those that were not."""

    done: Sequence[RetraceResult]  # the newest deed first
    left: Sequence[Deed]  # that were to be taken back
    error: CleverAgentsError | None  # why not

    @property
    def last(self) -> RetraceResult:
        """The undo after which nothing more was done."""
        return self.done[-1]


class SeriesLook:
    """Looks at what taking several deeds back would change; stores and changes nothing."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        reads: CheckpointReads,
        before: ToCheckpoint,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._comparisons = Comparisons(sandboxes)
        self._reads = reads
        self._before = before

    def series(self, found: DeedList, deed_id: str) -> list[Deed]:
        """Returns the deeds that stand until one of them does not, each in its turn.

        To take a rollback back makes steps count again, which are to be taken back then, too.
        """
        standing, series = set(found.trail.standing), list[Deed]()
        while deed_id in standing:
            deed = next(each for each in found.deeds if each.deed_id in standing)
            series.append(deed)
            standing.discard(deed.deed_id)
            standing = self._standing_after(found, deed, standing)
        return series

    def _standing_after(self, found: DeedList, deed: Deed, standing: set[str]) -> set[str]:
        """The deeds that stand once one is taken back; of steps, those of the state before it."""
        if _is_in_project(deed):
            return standing
        try:
            document = self._reads.document(deed.plan.plan_id, self._before.target(deed))
        except CleverAgentsError:
            return standing  # it is refused when its turn comes
        counting = {*document.counting, *document.decisions}
        mine = [
            one for one in found.deeds if one.plan.plan_id == deed.plan.plan_id and one.kind == STEP
        ]
        steps = {one.deed_id for one in mine}
        return (standing - steps) | (steps & counting)

    def parts(self, series: Sequence[Deed]) -> list[Part]:
        """Tells what would change, place by place."""
        found = [_in_project(deed, intent) for deed, intent in self._brought(series)]
        return [*found, *map(self._in_sandbox, _by_plan(series))]

    def diff(self, series: Sequence[Deed]) -> list[FileDiff]:
        """Tells how files would differ, line by line."""
        found: list[FileDiff] = []
        for deed, intent in self._brought(series):
            old, new = intent.versions
            found += self._comparisons.between_snapshots(deed.plan, new, old)
        for deeds in _by_plan(series):
            plan, target = deeds[-1].plan, self._before.target(deeds[-1])
            if self._sandboxes.is_there(plan.plan_id):
                found += self._comparisons.back_to(plan, target)
            else:
                result = self._applied(plan).result
                found += self._comparisons.between_snapshots(plan, result, target.sandbox_ref)
        return found

    def _brought(self, series: Sequence[Deed]) -> Iterator[tuple[Deed, Apply]]:
        """The applies and unapplies, each with what is there now.

        An apply that was done again may have brought less than the first time.
        """
        seen = set[PlanId]()
        for deed in filter(_is_in_project, series):
            is_last = deed.kind == Kind.APPLY and deed.plan.plan_id not in seen
            seen.add(deed.plan.plan_id)
            yield deed, self._applied(deed.plan) if is_last else _intent(deed)

    def _in_sandbox(self, deeds: Sequence[Deed]) -> Part:
        """The changes in a sandbox: all follow from where the last deed leads."""
        plan = deeds[-1].plan
        where = f"sandbox of {plan.name}"
        try:
            target = self._before.target(deeds[-1])
            archive = self._sandboxes.archive(plan.project_id)
            changes = self._changes(plan, verified(archive, target))
            besides = self._reads.preview_rebuild(plan.plan_id, target).besides
        except CleverAgentsError as error:
            return Part(where, unknown=error.message)
        listed = [change for each in changes.values() for change in each]
        return Part(where, described(changes), besides, digest_of(listed, besides.identities))

    def _changes(self, plan: Plan, target: Snapshot) -> Changes:
        """From the sandbox as it is, or as it will be made again for an applied plan."""
        archive = self._sandboxes.archive(plan.project_id)
        sandbox = self._sandboxes.find(plan.plan_id)
        if sandbox is not None and sandbox.exists:
            return archive.changes_from_now(target, sandbox.roots)
        return archive.changes(archive.load(self._applied(plan).result), target)

    def _applied(self, plan: Plan) -> Apply:
        with self._database.reading() as connection:
            return OperationRepository(connection).latest(plan.plan_id, Apply).intent


class UndoSeries:
    """Takes a deed and everything newer back."""

    def __init__(self, undo: UndoService, look: SeriesLook) -> None:
        self._undo = undo
        self._look = look

    def standing(self, plan_id: PlanId | None) -> list[Deed]:
        """Returns the deeds that can be taken back, the newest first."""
        found = self._undo.deeds(plan_id)
        standing = set(found.trail.standing)
        return [deed for deed in found.deeds if deed.deed_id in standing]

    def series(self, deed_id: str, plan_id: PlanId | None) -> list[Deed]:
        """Returns what would be taken back, the newest first."""
        series = self._look.series(self._undo.deeds(plan_id), deed_id)
        if not series:
            raise Refused(
                "it does not stand any more; nothing was taken back", hints=[f"look again: {PICK}"]
            )
        return series

    def parts(self, deed_id: str, plan_id: PlanId | None) -> list[Part]:
        """Tells what would change; owns nothing, stores and changes nothing."""
        return self._look.parts(self.series(deed_id, plan_id))

    def diff(self, deed_id: str, plan_id: PlanId | None) -> list[FileDiff]:
        """Tells how files would differ."""
        return self._look.diff(self.series(deed_id, plan_id))

    def preview(self, deed_id: str, plan_id: PlanId | None) -> SeriesForesight:
        """Tells all that would be done; what stands in the way of the newest is known by now."""
        series = self.series(deed_id, plan_id)
        first = self._undo.preview(Direction.BACK, plan_id).effect
        return SeriesForesight(series, self._look.parts(series), first)

    def run(
        self, deed_id: str, plan_id: PlanId | None, *, shown_digest: str | None = None
    ) -> SeriesResult:
        """Takes them back, one after the other; with a digest, only if it is what was shown."""
        would = self.preview(deed_id, plan_id)
        refuse_other(shown_digest, would.digest, PICK)
        done = list[RetraceResult]()
        for index, deed in enumerate(would.deeds):
            try:
                done.append(self._undo.run(Direction.BACK, plan_id, only=deed.deed_id))
            except (CleverAgentsError, OSError) as error:
                if not done:
                    raise
                return SeriesResult(done, would.deeds[index:], _met(error))
        return SeriesResult(done, (), None)


def _met(error: CleverAgentsError | OSError) -> CleverAgentsError:
    return error if isinstance(error, CleverAgentsError) else Failed(in_words(error))


def _is_in_project(deed: Deed) -> bool:
    return deed.kind in TOLD


def _intent(deed: Deed) -> Apply:
    intent = None if deed.operation is None else deed.operation.intent
    if not isinstance(intent, Apply):
        raise Damaged(f"what the {deed.kind} was to do cannot be read")
    return intent


def _in_project(deed: Deed, intent: Apply) -> Part:
    """The changes in the project as noted then: what is there now is merged with them."""
    if intent.branch is not None:
        goes = "goes" if deed.kind == Kind.APPLY else "is made again"
        return Part(f"branch {intent.branch.branch} {goes}", is_branch=True)
    verb = TOLD[Kind(deed.kind)]
    return Part(YOURS, [FileChange(path, verb) for path in intent.paths], mine=intent.left)


def _by_plan(series: Sequence[Deed]) -> list[list[Deed]]:
    """The deeds in sandboxes, plan by plan."""
    found = dict[PlanId, list[Deed]]()
    for deed in series:
        if not _is_in_project(deed):
            found.setdefault(deed.plan.plan_id, []).append(deed)
    return list(found.values())
