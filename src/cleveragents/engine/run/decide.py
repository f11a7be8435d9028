"""A decision: chosen after its checkpoint, recorded with where the plan goes on from it.

A choice that stands is not asked for again: a correction leaves the decisions standing that it does
not affect. Else what a user chose in a correction counts, then what the action says or its chooser
answers.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.run.asking import Questions
from cleveragents.engine.run.attempt import Attempt, StepAttempts
from cleveragents.engine.run.borders import StepBorders
from cleveragents.events import Decided, Reporter
from cleveragents.plans.action import OnFailure
from cleveragents.plans.correction import CorrectionRepository
from cleveragents.plans.cursor import chosen, holder, step_at, title_at
from cleveragents.plans.decision import (
    INTERVENTIONS,
    PROMPT_DEFINITION,
    STRATEGY_CHOICE,
    Decision,
    DecisionRepository,
    NewDecision,
)
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step import DecideStep
from cleveragents.records import frozen
from cleveragents.sandbox.sandbox import Sandbox
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.tools.builtin import BUILT_IN, AnyParameters
from cleveragents.tools.tool import Call, Outcome, Tool


class Answer(BaseModel):
    """The answer of a chooser."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    choose: str
    rationale: str | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    influenced_by: tuple[str, ...] = ()  # names or ids of earlier decisions


@frozen
class Known:
    """The decisions so far, when another one is due."""

    standing: Decision | None  # it has been made already
    decided: Sequence[Decision]
    corrections: Sequence[Decision]  # what users said was wrong
    users_choice: str | None

    @property
    def guidance(self) -> list[str]:
        """The guidance of users in corrections, the oldest first."""
        return [row.chosen for row in self.corrections]


class DecideSteps:
    """Runs the steps that decide."""

    def __init__(
        self,
        database: Database,
        checkpoints: CheckpointActs,
        attempts: StepAttempts,
        borders: StepBorders,
        report: Reporter,
    ) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._attempts = attempts
        self._borders = borders
        self._report = report

    def run(self, held: Held, plan: Plan, step: DecideStep, sandbox: Sandbox) -> bool:
        """Decides, after a checkpoint of its own; the steps of the chosen option come next."""
        before = self._checkpoint(held, plan, step)
        known = self._known(plan)
        if known.standing is not None:
            self._stand_by(held, plan, known.standing, before)
            return self._tell(plan, known.standing.chosen, "as decided before")
        option = known.users_choice or step.decide.choose
        if option is not None:
            with self._database.writing(held) as connection:
                self._record(connection, plan, step, Answer(choose=option), known, before)
            return self._tell(plan, option, "as corrected" if known.users_choice else "")
        return self._ask(held, plan, step, sandbox, known, before)

    def _checkpoint(self, held: Held, plan: Plan, step: DecideStep) -> Checkpoint | None:
        """Makes the checkpoint a correction goes back to; no setting turns it off."""
        if not plan.keeps_checkpoints:
            return None
        wanted = CheckpointRequest(CheckpointType.DECISION, f"before the decision {step.title}")
        made = self._checkpoints.make(held, wanted)
        self._borders.enter(held, plan, step)  # what is due before any step is found made already
        return made

    def _known(self, plan: Plan) -> Known:
        with self._database.reading() as connection:
            rows = DecisionRepository(connection).counting(plan.plan_id)
            above = _said_above(connection, plan)
            users_choice = CorrectionRepository(connection).users_choice(plan.plan_id, plan.cursor)
        standing = next((row for row in rows if row.cursor == plan.cursor), None)
        decided = [row for row in rows if row.decision_type not in INTERVENTIONS]
        corrections = [*above, *(row for row in rows if row.decision_type in INTERVENTIONS)]
        return Known(standing, decided, corrections, users_choice)

    def _ask(
        self,
        held: Held,
        plan: Plan,
        step: DecideStep,
        sandbox: Sandbox,
        known: Known,
        before: Checkpoint | None,
    ) -> bool:
        """Asks the chooser; without a usable answer the plan stops before the decision."""
        names = _names(plan, known.decided)

        def problem(answer: Answer) -> str | None:
            if answer.choose not in step.decide.options:
                return f"there is no option {answer.choose!r}"
            unknown = [name for name in answer.influenced_by if name not in names]
            return f"no earlier decision is called {unknown[0]!r}" if unknown else None

        asking = Questions(str(step.decide.chooser), Answer, problem)
        answers: list[Answer] = []

        def put(call: Call, _: AnyParameters) -> Outcome:
            outcome = asking.put(call, _question(plan, step, known))
            if outcome.ok:
                answers.append(_told(asking.answer, call))
            return outcome

        def on_success(connection: Connection) -> None:
            self._record(connection, plan, step, answers[-1], known, before)

        tool = Tool(BUILT_IN["shell"].declaration, AnyParameters, put)
        started_from = before.checkpoint_id if before else None
        attempt = Attempt(step, tool, {}, on_success, started_from=started_from)
        outcome = self._attempts.make(held, plan, sandbox, attempt)
        if not outcome.ok:
            self._borders.give_up(
                held, plan, outcome, before, tool="chooser", policy=OnFailure.LAST_GOOD
            )
            return False
        if before is not None:  # whatever it did meanwhile: a chooser chooses, steps change files
            self._checkpoints.restore_files(held, before)
        return self._tell(plan, answers[-1].choose, answers[-1].rationale or "")

    def _record(
        self,
        connection: Connection,
        plan: Plan,
        step: DecideStep,
        answer: Answer,
        known: Known,
        before: Checkpoint | None,
    ) -> None:
        """Records the decision and where the plan goes on."""
        names = _names(plan, known.decided)
        parents = {row.cursor: row for row in known.decided if row.cursor}
        root = next(row for row in known.decided if row.decision_type == PROMPT_DEFINITION)
        parent = parents.get(holder(plan.cursor) or "", root)
        used = (*step.decide.uses, *answer.influenced_by)
        new = NewDecision(
            STRATEGY_CHOICE,
            step.decide.question,
            answer.choose,
            alternatives=tuple(name for name in step.decide.options if name != answer.choose),
            confidence=answer.confidence,
            rationale=answer.rationale,
            cursor=plan.cursor,
            parent_id=parent.decision_id,
            checkpoint_id=before.checkpoint_id if before else None,
            influenced_by=tuple(dict.fromkeys(names[name] for name in used if name in names)),
        )
        DecisionRepository(connection).add(plan.plan_id, new)
        reached = chosen(plan.action.steps, plan.cursor, answer.choose)
        PlanRepository(connection).set_cursor(plan.plan_id, reached)

    def _stand_by(
        self, held: Held, plan: Plan, decision: Decision, before: Checkpoint | None
    ) -> None:
        """Goes on from a decision that stands; the state before it is a new one."""
        with self._database.writing(held) as connection:
            if before is not None:
                DecisionRepository(connection).follows(decision.decision_id, before.checkpoint_id)
            reached = chosen(plan.action.steps, plan.cursor, decision.chosen)
            PlanRepository(connection).set_cursor(plan.plan_id, reached)

    def _tell(self, plan: Plan, option: str, why: str) -> bool:
        title = title_at(plan.action.steps, plan.cursor)
        self._report(Decided(plan.plan_id, title, option, why))
        return True


