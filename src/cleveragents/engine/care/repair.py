"""Repairs: only such as add. What cannot be mended stays, and is told."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.line import broken
from cleveragents.counting import counted
from cleveragents.engine.back import line_mending
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.care import rebuild
from cleveragents.engine.care.facts import Facts, PlanFacts, ProjectFacts
from cleveragents.engine.hold.ownership import Ownership
from cleveragents.engine.hold.stuck import OF_CHATS, give_up, standing
from cleveragents.errors import CleverAgentsError, Interrupted, Refused
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.operations.in_project import Apply, TakeBack
from cleveragents.operations.kind import Kind, Status
from cleveragents.operations.operation import GIVEN_UP, AnyOperation, OperationRepository
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.quoting import quoted
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.write import unplaced
from cleveragents.storage.database import Database
from cleveragents.storage.head import Head
from cleveragents.storage.held import Held


class Repairs:
    """Each repair takes what was found and yields what it did."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Prunes,
        ownership: Ownership,
        head: Head,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._pruning = pruning
        self._ownership = ownership
        self._head = head

    def refuse_foreign(self) -> None:
        """Refuses what can only be read."""
        self._head.refuse_foreign()

    def heal(self, facts: Facts) -> Iterator[str]:
        """Stores lost objects again that damaged packs, sandboxes or the project still have."""
        for project in facts.projects:
            if project.missed:
                archive = self._sandboxes.archive(project.project_id)
                healed = archive.mend(project.missed, _needs(project), _places(project))
                if healed:
                    yield f"{healed} of {len(project.missed)} lost objects were stored again"

    def rebuild(self, facts: Facts) -> Iterator[str]:
        """Makes rows again that the store has the content of."""
        for project in facts.projects:
            for plan_id in dict.fromkeys(orphan.plan_id for orphan in project.orphans):
                done = self._rebuilt(facts, project, plan_id)
                yield from _or_why_not(done, f"{plan_id} was not rebuilt")

    def _rebuilt(self, facts: Facts, project: ProjectFacts, plan_id: PlanId) -> Iterator[str]:
        doing = "rebuilding its checkpoints"
        with self._ownership.hold(plan_id, doing, files=False) as held:
            _refuse_registered_anew(facts, project, plan_id)
            yield from self._rebuild(held, project)

    def accept(self, facts: Facts) -> Iterator[str]:
        """Goes on with a database that is older than what is beside it, once it is rebuilt."""
        if facts.system.is_behind:
            self._head.accept()
            yield "the database is used as it is"

    def mend_lines(self, facts: Facts) -> Iterator[str]:
        """Links checkpoints again whose line was broken."""
        for plan in facts.plans:
            if broken({row.checkpoint_id: row.parent_id for row in plan.rows}):
                why_not = f"{plan.plan.called}: the line was not mended"
                yield from _or_why_not(self._linked(plan.plan), why_not)

    def _linked(self, plan: Plan) -> Iterator[str]:
        plan_id = plan.plan_id
        doing = "mending the line of its checkpoints"
        with (
            self._ownership.hold(plan_id, doing, files=False) as held,
            self._database.writing(held) as connection,
        ):
            names = ", ".join(line_mending.mend(connection, plan_id))
        yield f"{plan.called}: the line that leads to {names} is mended"

    def recover(self, facts: Facts) -> Iterator[str]:
        """Finishes what was interrupted, as any command that changes the plan would."""
        for plan in facts.plans:
            if plan.unfinished and not plan.is_owned:
                why_not = f"{plan.plan.called} could not be recovered"
                yield from _or_why_not(self._recovered(plan), why_not)

    def _recovered(self, plan: PlanFacts) -> Iterator[str]:
        plan_id, doing = plan.plan.plan_id, "finishing what was interrupted"
        with self._ownership.hold(plan_id, doing, files=False) as held:
            self._pruning.free(plan_id)
            given_up = self._give_up(held)
        yield from given_up
        yield from self._ended(plan)

    def forget(self, facts: Facts) -> Iterator[str]:
        """Takes out of stores what was to be forgotten."""
        for project in facts.projects:
            if project.is_erasing:
                why_not = f"{project.path}: forgetting was not finished"
                yield from _or_why_not(self._scoured(project), why_not)

    def _scoured(self, project: ProjectFacts) -> Iterator[str]:
        freed = self._pruning.scour(project.project_id, wait=False)
        yield f"{project.path}: forgetting is finished ({counted(freed, 'byte')} freed)"

    def _ended(self, plan: PlanFacts) -> Iterator[str]:
        """Tells how that came to its end which was interrupted."""
        begun = {operation.operation_id for operation in plan.unfinished}
        with self._database.reading() as connection:
            found = OperationRepository(connection).of_plan(plan.plan.plan_id)
        ended = [operation for operation in found if operation.operation_id in begun]
        named = plan.plan.called
        for operation in ended:
            if operation.status is Status.ABORTED and GIVEN_UP not in (operation.outcome or {}):
                yield f"{named}: the interrupted {operation.kind.noun} was taken back"
        if any(operation.status is Status.DONE for operation in ended):
            yield f"{named}: what was interrupted is finished"

    def _give_up(self, held: Held) -> list[str]:
        """Ends what cannot be carried out, and tells where it has left things."""
        plan_id = held.plan_id
        with self._database.writing(held) as connection:
            rows = CheckpointRepository(connection).of_plan(plan_id)
            plan = PlanRepository(connection).get(plan_id)
            project = projects.find(connection, plan.project_id)
            return [
                f"{_given_up(plan, operation, rows)}{self._unplaced(operation, project.path)}"
                for operation in give_up(connection, plan_id)
            ]

    def _unplaced(self, operation: AnyOperation, project: Path) -> str:
        """Removes what was built in the project and never placed, if it is elsewhere as well.

        A sandbox has what an apply built, the store what an undo did. What an unapply built may be
        all that is left of the user's own files: it is told alone.
        """
        intent, mark = operation.intent, operation.operation_id
        of_chat = operation.kind in OF_CHATS
        if not (isinstance(intent, Apply) or of_chat) or not project.is_dir():
            return ""
        if isinstance(intent, Apply | TakeBack):
            paths = [os.fsencode(path).rstrip(b"/") for path in intent.paths]
        else:  # nobody knows them any more
            top = os.fsencode(project)
            paths = [os.path.relpath(folder, top) for folder, _, _ in os.walk(top)][1:]
        found = unplaced.find(project, mark, paths)
        if not found:
            return ""
        told = counted(len(found), "file that it never placed", "files that it never placed")
        originals = [path for path in found if unplaced.is_original(path)]
        if originals:
            told = f"{told}, or that are yours and stood in its way,"
        elif of_chat or (
            operation.kind is Kind.APPLY and self._sandboxes.is_there(operation.plan_id)
        ):
            with suppress(OSError):  # it may be a disk that can only be read: they are told
                unplaced.remove(project, found)
                return f"; {told} removed"
        names = quoted(f"{unplaced.prefix(mark)}*")
        return f"; {told} can be removed: find {quoted(str(project))} -name {names} -delete"

    def history(self, facts: Facts) -> Iterator[str]:
        """Makes git history again that sandboxes borrow, from what is left and the project."""
        for project in facts.projects:
            if project.mirror_problems:
                yield from self._sandboxes.make_history_again(project.project_id)

    def clean(self, facts: Facts) -> Iterator[str]:
        """Removes what killed processes were writing: nobody can ever finish it."""
        for project in facts.projects:
            if project.store.temporary:
                archive = self._sandboxes.archive(project.project_id)
                cleaned = self._pruning.clean(archive)
                yield _removed(cleaned.files, cleaned.size_bytes)
        for plan in facts.plans:
            if plan.leftovers:
                with self._ownership.hold(plan.plan.plan_id, "cleaning up", files=False):
                    size = sum(path.lstat().st_size for path in plan.leftovers)
                    for path in plan.leftovers:
                        path.unlink()
                yield _removed(len(plan.leftovers), size)

    def clear_hooks(self, facts: Facts) -> Iterator[str]:
        """Removes what hooks have left of events that nobody can record any more."""
        for text in facts.unheard.told:
            yield f"cleared: {text}"
        for path in facts.unheard.paths:
            path.unlink(missing_ok=True)

    def _rebuild(self, held: Held, project: ProjectFacts) -> Iterator[str]:
        plan_id = held.plan_id
        known = project.plan(plan_id)
        base = project.base(plan_id)
        rows = project.without_row(plan_id)
        if not rows or (known is None and not project.tells_of(plan_id)):
            return
        names = ", ".join(f"cp{orphan.seq}" for orphan in rows)
        if rows[-1].of_chat:
            with self._database.writing(held) as connection:
                path = str(rows[-1].about["filesystem_path"])
                rebuild.add_project(connection, project.project_id, path)
                if known is None:
                    rebuild.add_chat(connection, project.project_id, rows[-1])
                rebuild.add_checkpoints(connection, rows)
            lost = "; which calls made what is not told by it" if known is None else ""
            yield f"chat {plan_id}: {names} made again from the store{lost}"
            return
        with self._database.writing(held) as connection:
            if project.path is None and base is not None:
                rebuild.add_project(connection, project.project_id, str(base.about["project"]))
            if known is None and base is not None:
                cursor = str(rows[-1].snapshot.about["document"]["cursor"])
                rebuild.add_plan(connection, project.project_id, base, cursor)
            if known is None or known.sandbox is None:
                first = base.snapshot_id if base is not None else rows[0].snapshot_id
                rebuild.add_sandbox(connection, project.project_id, rows[-1], first)
            rebuild.add_definitions(connection, plan_id, rows, newest=known is None)
            rebuild.add_checkpoints(connection, rows)
        yield f"plan {plan_id}: {names} made again from the store"


