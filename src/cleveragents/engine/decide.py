"""A decision: chosen after its checkpoint, recorded with where the plan goes on from it."""

from cleveragents.checkpoints.saving import Wanted
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.borders import StepBorders
from cleveragents.events import Decided, Reporter
from cleveragents.plans.cursor import chosen, holder, step_at, title_at
from cleveragents.plans.decision import (
    PROMPT_DEFINITION,
    STRATEGY_CHOICE,
    Decision,
    DecisionRepository,
    NewDecision,
)
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step import DecideStep
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.storage.database import Database


class DecideSteps:
    """Runs the steps that decide."""

    def __init__(
        self,
        database: Database,
        checkpoints: CheckpointService,
        borders: StepBorders,
        report: Reporter,
    ) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._borders = borders
        self._report = report

    def run(self, plan: Plan, step: DecideStep, sandbox: Sandbox) -> bool:  # noqa: ARG002 - of every kind
        """Decides, after a checkpoint of its own; the steps of the chosen option come next."""
        before = self._checkpoint(plan, step)
        self._record(plan, step, step.decide.choose, before)
        title = title_at(plan.action.steps, plan.cursor)
        self._report(Decided(plan.plan_id, title, step.decide.choose))
        return True

    def _checkpoint(self, plan: Plan, step: DecideStep) -> str | None:
        """Makes the checkpoint a correction goes back to; no setting turns it off."""
        if not plan.action.rollback.enabled:
            return None
        wanted = Wanted(CheckpointType.DECISION, f"before the decision {step.title}")
        made = self._checkpoints.create_checkpoint(plan.plan_id, wanted)
        self._borders.enter(plan, step)  # what is due before any step is found made already
        return made.checkpoint_id

    def _record(self, plan: Plan, step: DecideStep, option: str, before: str | None) -> None:
        """Records the decision and where the plan goes on, in one transaction."""
        steps = plan.action.steps
        with self._database.unit_of_work() as connection:
            repository = DecisionRepository(connection)
            earlier = repository.counting(plan.plan_id)
            parents = {row.cursor: row.decision_id for row in earlier if row.cursor}
            root = next(row for row in earlier if row.decision_type == PROMPT_DEFINITION)
            named = {_title(plan, row): row.decision_id for row in earlier if row.cursor}
            new = NewDecision(
                STRATEGY_CHOICE,
                step.decide.question,
                option,
                alternatives=tuple(name for name in step.decide.options if name != option),
                cursor=plan.cursor,
                parent_id=parents.get(holder(plan.cursor) or "", root.decision_id),
                checkpoint_id=before,
                influenced_by=tuple(named[name] for name in step.decide.uses if name in named),
            )
            repository.add(plan.plan_id, new)
            PlanRepository(connection).set_cursor(plan.plan_id, chosen(steps, plan.cursor, option))


def _title(plan: Plan, decision: Decision) -> str:
    step = step_at(plan.action.steps, decision.cursor or "")
    return "" if step is None else step.title
