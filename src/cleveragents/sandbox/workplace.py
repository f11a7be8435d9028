"""Workplaces: the one door through which the files of a plan, or of its project, change.

What stands in a directory goes only against a safeguard, which was read back where it stands. What
is neither as it was saved nor as it shall be was written meanwhile: in a directory of ours it is
kept, and the way goes on; in the user's it is refused, and nothing has changed.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from cleveragents.errors import (
    CleverAgentsError,
    Damaged,
    Failed,
    Gone,
    Interrupted,
    Refused,
    Unsettled,
)
from cleveragents.ids import SnapshotId
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandbox import READY, REMOVED, Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.snapshot_copy import base_of
from cleveragents.sandbox.whereabouts import with_files
from cleveragents.snapshots.archive import Archive, RestoreResult
from cleveragents.snapshots.healing import Safeguard
from cleveragents.snapshots.tree import giving_up
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.record import MAIN, Snapshot
from cleveragents.snapshots.tree.scan import shown
from cleveragents.snapshots.way import Changes, Way, joined, without_top
from cleveragents.snapshots.write.aside import TRIED_AGAIN, WrittenMeanwhile
from cleveragents.snapshots.write.exchange import Exchange
from cleveragents.snapshots.write.owners import Owners
from cleveragents.storage.held import Held
from cleveragents.storage.place import make_durably

TRIES = 3  # where somebody writes all the time; then the act stays open
# Keeps what was written meanwhile: the changes that would replace it (None: nobody can tell which)
# and what the way leaves alone.
KeepEdits = Callable[[Held, Changes | None, Filter], None]


class SandboxWorkplace:
    """The files of a plan: ours, and whole again after every act."""

    def __init__(self, held: Held, sandboxes: Sandboxes, archive: Archive, keep: KeepEdits) -> None:
        self.held = held
        self._sandboxes = sandboxes
        self._archive = archive
        self._keep = keep
        self._aside: Path | None = None  # where lies what had to go

    def bring_to(
        self, target: Snapshot, saved: Safeguard, known: Way | None = None
    ) -> RestoreResult:
        """Makes the files those of a snapshot; to call it again after a crash is enough.

        `known` is the way there as it was just now; it is gone if the files are still the same.
        What had to go lies aside until it is purged.
        """
        was_there = known is not None or self._sandboxes.is_there(self.held.plan_id)
        with self._filled(target) as sandbox:
            self._aside = sandbox.staging
            brought = self._go(target, saved, sandbox, known)
        return brought if was_there else replace(brought, changes=without_top(brought.changes))

    def _go(
        self,
        target: Snapshot,
        saved: Safeguard,
        sandbox: Sandbox,
        known: Way | None,
        tries: int = TRIES,
    ) -> RestoreResult:
        """Goes there; what is written on the way is kept, and the rest gone anew."""
        way = self._way(target, saved, sandbox, known)
        try:
            return self._archive.go(way, target, sandbox.roots, sandbox.staging)
        except WrittenMeanwhile:
            if tries == 1:
                raise
        gone = self._go(target, saved, sandbox, None, tries - 1)
        return replace(gone, changes=joined(way.changes, gone.changes))

    def keep_edits(self, target: Snapshot, saved: Safeguard) -> None:
        """Keeps what was written meanwhile, before anything else may replace it."""
        self._way(target, saved, self._sandboxes.require(self.held.plan_id), None)

    def put_back(self, target: Snapshot) -> RestoreResult:
        """Takes back what commands of the plan have just written; it is nobody's, and just goes."""
        with self._filled(target) as sandbox:
            return self._archive.restore(target, sandbox.roots, sandbox.staging)

    def refill(self, reference: SnapshotId) -> Sandbox:
        """Makes files that are not there again from a snapshot; those that are stay.

        What was made of them before a crash is of that snapshot; all else that lies there is kept.
        """
        if not self._sandboxes.is_there(self.held.plan_id):
            self.bring_to(self._archive.load(reference), Safeguard(reference))
            self.purge()
        return self._sandboxes.require(self.held.plan_id)

    def purge(self) -> None:
        """Begins to remove what lies aside, when nobody waits any more."""
        if self._aside is not None:
            self._archive.purge(self._aside)

    def remove(self, saved: Safeguard) -> None:
        """Removes the files; what was written since they were saved is kept first."""
        if self._sandboxes.is_there(self.held.plan_id):
            self.keep_edits(self._archive.load(saved), saved)
        self.discard()

    def discard(self) -> None:
        """Removes the files, saved or not: somebody has said so."""
        self._sandboxes.remove(self.held)

    def _way(self, target: Snapshot, saved: Safeguard, sandbox: Sandbox, known: Way | None) -> Way:
        """Finds the way to a snapshot, and keeps what stands in it that nobody has saved."""
        way = self._now(target, sandbox, known)
        edited = self._archive.edited(way, target, saved, sandbox.roots)
        if edited == {}:
            return way
        self._keep(self.held, edited, target.filter)
        return self._now(target, sandbox, way)

    def _now(self, target: Snapshot, sandbox: Sandbox, known: Way | None) -> Way:
        if known is not None and self._archive.still(known, target, sandbox.roots):
            return known
        return self._archive.way_to(target, sandbox.roots)

    @contextmanager
    def _filled(self, state: Snapshot) -> Generator[Sandbox]:
        """Yields the sandbox to bring to a whole state; a lost one is there when that is done.

        Until then it counts as removed: neither an empty directory nor half of one is a state.
        What the state leaves out is as the project had it: no step has taken it away.
        """
        held, sandboxes = self.held, self._sandboxes
        held.check()
        found = sandboxes.find(held.plan_id)
        if found is None or found.exists:
            yield with_files(found, held.plan_id)
            return
        if found.status == READY and found.has_part:  # commits, say: no checkpoint may hold them
            sandboxes.move_aside(found, "what was left of the sandbox")
        sandboxes.set_status(held, REMOVED)
        is_new = not found.home.exists()
        try:
            for path in found.roots.values():
                make_durably(path)
            ready = with_files(replace(found, status=READY), held.plan_id)
            yield ready
            base = base_of(state) or ready.started_from
            sandboxes.add_left_out(ready, state, self._archive, base)
        except Exception:
            if is_new:  # else something is there that nobody has saved
                with suppress(OSError):  # the error that is on its way says what went wrong
                    sandboxes.begin_anew(found)
            raise
        sandboxes.set_status(held, READY)


