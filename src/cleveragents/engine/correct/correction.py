"""Corrections: back to a decision, and only what followed from it is decided again."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from cleveragents.checkpoints.besides import Besides
from cleveragents.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointRepository,
    lineage,
    state_before,
)
from cleveragents.checkpoints.file_change import FileChange, described
from cleveragents.checkpoints.line import broken
from cleveragents.checkpoints.rollback import RollbackReads
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.checkpoints.undo import CallsAfter
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.correct.correction_operation import Correction, CorrectionOperations
from cleveragents.errors import InvalidInput, Refused
from cleveragents.ids import DecisionId, PlanId
from cleveragents.nearest import asking
from cleveragents.plans.affected import affected
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.correction import CorrectionAttempt, CorrectionRepository
from cleveragents.plans.cursor import step_at, title_at
from cleveragents.plans.decision import (
    ERROR_RECOVERY,
    INTERVENTIONS,
    PROMPT_DEFINITION,
    STRATEGY_CHOICE,
    USER_INTERVENTION,
    Decision,
    DecisionRepository,
    NewDecision,
)
from cleveragents.plans.document import PlanDocument
from cleveragents.plans.lifecycle import ERRORED
from cleveragents.plans.plan import Plan, PlanRepository, refuse_applied
from cleveragents.plans.step import Decide, DecideStep
from cleveragents.plans.step_run import StepRun, StepRunRepository
from cleveragents.records import frozen, replace
from cleveragents.snapshots.way import Changes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Hold


@frozen
class Impact:
    """The decisions that a correction takes back, and those that it does not ask for again."""

    plan: Plan
    decision: Decision | None  # None: an error is what is corrected
    target: Checkpoint
    affected: tuple[Decision, ...]
    standing: tuple[Decision, ...]  # decided after the target, and kept
    steps: tuple[StepRun, ...]  # what runs again
    files: tuple[FileChange, ...]
    calls: CallsAfter  # what is undone outside the sandbox, and what cannot be
    subplans: tuple[Plan, ...]  # what is cancelled
    merged_again: tuple[Plan, ...]  # subplans whose result stands and is not made again
    document: PlanDocument  # what counts afterwards, but for what the user says
    changes: Changes  # of the files, path by path
    left_behind: tuple[Checkpoint, ...]

    @property
    def besides(self) -> Besides:
        """The extent of it besides the files."""
        return Besides(self.calls, self.subplans, self.affected, self.left_behind)

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        listed = [change for changes in self.changes.values() for change in changes]
        steps = tuple(run.step_run_id for run in self.steps)
        return digest_of(listed, self.target.checkpoint_id, self.besides.identities, steps)


@frozen
class _Facts:
    """The facts of a plan when something in it is to be corrected."""

    plan: Plan
    decisions: Sequence[Decision]  # those that count
    influences: Sequence[tuple[DecisionId, DecisionId]]
    checkpoints: Sequence[Checkpoint]
    runs: Sequence[StepRun]
    children: Mapping[DecisionId, Plan]  # those that count, by the decision that spawned each


class CorrectionService:
    """Tells what corrections would do, and corrects."""

    def __init__(
        self,
        database: Database,
        checkpoints: CheckpointActs,
        rollbacks: RollbackReads,
        operations: CorrectionOperations,
        hold: Hold,
    ) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._rollbacks = rollbacks
        self._operations = operations
        self._hold = hold

    def find(self, text: str) -> Decision:
        """Finds a decision by its id or a prefix of it."""
        with self._database.reading() as connection:
            return DecisionRepository(connection).resolve(text)

    def attempt(self, text: str) -> CorrectionAttempt:
        """Finds an attempt by its id or a prefix of it."""
        with self._database.reading() as connection:
            return CorrectionRepository(connection).resolve(text)

    def attempts(self, plan_id: PlanId) -> Sequence[CorrectionAttempt]:
        """Returns every attempt to correct something in a plan, the oldest first."""
        with self._database.reading() as connection:
            PlanRepository(connection).get(plan_id)  # refuses a plan that there is not
            return CorrectionRepository(connection).of_plan(plan_id)

    def preview(self, plan_id: PlanId, decision: Decision | None) -> Impact:
        """Tells all that a correction of a decision, or of an error, takes back."""
        facts = self._facts(plan_id)
        refuse_applied(facts.plan)
        if decision is None:
            hit: tuple[Decision, ...] = ()
            target = _before_error(facts)
        else:
            _refuse_what_cannot_be_decided_again(decision)
            hit = _affected(decision, facts)
            target = _before(decision, hit, facts)
        document = self._rollbacks.document(facts.plan, target)
        after = _after(decision, hit, facts, document)
        again = [child for child in facts.children.values() if child.plan_id in after.children]
        changes = self._rollbacks.preview(facts.plan, target)
        besides = self._rollbacks.besides(facts.plan, target, after)
        return Impact(
            facts.plan,
            decision,
            target,
            hit,
            tuple(
                row
                for row in facts.decisions
                if row.decision_type == STRATEGY_CHOICE
                and row.decision_id not in document.decisions
                and row not in hit
            ),
            tuple(
                run
                for run in facts.runs
                if run.superseded_by is None and run.step_run_id not in document.step_runs
            ),
            described(changes),
            besides.calls,
            besides.subplans,
            tuple(child for child in again if child.plan_id not in document.children),
            after,
            changes,
            besides.left_behind,
        )

    def foresee(self, plan_id: PlanId, decision: Decision | None, chosen: str | None) -> Impact:
        """Tells the same for a choice that is to be made; refuses one that cannot be."""
        impact = self.preview(plan_id, decision)
        if decision is not None:
            check_choice(impact.plan, decision, chosen)
        return impact

    def revert(
        self,
        plan_id: PlanId,
        decision: Decision | None,
        guidance: str,
        chosen: str | None,
        *,
        shown_digest: str | None = None,
    ) -> CorrectionAttempt:
        """Goes back to before a decision, or an error; the plan is then ready to run again.

        With a digest, only if it is still what was shown.
        """
        with self._hold(plan_id, "correcting a decision") as held, ExitStack() as stack:
            impact = self.foresee(plan_id, decision, chosen)
            named = plan_id if decision is None else decision.decision_id
            refuse_other(shown_digest, impact.digest, f"agents plan correct … {named}")
            reason = f"before the correction to {impact.target.name}"
            safety = self._checkpoints.save_safety(held, reason, impact.target)
            going = self._checkpoints.save_children(held, impact.plan, impact.document, stack)
            wanted = self._wanted(impact, guidance, chosen)
            operation = self._operations.open(held, impact.plan, wanted, safety, going)
            self._operations.carry_out(held, operation)
            return self.attempts(plan_id)[-1]

    def _wanted(self, impact: Impact, guidance: str, chosen: str | None) -> Correction:
        facts = self._facts(impact.plan.plan_id)
        root = next(row for row in facts.decisions if row.decision_type == PROMPT_DEFINITION)
        decision = impact.decision
        said = NewDecision(
            ERROR_RECOVERY if decision is None else USER_INTERVENTION,
            "What went wrong?" if decision is None else f"What was wrong with: {decision.question}",
            guidance,
            parent_id=root.decision_id,
        )
        return Correction(
            said,
            decision,
            chosen,
            impact.affected,
            impact.document.decisions,
            impact.target,
            impact.document.children,
        )

    def _facts(self, plan_id: PlanId) -> _Facts:
        with self._database.reading() as connection:
            decisions = DecisionRepository(connection)
            return _Facts(
                PlanRepository(connection).get(plan_id),
                decisions.counting(plan_id),
                decisions.influences(plan_id),
                CheckpointRepository(connection).of_plan(plan_id),
                StepRunRepository(connection).of_plan(plan_id),
                {
                    DecisionId(str(decisions.of_plan(child.plan_id)[0].parent_id)): child
                    for child in ChildRepository(connection).counting(plan_id)
                },
            )


def _after(
    decision: Decision | None, hit: Sequence[Decision], facts: _Facts, before: PlanDocument
) -> PlanDocument:
    """The decisions that count once a correction has gone back: all that it does not affect.

    Subplans of such decisions are not run again: their result stands, to be merged again.
    """
    if decision is not None:
        stands = [row.decision_id for row in facts.decisions if row not in hit]
    else:
        said = [row.decision_id for row in facts.decisions if row.decision_type in INTERVENTIONS]
        stands = list(dict.fromkeys([*before.decisions, *said]))
    children = {
        child.plan_id: before.children.get(child.plan_id)
        for spawned_by, child in facts.children.items()
        if spawned_by in stands
    }
    return replace(before, decisions=tuple(stands), children=children)


def options_of(plan: Plan, decision: Decision) -> Decide | None:
    """Returns what a decision was made between, as its step says; None: no step asked for it."""
    step = None if decision.cursor is None else step_at(plan.action.steps, decision.cursor)
    return step.decide if isinstance(step, DecideStep) else None


def check_choice(plan: Plan, decision: Decision, chosen: str | None) -> None:
    """Refuses an option that is none, and to ask where nobody can be asked."""
    asked = options_of(plan, decision)
    options = [] if asked is None else list(asked.options)
    name = title_at(plan.action.steps, decision.cursor or "0")
    if chosen is None and asked is not None and asked.chooser is None:
        raise InvalidInput(
            f"the choice of {name!r} is written in the action: name another one",
            hints=[f"--choose {option}" for option in options if option != decision.chosen],
        )
    if chosen is not None and chosen not in options:
        raise InvalidInput(
            f"{name!r} has no option {chosen!r}{asking(chosen, options)}",
            hints=[f"its options: {', '.join(options)}"],
        )


def _affected(decision: Decision, facts: _Facts) -> tuple[Decision, ...]:
    counting = {row.decision_id: row for row in facts.decisions}
    if decision.decision_id not in counting:
        raise Refused(
            "the decision does not count any more: something took it back",
            hints=[f"see what counts: agents plan tree {decision.plan_id}"],
        )
    parents = {identity: row.parent_id for identity, row in counting.items()}
    hit = affected(decision.decision_id, parents, facts.influences)
    return tuple(row for row in facts.decisions if row.decision_id in hit)


def _before(decision: Decision, hit: Sequence[Decision], facts: _Facts) -> Checkpoint:
    """The state before the first of the decisions; those not yet come by again have none."""
    if state_before(decision.decision_id, facts.checkpoints) is None:
        raise Refused(
            "no checkpoint before the decision leads to the present state",
            hints=[
                "a plan with rollback.enabled has one once it has come by the decision",
                *_mending(facts.checkpoints),
            ],
        )
    found = [state_before(row.decision_id, facts.checkpoints) for row in hit]
    return min((row for row in found if row is not None), key=lambda row: row.seq)


def _mending(rows: Sequence[Checkpoint]) -> list[str]:
    torn = broken({row.checkpoint_id: row.parent_id for row in rows})
    return ["the line of its checkpoints is broken: agents doctor --repair"] if torn else []


def _before_error(facts: _Facts) -> Checkpoint:
    """The latest state that the failed step has not touched."""
    if facts.plan.stage != ERRORED:
        raise Refused(
            "the plan has no error; name the decision that is to be corrected",
            hints=[f"see them: agents plan tree {facts.plan.plan_id}"],
        )
    line = lineage(facts.checkpoints)
    rows = [row for row in facts.checkpoints if row.checkpoint_id in line]
    wrong = [row.seq for row in rows if row.checkpoint_type is CheckpointType.ERROR]
    rows = [row for row in rows if not wrong or row.seq < wrong[-1]]
    if not rows:
        raise Refused(
            "the plan has no checkpoint before the error",
            hints=[f"plan anew: agents plan revert --to-phase strategize {facts.plan.plan_id}"],
        )
    return rows[-1]


def _refuse_what_cannot_be_decided_again(decision: Decision) -> None:
    if decision.decision_type == PROMPT_DEFINITION:
        raise Refused(
            "the root of the plan is decided when it is made",
            hints=[f"plan anew: agents plan revert --to-phase strategize {decision.plan_id}"],
        )
    if decision.decision_type != STRATEGY_CHOICE:
        raise Refused(f"a decision of type {decision.decision_type} cannot be decided again")