def _given_up(plan: Plan, operation: AnyOperation, rows: Sequence[Checkpoint]) -> str:
    found = standing(operation, rows)
    then = f"; go on with: {found.way}" if found.way else ""
    named = f"{plan.called}: the interrupted {operation.kind.noun} was given up"
    return f"{named} ({operation.reason}); {found.files}{then}"


def _removed(files: int, size: int) -> str:
    return f"{counted(files, 'unfinished file')} removed ({counted(size, 'byte')})"


def _refuse_registered_anew(facts: Facts, project: ProjectFacts, plan_id: PlanId) -> None:
    base, rows = project.base(plan_id), project.without_row(plan_id)
    path = None if base is None else str(base.about["project"])
    if rows and rows[-1].of_chat:
        path = str(rows[-1].about["filesystem_path"])
    if project.path is None and path in {str(other.path) for other in facts.projects}:
        raise Refused(f"{path} got new plans since the database was lost")


def _needs(project: ProjectFacts) -> SnapshotId:
    """A snapshot that needs what was lost: the new pack lives as long as it does."""
    rows = (found for plan in project.plans for found in plan.checkpoints if not found.is_intact)
    bases = (plan.sandbox for plan in project.plans if plan.base_damage)
    return next(
        (found.checkpoint.sandbox_ref for found in rows),
        next((sandbox.started_from for sandbox in bases if sandbox is not None), SnapshotId("")),
    )


def _or_why_not(done: Iterator[str], failed: str) -> Iterator[str]:
    """Yields what a repair did, or why it could not; to interrupt one ends all of them."""
    try:
        yield from done
    except Interrupted:
        raise
    except CleverAgentsError as error:
        yield f"{failed}: {error.message}"


def _places(project: ProjectFacts) -> Iterator[tuple[Path, Filter]]:
    """Where identical content may still be: the sandboxes, and the project itself."""
    for plan in project.plans:
        if plan.sandbox is not None and plan.sandbox.exists:
            filters = {_filter(row) for row in plan.rows} or {Filter()}
            yield from (
                (path, filter_) for path in plan.sandbox.roots.values() for filter_ in filters
            )
    if project.path is not None and project.path.is_dir():
        yield project.path, Filter()


def _filter(row: Checkpoint) -> Filter:
    patterns = row.metadata.get("filter")
    return Filter(tuple(map(str, cast("list[object]", patterns))) if patterns else ())
