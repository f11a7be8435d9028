"""Applications: the operations that change the user's project, and nothing else does.

Each affected path is what it was or what it shall be, whatever happens: an interrupted operation is
rolled forward; one that meets an error, or somebody else's edit, is taken back, the edit is kept.
"""

import os
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from cleveragents.checkpoints.operations import Kind, Operation, OperationRepository, Status
from cleveragents.checkpoints.removal import Removals, told_why_it_stays
from cleveragents.engine.proposal import BRANCH, Proposal
from cleveragents.errors import CleverAgentsError, Damaged, Failed, Refused
from cleveragents.events import Note, PlanMoved, Reporter, afterwards
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.lifecycle import APPLIED, APPLYING, COMPLETE, Stage
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.sandbox import branch
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots import beneath, owners
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.exchange import Exchange, NotDurable, alike, reversed_changes
from cleveragents.snapshots.look import look
from cleveragents.snapshots.manifest import Change, object_id
from cleveragents.snapshots.scan import shown
from cleveragents.storage.database import Database
from cleveragents.storage.lock import Locks

MANUAL = "manual"  # sandboxes stay until somebody removes them


@dataclass(frozen=True)
class Applied:
    """How an application ended."""

    operation: Operation
    paths: tuple[str, ...]  # that were changed
    kept: tuple[str, ...]  # directories that stay because they hold other files
    error: CleverAgentsError | None = None  # why it was taken back


