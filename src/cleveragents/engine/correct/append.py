"""Append: nothing is taken back; a subplan decides again on top of it, as a last step."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.correct.correction import check_choice
from cleveragents.errors import Refused
from cleveragents.ids import new_id, now
from cleveragents.plans.action import Action
from cleveragents.plans.correction import (
    CorrectionAttempt,
    CorrectionMode,
    CorrectionRepository,
    CorrectionState,
)
from cleveragents.plans.cursor import step_at
from cleveragents.plans.decision import (
    PROMPT_DEFINITION,
    USER_INTERVENTION,
    Decision,
    DecisionRepository,
    NewDecision,
)
from cleveragents.plans.lifecycle import COMPLETE, QUEUED
from cleveragents.plans.plan import Plan, PlanRepository, refuse_applied
from cleveragents.plans.step import DecideStep, Subplan, Subplans, SubplansStep
from cleveragents.records import frozen
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold


@frozen
class Fix:
    """The addition to a plan."""

    plan: Plan
    decision: Decision
    step: SubplansStep

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        return digest_of((), self.action.model_dump_json())

    @property
    def action(self) -> Action:
        """The steps of the plan, with the fix at its end."""
        steps = (*self.plan.action.steps, self.step)
        return self.plan.action.model_copy(update={"steps": steps})


class AppendService:
    """Adds fixes to plans."""

    def __init__(self, database: Database, checkpoints: CheckpointActs, hold: Hold) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._hold = hold

    def preview(self, decision: Decision, guidance: str, chosen: str | None) -> Fix:
        """Tells what would be added; changes nothing."""
        with self._database.reading() as connection:
            plan = PlanRepository(connection).get(decision.plan_id)
        refuse_applied(plan)
        step = None if decision.cursor is None else step_at(plan.action.steps, decision.cursor)
        if decision.superseded_by is not None or not isinstance(step, DecideStep):
            raise Refused(
                "only a choice that counts can be followed by a fix",
                hints=[f"see them: agents plan tree {plan.plan_id}"],
            )
        check_choice(plan, decision, chosen)
        return Fix(plan, decision, _fix(plan, step, guidance, chosen))

    def append(
        self,
        decision: Decision,
        guidance: str,
        chosen: str | None,
        *,
        shown_digest: str | None = None,
    ) -> CorrectionAttempt:
        """Adds the fix as the last step; the plan is then ready to run it.

        With a digest, only if it is still what was shown.
        """
        with self._hold(decision.plan_id, "adding a fix") as held:
            fix = self.preview(decision, guidance, chosen)
            again = f"agents plan correct --mode append … {decision.decision_id}"
            refuse_other(shown_digest, fix.digest, again)
            before = None
            if fix.plan.keeps_checkpoints:
                reason = "before a fix was added"
                before = self._checkpoints.save_safety(held, reason, going={}).checkpoint
            return self._record(held, fix, guidance, chosen, before)

    def _record(
        self, held: Held, fix: Fix, guidance: str, chosen: str | None, before: Checkpoint | None
    ) -> CorrectionAttempt:
        """Records the step, what was said and the attempt; no file changes."""
        plan_id, moment = fix.plan.plan_id, now()
        with self._database.writing(held) as connection:
            plans, decisions = PlanRepository(connection), DecisionRepository(connection)
            number = plans.newest_definition(plan_id) + 1
            plans.redefine(plan_id, number, fix.action)
            plans.set_definition(plan_id, number)
            counting = decisions.counting(plan_id)
            root = next(row for row in counting if row.decision_type == PROMPT_DEFINITION)
            asked = f"What was wrong with: {fix.decision.question}"
            said = NewDecision(USER_INTERVENTION, asked, guidance, parent_id=root.decision_id)
            attempt = CorrectionAttempt(
                correction_id=new_id(),
                plan_id=plan_id,
                decision_id=fix.decision.decision_id,
                intervention_id=decisions.add(plan_id, said),
                mode=CorrectionMode.APPEND,
                state=CorrectionState.EXECUTING,
                guidance=guidance,
                chosen=chosen,
                before_id=None if before is None else before.checkpoint_id,
                subtree=(fix.decision.to_record(),),
                created_at=moment,
                updated_at=moment,
            )
            CorrectionRepository(connection).add(attempt)
            if fix.plan.stage == COMPLETE:
                plans.move(plan_id, QUEUED)
        return attempt


def _fix(plan: Plan, step: DecideStep, guidance: str, chosen: str | None) -> SubplansStep:
    """A subplan that decides the same again, as the user says or by its chooser."""
    again = step.decide
    if chosen is not None:
        again = again.model_copy(update={"choose": chosen, "chooser": None})
    name = f"fix {len(plan.action.steps)}"
    steps = (step.model_copy(update={"decide": again, "checkpoint": None}),)
    subplan = Subplan(name=name, description=guidance, steps=steps)
    return SubplansStep(name=name, subplans=Subplans(plans=(subplan,)))
