"""How each kind of deed is taken back and done again: by acts that there are for their own sake."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.comparison import path_told
from cleveragents.checkpoints.file_change import FileChange, action, telling
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.bring.apply import ApplyPhase
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.bring.proposal import BRANCH, ApplyOptions, Proposal
from cleveragents.engine.bring.withdrawal import Withdrawal
from cleveragents.engine.undo.deeds import STEP, Deed
from cleveragents.errors import Damaged, NotFound, Refused
from cleveragents.ids import CheckpointId
from cleveragents.operations.in_project import Apply
from cleveragents.operations.in_sandbox import Ending, GoBack
from cleveragents.operations.intent import Retrace
from cleveragents.operations.kind import Kind
from cleveragents.plans.journal import entries
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import StepRunRepository
from cleveragents.plans.undo_run import UndoRun
from cleveragents.records import frozen
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


@frozen
class Effect:
    """The preview of taking a deed back, or doing it again."""

    files: Sequence[FileChange]
    digest: str
    besides: Besides
    steps: Sequence[str] = ()  # that would not count any more
    mine: Sequence[str] = ()  # paths that stay as the user has them
    obstacles: Sequence[Obstacle] = ()
    ways_out: Sequence[str] = ()  # of them


@frozen
class ReversalResult:
    """Its result."""

    files: Sequence[FileChange]
    kept: Sequence[str] = ()  # directories that stay because they hold other files
    calls: Sequence[UndoRun] = ()  # what became of each call that declares an undo
    left: Sequence[str] = ()  # what nothing could undo
    mine: Sequence[str] = ()  # paths that stay as the user has them


class Reversal(Protocol):
    """One way to change what a deed has led to."""

    def look(self, deed: Deed) -> Effect: ...

    def carry_out(
        self, held: Held, deed: Deed, retraces: Retrace, shown: str | None
    ) -> ReversalResult: ...


@frozen
class Ways:
    """The way back and the way forward of a kind of deed."""

    back: Reversal
    forward: Reversal


@frozen
class Destination:
    """Where going back or forward leads."""

    checkpoint: CheckpointId | None
    ending: Ending


class ToCheckpoint:
    """Goes to a checkpoint and leaves the plan where it stood then."""

    def __init__(
        self,
        database: Database,
        reads: CheckpointReads,
        acts: CheckpointActs,
        destination: Callable[[Deed], Destination],
    ) -> None:
        self._database = database
        self._reads = reads
        self._acts = acts
        self._destination = destination

    def look(self, deed: Deed) -> Effect:
        """Tells what going there would change."""
        target = self.target(deed)
        would = self._reads.preview_rollback(deed.plan.plan_id, target)
        steps = self._along(deed.plan, target)
        return Effect(would.files, would.digest, would.besides, steps=steps)

    def carry_out(
        self, held: Held, deed: Deed, retraces: Retrace, shown: str | None
    ) -> ReversalResult:
        """Goes there."""
        result = self._acts.roll_back(
            held,
            self.target(deed),
            ending=self._destination(deed).ending,
            shown_digest=shown,
            retraces=retraces,
        )
        left = tuple(call.told for call in result.left)
        return ReversalResult(result.changes, result.kept, result.undo, left)

    def target(self, deed: Deed) -> Checkpoint:
        """Returns the checkpoint to go to."""
        plan_id = deed.plan.plan_id
        named = self._destination(deed).checkpoint or self._once_saved(deed)
        if named is None:
            raise Refused(
                "nothing was saved before it",
                detail=["the plan had no checkpoint then"],
                hints=[f"see what there is: agents plan checkpoint list {plan_id}"],
            )
        try:
            return self._reads.get_checkpoint(plan_id, named)
        except NotFound as error:
            raise Refused(
                f"the state to go to is gone: {error.message}",
                hints=error.hints,
            ) from error

    def _once_saved(self, deed: Deed) -> CheckpointId | None:
        """The start of a step whose checkpoint is gone: the journal remembers it."""
        with self._database.reading() as connection:
            happened = entries(connection, deed.plan.plan_id)
        told = [one.detail.get("checkpoint_id") for one in happened if one.ref_id == deed.deed_id]
        return next((CheckpointId(str(found)) for found in told if found), None)

    def _along(self, plan: Plan, target: Checkpoint) -> Sequence[str]:
        """The steps that count and would not any more."""
        listed = self._reads.document(plan.plan_id, target).counting
        with self._database.reading() as connection:
            going = StepRunRepository(connection).not_in(plan.plan_id, listed)
        return tuple({run.cursor: run.name for run in going}.values())


def before(deed: Deed) -> Destination:
    """The state before a deed."""
    return Destination(deed.before, deed.was or Ending.where(deed.plan))


def before_undo(deed: Deed) -> Destination:
    """The state before it was taken back; half of a step is none to come back to."""
    if deed.was_cut_off:
        raise Refused(
            f"{deed.title} was cut off when its process died, and cannot be done again so",
            hints=[f"run it: agents plan execute {deed.plan.plan_id}"],
        )
    intent = None if deed.undo is None else deed.undo.intent
    was = intent.was if isinstance(intent, GoBack) else None
    return Destination(intent.before if intent else None, was or Ending.where(deed.plan))


class IntoProject:
    """Brings the result of the plan into the project, as it was brought before."""

    def __init__(self, apply: ApplyPhase) -> None:
        self._apply = apply

    def look(self, deed: Deed) -> Effect:
        """Tells what the apply would change."""
        proposal = self._apply.preview(deed.plan.plan_id, _options(deed))
        return Effect(
            _brought(proposal),
            proposal.digest,
            Besides(),
            mine=proposal.options.left,
            obstacles=proposal.obstacles,
            ways_out=proposal.ways_out,
        )

    def carry_out(
        self, held: Held, deed: Deed, retraces: Retrace, shown: str | None
    ) -> ReversalResult:
        """Applies it."""
        done = self._apply.run(held.plan_id, _options(deed), shown_digest=shown, retraces=retraces)
        kept = () if done.applied is None else done.applied.kept
        return ReversalResult(_brought(done.proposal), kept, mine=done.proposal.options.left)


class OutOfProject:
    """Takes the result of the plan out of the project."""

    def __init__(self, apply: ApplyPhase) -> None:
        self._apply = apply

    def look(self, deed: Deed) -> Effect:
        """Tells what taking it out would change."""
        would = self._apply.preview_unapply(deed.plan.plan_id)
        return Effect(
            _taken_out(would),
            would.digest,
            Besides(),
            mine=would.left,
            obstacles=would.obstacles,
            ways_out=would.ways_out,
        )

    def carry_out(
        self, held: Held, deed: Deed, retraces: Retrace, shown: str | None
    ) -> ReversalResult:
        """Takes it out."""
        would = self._apply.preview_unapply(deed.plan.plan_id)
        done = self._apply.unapply(held.plan_id, shown_digest=shown, retraces=retraces)
        return ReversalResult(_taken_out(would), done.kept, mine=would.left)


def _taken_out(would: Withdrawal) -> Sequence[FileChange]:
    """The change of each path of the project; a branch changes none."""
    changes = () if would.merge is None else would.merge.changes
    found = [(path_told(change), action(change)) for change in telling(changes)]
    return [FileChange(path, "merged" if path in would.merged else how) for path, how in found]


def _options(deed: Deed) -> ApplyOptions:
    """How it was applied; what the user kept when it was taken out is theirs."""
    taken_out = deed.undo or deed.operation
    intent = None if taken_out is None else taken_out.intent
    if not isinstance(intent, Apply):
        raise Damaged(f"what the {deed.kind} was to do cannot be read")
    return ApplyOptions(intent.mode, intent.include_ignored, intent.left)


def _brought(proposal: Proposal) -> Sequence[FileChange]:
    """The change of each path of the project; a branch changes none."""
    if proposal.options.mode == BRANCH:
        return ()
    diffs = (file.diff for file in proposal.files)
    actions = {"deleted": "removed"}
    return tuple(FileChange(diff.path, actions.get(diff.status, "applied")) for diff in diffs)


def table(
    database: Database,
    reads: CheckpointReads,
    acts: CheckpointActs,
    apply: ApplyPhase,
) -> Mapping[str, Ways]:
    """How deeds are taken back and done again, by kind: another kind is another line."""
    in_sandbox = Ways(
        ToCheckpoint(database, reads, acts, before),
        ToCheckpoint(database, reads, acts, before_undo),
    )
    inwards, outwards = IntoProject(apply), OutOfProject(apply)
    return {
        STEP: in_sandbox,
        Kind.ROLLBACK: in_sandbox,
        Kind.CORRECT: in_sandbox,
        Kind.REVERT: in_sandbox,
        Kind.RESTORE: in_sandbox,
        Kind.RESOLVE: in_sandbox,
        Kind.REFRESH: in_sandbox,
        Kind.APPLY: Ways(outwards, inwards),
        Kind.UNAPPLY: Ways(inwards, outwards),
    }