@frozen
class ExchangeOutcome:
    """How bringing the user's files to another state ended."""

    kept: tuple[str, ...] = ()  # directories that stay because they hold other files
    error: CleverAgentsError | None = None  # why nothing was changed


@frozen
class ProjectWorkplace:
    """Chosen paths of the user's own directory, from what they were to what they shall be."""

    root: Path
    archive: Archive
    saved: Safeguard
    target: SnapshotId
    mark: str  # of the operation: part of the name of everything that is built beside its place
    stamp_ns: int  # the time that files with new content get
    owners: Owners

    def exchange(self) -> Exchange:
        """The changes to come; a look at them changes nothing."""
        return self.archive.exchange(
            self.root, self.saved, self.target, self.mark, self.stamp_ns, self.owners
        )

    def bring_to(self, *, again: bool) -> ExchangeOutcome:
        """Makes every path what it shall be, or leaves all as it was and says why.

        Given up while the new is built, nothing has changed; unless some of it had changed before.
        """
        exchange = self.exchange()
        try:
            with self.archive.working("changing your files", {MAIN: list(exchange.changes)}):
                exchange.carry_out()
        except Unsettled:
            raise
        except Interrupted as error:
            exchange.clean()
            if again:
                raise
            return ExchangeOutcome(error=error)
        except (CleverAgentsError, OSError) as error:
            return self.take_back(error)
        return ExchangeOutcome(tuple(map(shown, exchange.kept)))

    def take_back(self, error: CleverAgentsError | OSError) -> ExchangeOutcome:
        """Puts back what was changed, but for what somebody else has edited meanwhile."""
        with giving_up.to_the_end():
            return self._take_back(error)

    def _take_back(self, error: CleverAgentsError | OSError) -> ExchangeOutcome:
        from cleveragents.snapshots.write import way_back  # noqa: PLC0415 - few acts go back

        try:
            theirs = way_back.take_back(self.exchange())
        except Gone:  # it says what to do
            raise
        except (CleverAgentsError, OSError) as second:
            # What cannot be read will not be there later, either; all else waits to be mended.
            kind = Failed if isinstance(second, Damaged) else Unsettled
            raise kind(
                f"{error}; what was changed could not be put back yet: {second}",
                detail=[*getattr(error, "detail", ()), *getattr(second, "detail", ())],
                hints=[TRIED_AGAIN],
            ) from error
        told = [f"{shown(path)}: edited meanwhile, left as it is" for path in theirs]
        detail = tuple(dict.fromkeys((*getattr(error, "detail", ()), *told)))
        kind = Refused if isinstance(error, Refused) else Failed
        message = f"nothing was changed: {getattr(error, 'message', None) or error}"
        refusal = kind(message, detail=detail, hints=getattr(error, "hints", ()))
        return ExchangeOutcome(error=refusal)
