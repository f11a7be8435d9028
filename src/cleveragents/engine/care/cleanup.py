"""Cleanup: what sandboxes lie around, what they cost, and which of them may go.

Only what a later process can build again goes by itself: the files of applied plans. All other work
goes if somebody says `--discard`, and even then it is kept as a checkpoint first. What checkpoints
leave out, or what no room is left to save, is named before it goes, and goes only then.
"""

from collections.abc import Sequence
from pathlib import Path

from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.engine.back.removal import RemovalResult, Removals, told_why_it_stays
from cleveragents.errors import CleverAgentsError, Interrupted
from cleveragents.events import Note, Reporter, afterwards
from cleveragents.plans.lifecycle import APPLIED, CANCELLED
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import REMOVED, Sandbox
from cleveragents.sandbox.sandboxes import REMOVING, Sandboxes
from cleveragents.storage.held import Hold
from cleveragents.storage.space import disk_use

ON_TERMINAL = "on_terminal"  # sandboxes of cancelled plans go as well
NOTHING = RemovalResult(None, ())


@frozen
class SandboxFiles:
    """A sandbox whose files are on the disk."""

    plan: Plan | None  # None: what an interrupted command left
    path: Path
    size_bytes: int
    is_leftover: bool = False  # it counts as removed already

    @property
    def may_go(self) -> bool:
        """Whether no work is lost with it: its result is applied, or it is nobody's."""
        return self.plan is None or self.is_leftover or self.plan.stage == APPLIED


@frozen
class PruneProposal:
    """The sandboxes there are, and those that would go."""

    found: Sequence[SandboxFiles]
    judged: Sequence[tuple[SandboxFiles, tuple[str, ...]]]  # each with what would be gone for good
    unsaved: Sequence[
        tuple[SandboxFiles, tuple[str, ...]]
    ]  # with what there may be no room to save
    discard: bool

    @property
    def doomed(self) -> Sequence[SandboxFiles]:
        """Those that go."""
        return [each for each, unheld in self.judged if self.discard or not unheld]

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        sides = (self.judged, self.unsaved)
        return digest_of((), [[(str(each.path), paths) for each, paths in side] for side in sides])


@frozen
class PrunedSandbox:
    """A sandbox that was to go."""

    lying: SandboxFiles
    removed: RemovalResult
    error: CleverAgentsError | OSError | None = None  # why it did not, or not all of it


class Cleanup:
    """Lists and removes sandboxes of the project."""

    def __init__(
        self, policy: str, sandboxes: Sandboxes, removals: Removals, hold: Hold, report: Reporter
    ) -> None:
        self._policy = policy
        self._sandboxes = sandboxes
        self._removals = removals
        self._hold = hold
        self._report = report

    def list(self, plans: Sequence[Plan]) -> Sequence[SandboxFiles]:
        """Returns what is on the disk, of these plans and of nobody."""
        found = [(plan, self._sandboxes.find(plan.plan_id)) for plan in plans]
        lying = [
            SandboxFiles(plan, sandbox.path, disk_use(sandbox.home), not sandbox.exists)
            for plan, sandbox in found
            if sandbox is not None and _lies(sandbox)
        ]
        left = [SandboxFiles(None, path, disk_use(path)) for path in self._sandboxes.left_behind()]
        return [*left, *lying]  # what is left of a sandbox goes before the one that was rebuilt

    def propose(self, plans: Sequence[Plan], *, discard: bool) -> PruneProposal:
        """Tells what would go; with `discard` also work that was never applied."""
        found = self.list(plans)
        judged = [(each, self._unheld(each)) for each in found if each.may_go or discard]
        unsaved = [(each, self._without_room(each)) for each, _ in judged] if discard else []
        return PruneProposal(found, judged, unsaved, discard)

    def _unheld(self, lying: SandboxFiles) -> tuple[str, ...]:
        """Names what would be gone for good with a sandbox."""
        return () if lying.plan is None else self._removals.unheld(lying.plan)

    def _without_room(self, lying: SandboxFiles) -> tuple[str, ...]:
        """Names what is to be saved before a sandbox goes, where there may be no room for that."""
        return () if lying.plan is None else self._removals.without_room(lying.plan)

    def after_cancel(self, plan: Plan) -> None:
        """Removes the sandbox of a cancelled plan if the policy says so and it can be rebuilt."""
        sandbox = self._sandboxes.find(plan.plan_id)
        can_come_back = plan.keeps_checkpoints and sandbox is not None and sandbox.exists
        if self._policy == ON_TERMINAL and plan.stage == CANCELLED and can_come_back and sandbox:
            with afterwards(self._report, plan.plan_id, "removing its sandbox"):
                kept_for = self._remove(SandboxFiles(plan, sandbox.path, 0), discard=False).kept_for
                if kept_for:
                    self._report(Note(plan.plan_id, told_why_it_stays(kept_for)))

    def prune(
        self, plans: Sequence[Plan], proposed: PruneProposal, shown: str | None = None
    ) -> Sequence[PrunedSandbox]:
        """Removes what was proposed; what no checkpoint holds is saved first, or discarded.

        With a digest, only if it is still what was shown. What keeps one of them keeps no other.
        """
        discard = proposed.discard
        if shown is not None:
            again = f"agents sandbox prune{' --discard' if discard else ''}"
            refuse_other(shown, self.propose(plans, discard=discard).digest, again)
        return [self._pruned(each, discard=discard) for each in proposed.doomed]

    def _pruned(self, lying: SandboxFiles, *, discard: bool) -> PrunedSandbox:
        try:
            return PrunedSandbox(lying, self._remove(lying, discard=discard))
        except Interrupted:
            raise  # it keeps all others, too
        except (CleverAgentsError, OSError) as error:
            return PrunedSandbox(lying, NOTHING, error)

    def left_of(self, lying: SandboxFiles) -> Path | None:
        """Where files of a sandbox that was to go still lie, if any do."""
        home = lying.path if lying.plan is None else lying.path.parent
        places = (home, home.with_name(f"{home.name}{REMOVING}"))
        return next((place for place in places if place.exists()), None)

    def _remove(self, lying: SandboxFiles, *, discard: bool) -> RemovalResult:
        if lying.plan is None:
            self._sandboxes.remove_left_behind(lying.path)
            return NOTHING
        with self._hold(lying.plan.plan_id, "removing its sandbox") as held:
            return self._removals.remove(held, lying.plan, discard=discard)


def _lies(sandbox: Sandbox) -> bool:
    """Whether files are there; a removal or a rebuilding that was killed leaves some as well."""
    return sandbox.exists or (sandbox.status == REMOVED and sandbox.home.exists())
