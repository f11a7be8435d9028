"""The footprint of an act, files and all else: told before it happens, whole."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.file_change import FileChange, described
from cleveragents.checkpoints.shown import digest_of
from cleveragents.checkpoints.undo import CallsAfter
from cleveragents.plans.decision import Decision
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.snapshots.way import Changes

NO_CALLS = CallsAfter((), ())


@frozen
class Besides:
    """Calls, subplans, decisions and checkpoints that an act does not leave as they are."""

    calls: CallsAfter = NO_CALLS
    subplans: tuple[Plan, ...] = ()
    decisions: tuple[Decision, ...] = ()  # that stop counting
    left_behind: tuple[Checkpoint, ...] = ()  # that no longer lead to the present

    @property
    def identities(self) -> tuple[tuple[str, ...], ...]:
        """The ids that tell it apart from another."""
        return (
            tuple(call.run.step_run_id for call in self.calls.due),
            tuple(call.told for call in self.calls.left),
            tuple(plan.plan_id for plan in self.subplans),
            tuple(decision.decision_id for decision in self.decisions),
            tuple(row.checkpoint_id for row in self.left_behind),
        )


@frozen(kw_only=True)
class Footprint:
    """All that going back would touch."""

    changes: Changes
    besides: Besides

    @property
    def aim(self) -> str:
        """Where it leads, where that is not told by what it touches."""
        return ""

    @property
    def files(self) -> tuple[FileChange, ...]:
        """The files, as users read them."""
        return described(self.changes)

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        listed = [change for changes in self.changes.values() for change in changes]
        return digest_of(listed, self.aim, self.besides.identities)
