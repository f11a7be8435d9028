"""Acts that are shown before they are done: the one way that every surface goes.

Who only asks what would happen holds nothing and finishes nothing. Who goes on to ask a person
finishes first what was interrupted, shows what would happen then, and does that or nothing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from cleveragents.events import NO_PLAN
from cleveragents.ids import PlanId
from cleveragents.operations.in_project import Apply, Unapply
from cleveragents.plans.conflict import SIDES
from cleveragents.records import frozen

if TYPE_CHECKING:
    from cleveragents.checkpoints.reads import CheckpointDeletion, RollbackForesight
    from cleveragents.checkpoints.rollback import RollbackResult
    from cleveragents.engine.back.restore import PathRestoration, RestoreProposal
    from cleveragents.engine.bring.application import ApplyOutcome, RecoveredApply
    from cleveragents.engine.bring.apply import ApplyResult
    from cleveragents.engine.bring.conflicts import ResolvedConflict
    from cleveragents.engine.bring.proposal import ApplyOptions, Proposal
    from cleveragents.engine.bring.refresh import RefreshForesight, RefreshResult
    from cleveragents.engine.bring.resolution import ResolutionProposal
    from cleveragents.engine.bring.withdrawal import Withdrawal
    from cleveragents.engine.care.deletion import PlanDeletion
    from cleveragents.engine.care.erasing import ErasureResult
    from cleveragents.engine.care.erasure import Erasure, ErasureRequest
    from cleveragents.engine.chat.foresight import ChatForesight
    from cleveragents.engine.chat.request import UndoRequest
    from cleveragents.engine.chat.undo import ChatUndoFinished, ChatUndoResult
    from cleveragents.engine.correct.append import Fix
    from cleveragents.engine.correct.correction import Impact
    from cleveragents.engine.correct.revert import BackToStart, ReversionResult
    from cleveragents.engine.undo.series import SeriesForesight, SeriesResult
    from cleveragents.engine.undo.service import RetraceForesight, RetraceResult
    from cleveragents.engine.undo.trail import Direction
    from cleveragents.operations.operation import AnyOperation
    from cleveragents.plans.correction import CorrectionAttempt
    from cleveragents.plans.decision import Decision
    from cleveragents.wiring.services import Wiring


class Foresight(Protocol):
    """The preview of an act."""

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        ...


P = TypeVar("P", bound=Foresight)
R = TypeVar("R")


class Upkeep(Protocol):
    """The frame of an act on a plan: before it, and after."""

    def begin_dry_run(self, plan_id: PlanId) -> bool: ...

    def recover(self, plan_id: PlanId) -> "Sequence[AnyOperation]": ...

    def tidy(self, plan_id: PlanId) -> None: ...


@frozen
class DryRunResult(Generic[P]):
    """The preview, as far as it can be told."""

    would: P
    is_moving: bool  # whether another process is at work on the plan


@frozen
class Undertaking(Generic[P, R]):
    """One act on one plan."""

    plan_id: PlanId
    look: Callable[[], P]
    act: Callable[[str | None], R]
    finish: Callable[[], R | None]  # finishes what was interrupted; tells if it was this very act
    upkeep: Upkeep

    def preview(self) -> DryRunResult[P]:
        """Tells what would happen; refused while something waits to be finished first."""
        is_moving = self.upkeep.begin_dry_run(self.plan_id)
        return DryRunResult(self.look(), is_moving)

    def foresee(self) -> P:
        """Finishes what was interrupted, then tells what would happen; nobody holds the plan."""
        self.finish()
        return self.look()

    def carry_out(self, shown: str | None = None) -> R:
        """Does it, and tidies up; with the digest of what was shown, only if it is still that.

        An apply that was interrupted had been agreed to: it is finished, and that is all.
        """
        # What is named may be another one once all is finished; who was shown it has had that done.
        finished = self.finish() if shown is None else None
        done = self.act(shown) if finished is None else finished
        self.upkeep.tidy(self.plan_id)
        return done


class _WithoutTidying:
    """The upkeep of a plan that is gone when its act is done."""

    def __init__(self, upkeep: Upkeep) -> None:
        self.begin_dry_run = upkeep.begin_dry_run
        self.recover = upkeep.recover

    def tidy(self, plan_id: PlanId) -> None:
        """Finds nothing to do."""


class _Together:
    """The upkeep of an act on a plan and on others with it."""

    def __init__(self, upkeep: Upkeep, others: Sequence[PlanId]) -> None:
        self._upkeep = upkeep
        self._others = others

    def begin_dry_run(self, plan_id: PlanId) -> bool:
        """Refuses one while something of any of them waits to be finished."""
        moving = [self._upkeep.begin_dry_run(each) for each in (plan_id, *self._others)]
        return any(moving)

    def recover(self, plan_id: PlanId) -> "Sequence[AnyOperation]":
        """Finishes what a crash left open in any of them."""
        return [one for each in (plan_id, *self._others) for one in self._upkeep.recover(each)]

    def tidy(self, plan_id: PlanId) -> None:
        """Frees the space of all of them."""
        for each in (plan_id, *self._others):
            self._upkeep.tidy(each)


class _OfProject:
    """The upkeep of an act on all plans of a project, which frees space itself."""

    def __init__(self, upkeep: Upkeep, plans: Callable[[], Sequence[PlanId]]) -> None:
        self._upkeep = upkeep
        self._plans = plans
        self.recover = upkeep.recover

    def begin_dry_run(self, plan_id: PlanId) -> bool:  # noqa: ARG002 - of all of them
        """Refuses one while something waits in any plan; tells whether any is moving."""
        found = [self._upkeep.begin_dry_run(one) for one in self._plans()]
        return any(found)

    def tidy(self, plan_id: PlanId) -> None:
        """Finds nothing to do."""


class Undertakings:
    """Every act on a plan that a person may want to see first."""

    def __init__(self, wiring: "Wiring", upkeep: Upkeep, cwd: Path) -> None:
        self._services = wiring
        self._upkeep = upkeep
        self._cwd = cwd

    def rollback(
        self, plan_id: PlanId, checkpoint: str, *, rebuild: bool = False
    ) -> "Undertaking[RollbackForesight, RollbackResult]":
        """To take everything after a checkpoint back; to rebuild makes a lost sandbox again."""
        service = self._services.checkpoints
        look = service.preview_rebuild if rebuild else service.preview_rollback

        def act(shown: str | None) -> "RollbackResult":
            target = service.get_checkpoint(plan_id, checkpoint)
            return service.rollback_to_checkpoint(
                plan_id, target, rebuild=rebuild, shown_digest=shown
            )

        return Undertaking(
            plan_id,
            lambda: look(plan_id, service.get_checkpoint(plan_id, checkpoint)),
            act,
            self._recovery(plan_id),
            self._upkeep,
        )

    def restore(
        self, plan_id: PlanId, checkpoint: str, paths: Sequence[str]
    ) -> "Undertaking[RestoreProposal, PathRestoration | None]":
        """To take single paths back from a checkpoint."""
        checkpoints, service = self._services.checkpoints, self._services.restore

        def act(shown: str | None) -> "PathRestoration | None":
            source = checkpoints.get_checkpoint(plan_id, checkpoint)
            return service.run(plan_id, source, paths, shown_digest=shown)

        return Undertaking(
            plan_id,
            lambda: service.preview(
                plan_id, checkpoints.get_checkpoint(plan_id, checkpoint), paths
            ),
            act,
            self._recovery(plan_id),
            self._upkeep,
        )

    def delete(
        self, plan_id: PlanId, checkpoint: str
    ) -> "Undertaking[CheckpointDeletion, CheckpointDeletion]":
        """To forget a checkpoint."""
        service = self._services.checkpoints

        def look() -> "CheckpointDeletion":
            return service.preview_delete(plan_id, service.get_checkpoint(plan_id, checkpoint))

        def act(shown: str | None) -> "CheckpointDeletion":
            would = look()
            service.delete_checkpoint(plan_id, would.target, shown_digest=shown)
            return would

        def finish() -> None:
            look()  # one that something unfinished needs is refused, not set free by finishing that
            self._upkeep.recover(plan_id)

        return Undertaking(plan_id, look, act, finish, self._upkeep)

    def delete_plan(
        self, plan_id: PlanId, *, discard: bool
    ) -> "Undertaking[PlanDeletion, PlanDeletion]":
        """To delete a plan with all that is kept of it."""
        service = self._services.deletions
        return Undertaking(
            plan_id,
            lambda: service.preview(plan_id, discard=discard),
            lambda shown: service.delete(plan_id, discard=discard, shown_digest=shown),
            self._recovery(plan_id),
            _WithoutTidying(self._upkeep),
        )

    def delete_chat(self, plan_id: PlanId) -> "Undertaking[PlanDeletion, PlanDeletion]":
        """To delete what is kept of a chat; an undo that was interrupted is finished before that.

        Who deletes a chat means no file of theirs: it is for `agents undo` to finish.
        """
        service = self._services.deletions

        def finish() -> None:
            self._upkeep.begin_dry_run(plan_id)

        return Undertaking(
            plan_id,
            lambda: service.preview(plan_id, discard=True),
            lambda shown: service.delete(plan_id, discard=True, shown_digest=shown),
            finish,
            _WithoutTidying(self._upkeep),
        )

    def forget(self, wanted: "ErasureRequest") -> "Undertaking[Erasure, ErasureResult]":
        """To let every stored version of paths go, in all plans of the project."""
        service = self._services.erasures
        return Undertaking(
            NO_PLAN,
            lambda: service.preview(wanted, self._cwd),
            lambda shown: service.run(wanted, self._cwd, shown),
            service.recover,
            _OfProject(self._upkeep, service.plans),
        )

    def apply(
        self, plan_id: PlanId, options: "ApplyOptions"
    ) -> "Undertaking[Proposal, ApplyResult | RecoveredApply]":
        """To bring a finished plan's result into the project."""
        service = self._services.apply
        return Undertaking(
            plan_id,
            lambda: service.preview(plan_id, options),
            lambda shown: service.run(plan_id, options, shown_digest=shown),
            lambda: self._finished(plan_id, Apply),
            self._upkeep,
        )

    def unapply(
        self, plan_id: PlanId, *, keep_mine: bool = False
    ) -> "Undertaking[Withdrawal, ApplyOutcome | RecoveredApply]":
        """To take an applied plan out of the project again."""
        service = self._services.apply
        return Undertaking(
            plan_id,
            lambda: service.preview_unapply(plan_id, keep_mine=keep_mine),
            lambda shown: service.unapply(plan_id, keep_mine=keep_mine, shown_digest=shown),
            lambda: self._finished(plan_id, Unapply),
            self._upkeep,
        )

    def refresh(self, plan_id: PlanId) -> "Undertaking[RefreshForesight, RefreshResult]":
        """To merge what the project is now into a plan's sandbox."""
        service = self._services.refresh
        return Undertaking(
            plan_id,
            lambda: service.preview(plan_id),
            lambda shown: service.run(plan_id, shown_digest=shown),
            self._recovery(plan_id),
            self._upkeep,
        )

    def resolve(
        self, plan_id: PlanId, path: str, take: str
    ) -> "Undertaking[ResolutionProposal, ResolvedConflict]":
        """To resolve a conflict by one of its versions, or by a file of the caller's."""
        service = self._services.conflicts
        chosen = SIDES.get(take) or str(self._cwd / take)
        return Undertaking(
            plan_id,
            lambda: service.preview(plan_id, path, chosen),
            lambda shown: service.resolve(plan_id, path, chosen, shown_digest=shown),
            self._recovery(plan_id),
            self._upkeep,
        )

    def correct(
        self, plan_id: PlanId, decision: "Decision | None", guidance: str, choose: str | None
    ) -> "Undertaking[Impact, CorrectionAttempt]":
        """To decide again what followed from a decision, or without one from an error."""
        service, said = self._services.corrections, self._services.masking.text(guidance)
        return Undertaking(
            plan_id,
            lambda: service.foresee(plan_id, decision, choose),
            lambda shown: service.revert(plan_id, decision, said, choose, shown_digest=shown),
            self._recovery(plan_id),
            self._upkeep,
        )

    def append(
        self, decision: "Decision", guidance: str, choose: str | None
    ) -> "Undertaking[Fix, CorrectionAttempt]":
        """To add a subplan that decides again on top of what there is."""
        service, said = self._services.fixes, self._services.masking.text(guidance)
        return Undertaking(
            decision.plan_id,
            lambda: service.preview(decision, said, choose),
            lambda shown: service.append(decision, said, choose, shown_digest=shown),
            self._recovery(decision.plan_id),
            self._upkeep,
        )

    def revert(self, plan_id: PlanId, guidance: str) -> "Undertaking[BackToStart, ReversionResult]":
        """To plan anew from the start."""
        service, said = self._services.reversions, self._services.masking.text(guidance)
        return Undertaking(
            plan_id,
            lambda: service.preview(plan_id),
            lambda shown: service.to_strategize(plan_id, said, shown_digest=shown),
            self._recovery(plan_id),
            self._upkeep,
        )

    def retrace(
        self, direction: "Direction", chosen: PlanId | None = None
    ) -> "Undertaking[RetraceForesight, RetraceResult] | None":
        """To take the last deed here back, or the last undo; None: there is nothing to do.

        To finish what was interrupted may change what is next: ask for it anew afterwards.
        """
        service = self._services.undo
        owner = service.owner(direction, chosen)
        if owner is None:
            return None

        def finish() -> "RetraceResult | None":
            begun = self._upkeep.recover(owner)
            told = (service.finished(direction, one, chosen) for one in begun)
            return next(filter(None, told), None)

        return Undertaking(
            owner,
            lambda: service.preview(direction, chosen),
            lambda shown: service.run(direction, chosen, shown_digest=shown),
            finish,
            self._upkeep,
        )

    def undo_chat(
        self, wanted: "UndoRequest", *, is_redo: bool = False
    ) -> "Undertaking[ChatForesight, ChatUndoResult | ChatUndoFinished] | None":
        """To take back what an agent did in this directory, or that; None: there is nothing.

        One that was interrupted had been agreed to: carried out, it is finished, and that is all.
        """
        service = self._services.chats.undos
        begun = service.unfinished()  # all of it is in one directory, whichever chat it is of
        chats = list(dict.fromkeys(one.plan_id for one in begun))
        owner = service.owner(wanted, is_redo=is_redo) or next(iter(chats), None)
        if owner is None:
            return None
        upkeep = _Together(_WithoutTidying(self._upkeep), [one for one in chats if one != owner])

        def finish() -> "ChatUndoFinished | None":
            upkeep.recover(owner)
            return service.finished(begun, is_redo=is_redo)

        return Undertaking(
            owner,
            lambda: service.preview(wanted, is_redo=is_redo),
            lambda shown: service.run(wanted, is_redo=is_redo, shown_digest=shown),
            finish,
            upkeep,
        )

    def retrace_series(
        self, deed_id: str, chosen: PlanId | None = None
    ) -> "Undertaking[SeriesForesight, SeriesResult]":
        """To take one of the deeds that stand and everything newer back."""
        service = self._services.undo_series
        plans = list(dict.fromkeys(deed.plan.plan_id for deed in service.series(deed_id, chosen)))
        upkeep = _Together(self._upkeep, plans[1:])

        def finish() -> None:
            upkeep.recover(plans[0])

        return Undertaking(
            plans[0],
            lambda: service.preview(deed_id, chosen),
            lambda shown: service.run(deed_id, chosen, shown_digest=shown),
            finish,
            upkeep,
        )

    def _recovery(self, plan_id: PlanId) -> Callable[[], None]:
        """Finishes what was interrupted; no act that is asked for is done by that."""

        def recover() -> None:
            self._upkeep.recover(plan_id)

        return recover

    def _finished(self, plan_id: PlanId, kind: type[Apply]) -> "RecoveredApply | None":
        """The same for an apply or an unapply: one that was interrupted may be just that."""
        begun = [operation.intent for operation in self._upkeep.recover(plan_id)]
        plan = self._services.checkpoints.plan(plan_id)
        done = [one for one in begun if type(one) is kind and plan.stage == one.leads_to]
        if not done:
            return None
        # Late: hardly ever needed, and an undo in a chat has no use for all that it knows.
        from cleveragents.engine.bring.application import RecoveredApply  # noqa: PLC0415

        return RecoveredApply(plan, done[0])