def _told(answer: Answer, call: Call) -> Answer:
    """Returns an answer as it is recorded and shown."""
    why = call.masking.text(answer.rationale or "") or None
    return answer.model_copy(update={"rationale": why})


def _said_above(connection: Connection, plan: Plan) -> list[Decision]:
    """The guidance of users about the plans above a subplan; it is told as well."""
    if plan.parent_plan_id is None:
        return []
    parent = PlanRepository(connection).get(plan.parent_plan_id)
    rows = DecisionRepository(connection).counting(parent.plan_id)
    said = [row for row in rows if row.decision_type in INTERVENTIONS]
    return [*_said_above(connection, parent), *said]


def _question(plan: Plan, step: DecideStep, known: Known) -> Mapping[str, object]:
    """The question to a chooser; docs/reference/choosers.md has its schema."""
    return {
        "plan": {
            "plan_id": plan.plan_id,
            "name": plan.name,
            "description": plan.action.description,
        },
        "name": step.title,
        "question": step.decide.question,
        "options": {
            name: [inner.title for inner in steps] for name, steps in step.decide.options.items()
        },
        "uses": list(step.decide.uses),
        "guidance": known.guidance,
        "decisions": [
            {
                "id": row.decision_id,
                "name": _name(plan, row),
                "question": row.question,
                "chosen": row.chosen,
                "rationale": row.rationale,
            }
            for row in known.decided
        ],
    }


def _names(plan: Plan, decided: Sequence[Decision]) -> dict[str, str]:
    """Returns the id of each decision by its name and by its id; of one name the latest."""
    named = {_name(plan, row): row.decision_id for row in decided}
    return {**named, **{row.decision_id: row.decision_id for row in decided}}


def _name(plan: Plan, decision: Decision) -> str:
    """The name of a decision: that of the step that asked for it, or its type."""
    step = None if decision.cursor is None else step_at(plan.action.steps, decision.cursor)
    return decision.decision_type if step is None else step.title