class Applications:
    """Opens and carries out apply and unapply operations; the caller owns the plan."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        project_locks: Locks,
        removals: Removals,
        cleanup: str,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._locks = project_locks
        self._removals = removals
        self._cleanup = cleanup
        self._report = report

    @contextmanager
    def project_owned(self, project_id: str) -> Generator[None]:
        """While inside, no other process applies anything to the project."""
        with self._locks.own(project_id, "applying to the project"):
            yield

    def open(
        self, plan: Plan, proposal: Proposal, result: str, checkpoint_id: str | None
    ) -> Operation:
        """Stores both versions of every affected path, then records the intent.

        `result` is the snapshot of the sandbox that the proposal was made of.
        """
        intent: dict[str, object] = {
            "as": proposal.options.mode,
            "base": proposal.sandbox.base,
            "result": result,
            "checkpoint": checkpoint_id,
            "paths": [file.diff.path for file in proposal.files],
        }
        keeps = [proposal.sandbox.base, result]
        if proposal.options.mode == BRANCH:
            name = f"cleveragents/plan-{plan.plan_id}"
            commit = self._commit(plan, proposal)
            intent |= {"branch": name, "commit": commit, "keeps": keeps}
        else:
            archive = self._sandboxes.archive(plan.project_id)
            about = {"kind": "apply", "plan_id": plan.plan_id}
            new = archive.keep_merge(proposal.merge, about)
            before = replace(proposal.merge, snapshot=proposal.merge.ours)
            old = archive.keep_merge(before, about)
            archive.secure_merged(old, proposal.merge)
            keeps += [old, new]
            known = owners.owners(
                proposal.project.path,
                (change.path for change in proposal.merge.changes if change.before is not None),
            )
            intent |= {"old": old, "new": new, "stamp": time.time_ns(), "keeps": keeps}
            intent["owners"] = owners.written(known)
        return self._open(plan, Kind.APPLY, intent)

    def open_unapply(self, plan: Plan, applied: Operation) -> Operation:
        """Records the intent to take an apply back."""
        intent = {
            **applied.intent,
            "stamp": time.time_ns(),
            "undoes": applied.operation_id,
            # Said here: after a crash in the middle of it half a sandbox is there.
            "rebuilds": not self._sandboxes.is_there(plan.plan_id),
        }
        if "old" in intent:
            intent |= {"old": applied.intent["new"], "new": applied.intent["old"]}
        self._secure_applied(plan, applied)  # may heal what is refused otherwise
        self._refuse_damaged(plan, intent)
        return self._open(plan, Kind.UNAPPLY, intent)

    def _refuse_damaged(self, plan: Plan, intent: Mapping[str, object]) -> None:
        """Refuses to take out of the project what could then not be applied again."""
        needed = [intent["new"]] if "new" in intent else []
        if intent["rebuilds"]:
            needed += [intent["result"], intent["base"]]
        archive = self._sandboxes.archive(plan.project_id)
        verifier = archive.verifier()  # they share most of what they hold
        try:
            bad = [
                path for ref in needed for path in archive.damaged(archive.load(str(ref)), verifier)
            ]
        except Damaged as error:
            bad = [error.message]
        if bad:
            raise Damaged(
                "what is stored of the plan is damaged: taken back, it could not be applied again; "
                "nothing was changed",
                detail=list(dict.fromkeys(bad)),
                hints=["look for intact copies: agents doctor --repair"],
            )

    def _secure_applied(self, plan: Plan, applied: Operation) -> None:
        """Reads back what is taken out of the project: it is to be there to apply again."""
        project, exchange = self._prepared(applied)
        if exchange is not None:
            archive = self._sandboxes.archive(plan.project_id)
            archive.secure_outside(
                applied.intent["new"], project.path, {MAIN: list(exchange.changes)}
            )

    def edited(self, applied: Operation) -> list[bytes]:
        """Returns the paths that are no longer as an apply left them."""
        project, exchange = self._prepared(applied)
        if exchange is not None:
            with beneath.root_directory(exchange.root) as root:
                return [
                    change.path
                    for change in exchange.changes
                    if not alike(look(root, change.path, object_id), change.after)
                    if not (change.after is None and change.before and change.before.is_dir)
                ]
        name, commit = applied.intent["branch"], applied.intent["commit"]
        moved = branch.tip(project, name) not in (None, commit)
        return [os.fsencode(name)] if moved or branch.is_checked_out(project, name) else []

    def carry_out(self, operation: Operation) -> Applied:
        """Brings the project to where the operation leads, or back, and closes it."""
        with self._database.unit_of_work() as connection:
            plan = PlanRepository(connection).get(operation.plan_id)
        with self.project_owned(plan.project_id):
            project, exchange = self._prepared(operation)
            if exchange is None:
                return self._carry_out_branch(plan, operation, project)
            return self._carry_out_changes(plan, operation, exchange)

    def finish(self, operation: Operation) -> None:
        """Finishes what a crash left open, and tells how."""
        applied = self.carry_out(operation)
        text = f"an interrupted {operation.kind} was finished"
        if applied.error is not None:
            told = "; ".join([applied.error.message, *applied.error.detail])
            text = f"an interrupted {operation.kind} was taken back: {told}"
        self._report(Note(operation.plan_id, text))

    def _carry_out_changes(self, plan: Plan, operation: Operation, exchange: Exchange) -> Applied:
        try:
            self._rebuild(plan, operation)
            exchange.carry_out()
        except NotDurable:
            raise
        except (CleverAgentsError, OSError) as error:
            return self._take_back(plan, operation, exchange, error)
        return self._close(plan, operation, exchange.kept)

    def _carry_out_branch(self, plan: Plan, operation: Operation, project: Project) -> Applied:
        name, commit = operation.intent["branch"], operation.intent["commit"]
        try:
            if operation.kind is Kind.APPLY:
                branch.create(project, name, commit)
            else:
                self._rebuild(plan, operation)
                branch.remove(project, name, commit)
        except Failed as error:
            return self._abort(plan, operation, error)
        return self._close(plan, operation, [])

    def _take_back(
        self,
        plan: Plan,
        operation: Operation,
        exchange: Exchange,
        error: CleverAgentsError | OSError,
    ) -> Applied:
        """Puts back what was changed, but for what somebody else has edited meanwhile."""
        theirs = exchange.differing()
        back = [
            change for change in reversed_changes(exchange.changes) if change.path not in theirs
        ]
        try:
            exchange.clean()
            way_back = replace(exchange, changes=back, stamp_ns=None, kept=[])
            if not way_back.is_done():
                way_back.carry_out()
        except (CleverAgentsError, OSError) as second:
            raise Failed(
                f"{error}; what was changed could not be put back yet: {second}",
                hints=["the next command that changes the plan tries again"],
            ) from error
        told = [f"{shown(path)}: edited meanwhile, left as it is" for path in theirs]
        detail = (*getattr(error, "detail", ()), *told)
        kind = Refused if isinstance(error, Refused) else Failed
        message = f"nothing was changed: {getattr(error, 'message', None) or error}"
        return self._abort(plan, operation, kind(message, detail=tuple(dict.fromkeys(detail))))

    def _commit(self, plan: Plan, proposal: Proposal) -> str:
        archive = self._sandboxes.archive(plan.project_id)
        changes = [change for change in proposal.merge.changes if _counts(change)]
        versions = branch.Versions(
            [change.path for change in changes],
            lambda tree: archive.export(proposal.merge, tree, after=False),
            lambda tree: archive.export(proposal.merge, tree, after=True),
        )
        message = f"{plan.name}\n\n{plan.action.description}\n\nPlan: {plan.plan_id}\n"
        return branch.build(proposal.project, str(proposal.sandbox.head), versions, message)

    def _open(self, plan: Plan, kind: Kind, intent: Mapping[str, object]) -> Operation:
        with self._database.unit_of_work() as connection:
            moved = PlanRepository(connection).move(plan.plan_id, APPLYING)
            operation = OperationRepository(connection).open(plan.plan_id, kind, intent)
        self._report(PlanMoved(plan.plan_id, moved.phase, moved.state))
        return operation

    def _prepared(self, operation: Operation) -> tuple[Project, Exchange | None]:
        intent = operation.intent
        with self._database.unit_of_work() as connection:
            plan = PlanRepository(connection).get(operation.plan_id)
            project = projects.find(connection, plan.project_id)
        if intent["as"] == BRANCH:
            return project, None
        archive = self._sandboxes.archive(plan.project_id)
        mark = operation.operation_id
        known = owners.read(intent.get("owners", {}))  # unknown to versions before 0.2
        exchange = archive.exchange(
            project.path, intent["old"], intent["new"], mark, intent["stamp"], known
        )
        return project, exchange

    def _close(self, plan: Plan, operation: Operation, kept: Sequence[bytes]) -> Applied:
        stage = APPLIED if operation.kind is Kind.APPLY else COMPLETE
        moved = self._end(plan, operation, Status.DONE, stage)
        if operation.kind is Kind.APPLY and self._cleanup != MANUAL:
            for one in (moved, *self._merged_into(plan.plan_id)):
                self._remove(one)
        paths = tuple(operation.intent["paths"])
        return Applied(operation, paths, tuple(map(shown, kept)))

    def _remove(self, plan: Plan) -> None:
        """Removes the sandbox of an applied plan; what goes wrong with that is no part of it."""
        with afterwards(self._report, plan.plan_id, "removing its sandbox"):
            kept_for = self._removals.remove(plan).kept_for
            if kept_for:
                self._report(Note(plan.plan_id, told_why_it_stays(kept_for)))

    def _merged_into(self, plan_id: str) -> list[Plan]:
        """The subplans whose result is part of a plan's, at any depth."""
        with self._database.unit_of_work() as connection:
            below = ChildRepository(connection).below(plan_id)
            return [child for child in below if child.merged_ref is not None]

    def _abort(self, plan: Plan, operation: Operation, error: CleverAgentsError) -> Applied:
        stage = COMPLETE if operation.kind is Kind.APPLY else APPLIED
        self._end(plan, operation, Status.ABORTED, stage)
        return Applied(operation, (), (), error)

    def _end(self, plan: Plan, operation: Operation, status: Status, stage: Stage) -> Plan:
        with self._database.unit_of_work() as connection:
            moved = PlanRepository(connection).move(plan.plan_id, stage)
            OperationRepository(connection).close(operation.operation_id, status, {})
        self._report(PlanMoved(plan.plan_id, moved.phase, moved.state))
        return moved

    def _rebuild(self, plan: Plan, operation: Operation) -> None:
        """Gives a plan that is unapplied its sandbox back, if it was cleaned up.

        That comes before the project changes: what stands in the way leaves all as it was.
        """
        if not operation.intent.get("rebuilds"):
            return
        archive = self._sandboxes.archive(plan.project_id)
        try:
            snapshot = archive.load(operation.intent["result"])
            with self._sandboxes.refilling(plan.plan_id) as sandbox:
                archive.restore(snapshot, sandbox.roots, sandbox.staging)
        except (CleverAgentsError, OSError) as error:
            detail = getattr(error, "detail", ())
            raise Failed(f"its sandbox could not be made again: {error}", detail=detail) from error


def _counts(change: Change) -> bool:
    """Whether a change is told as one: directories are told by what is in them."""
    entry = change.after or change.before
    return entry is not None and not entry.is_dir
