"""Reload: the action file of a plan is read again, for the steps that are left.

The new action is recorded together with a checkpoint of the state that it starts from. So whoever
goes on after a crash follows it, and who goes back to an earlier checkpoint follows the one of
that time.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.reads import CheckpointReads
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.run.strategize import unkept
from cleveragents.errors import InvalidInput, Refused
from cleveragents.events import Note, Reporter
from cleveragents.plans.action import Action, read_again
from cleveragents.plans.action_file import file_to_mend
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.correction import CorrectionRepository
from cleveragents.plans.cursor import every_step, number_of, title_at
from cleveragents.plans.decision import STRATEGY_CHOICE, Decision, DecisionRepository
from cleveragents.plans.document import PlanDocument, current_document
from cleveragents.plans.journal import Happening, record
from cleveragents.plans.mended import Misfit, Reached, Renewal, misfits, renewal
from cleveragents.plans.plan import Plan, PlanRepository, file_hash
from cleveragents.plans.step_run import StepRunRepository
from cleveragents.quoting import quoted
from cleveragents.records import frozen, replace
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held


@frozen
class Reload:
    """An action file that was read again and fits; nothing has changed yet."""

    file: Path
    file_hash: str | None
    renewal: Renewal
    before: Mapping[str, Checkpoint]  # the state that a step started from, by its cursor


class Reloads:
    """Reads action files again."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        reads: CheckpointReads,
        checkpoints: CheckpointActs,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._reads = reads
        self._checkpoints = checkpoints
        self._report = report

    def prepare(self, plan: Plan, start: Checkpoint | None) -> Reload:
        """Reads the file, and refuses one that does not fit where a plan starts from."""
        file = _file_of(plan)
        found = file_hash(file)
        new = read_again(file, plan.action)
        if (error := unkept(new)) is not None:
            raise InvalidInput(error.message, detail=error.detail)
        with self._database.reading() as connection:
            document = self._start(connection, plan, start)
            old = PlanRepository(connection).action_of(plan, document.definition)
            reached = self._reached(connection, plan, old, document)
            before = _before(connection, plan, document)
        wrong = list(misfits(old, new, reached))
        if wrong:
            raise _refusal(plan, file, wrong, before)
        return Reload(file, found, renewal(old, new, reached), before)

    def carry_out(self, held: Held, reload: Reload) -> None:
        """Makes the plan follow the new action from its cursor on, and tells what that means."""
        if reload.renewal.is_new:
            self._follow(held, reload)
        else:
            with self._database.writing(held) as connection:
                PlanRepository(connection).set_action_hash(held.plan_id, reload.file_hash)
        for text in _told(held, reload):
            self._report(Note(held.plan_id, text))

    def _start(self, connection: Connection, plan: Plan, start: Checkpoint | None) -> PlanDocument:
        """The document that a plan starts from; None: the present one."""
        if start is None:
            return current_document(connection, plan)
        return self._reads.document(plan.plan_id, start)

    def _reached(
        self, connection: Connection, plan: Plan, old: Action, document: PlanDocument
    ) -> Reached:
        children = ChildRepository(connection).counting(plan.plan_id)
        return Reached(
            document.cursor,
            _choices(connection, plan, old, document),
            self._sandboxes.find(plan.plan_id) is not None,
            any(
                child.plan_id in document.children and child.parent_step == document.cursor
                for child in children
            ),
        )

    def _follow(self, held: Held, reload: Reload) -> None:
        plan_id, found = held.plan_id, reload.renewal
        plan = self._reads.plan(plan_id)
        with self._database.reading() as connection:
            number = PlanRepository(connection).newest_definition(plan_id) + 1
        state = self._state(held, plan, reload, number)
        with self._database.writing(held) as connection:
            plans = PlanRepository(connection)
            plans.redefine(plan_id, number, found.action)
            plans.set_definition(plan_id, number)
            plans.set_cursor(plan_id, found.cursor)
            plans.set_action_hash(plan_id, reload.file_hash)
            record(connection, plan_id, Happening.RELOADED, plan_id, _noted(plan, reload, number))
            if state is not None:
                CheckpointRepository(connection).add(state)

    def _state(self, held: Held, plan: Plan, reload: Reload, number: int) -> Checkpoint | None:
        """Keeps the present as a state of the new action; None: there is none to come back to."""
        if plan.runs_bare or self._sandboxes.find(plan.plan_id) is None:
            return None
        wanted = CheckpointRequest(
            CheckpointType.STEP, f"before {reload.file.name} is reloaded", even_if_unchanged=False
        )
        latest = self._checkpoints.make(held, wanted)
        with self._database.reading() as connection:
            document = current_document(connection, plan)
        return self._checkpoints.restate(
            latest,
            replace(document, definition=number, cursor=reload.renewal.cursor),
            reload.renewal.action,
            f"{latest.name} with {reload.file.name} reloaded",
        )


def _file_of(plan: Plan) -> Path:
    """Returns the file that the steps of a plan are from; refuses a plan without one."""
    again = "--reload reads the action file of a plan again"
    if plan.parent_plan_id is not None:
        raise Refused(
            f"{again}, and a subplan follows its parent's",
            hints=[f"reload that: agents plan execute {plan.parent_plan_id} --reload"],
        )
    if plan.action.strategist is not None:
        raise Refused(
            f"{again}, and the steps of this one are its strategist's",
            hints=[f"ask it again: agents plan revert --to-phase strategize {plan.plan_id}"],
        )
    file = file_to_mend(plan)
    if file is None:
        whose = "this one has steps of a session" if plan.added.texts else "this one has none"
        hints = [f"run it on as it is: agents plan execute {plan.plan_id}"]
        raise Refused(f"{again}, and {whose}", hints=hints)
    return file


def _choices(
    connection: Connection, plan: Plan, old: Action, document: PlanDocument
) -> dict[str, str]:
    """Returns the options that count: what users have chosen and what was decided."""
    corrections = CorrectionRepository(connection)
    chosen = {
        cursor: option
        for cursor, step in every_step(old.steps)
        if step.options and (option := corrections.users_choice(plan.plan_id, cursor))
    }
    rows = _decided(connection, plan, document)
    return chosen | {row.cursor: row.chosen for row in rows if row.cursor}


def _decided(connection: Connection, plan: Plan, document: PlanDocument) -> Sequence[Decision]:
    rows = DecisionRepository(connection).of_plan(plan.plan_id)
    listed = [row for row in rows if row.decision_id in document.decisions]
    return [row for row in listed if row.decision_type == STRATEGY_CHOICE]


def _before(connection: Connection, plan: Plan, document: PlanDocument) -> dict[str, Checkpoint]:
    """Returns the checkpoint that each step started from, as far as it is kept."""
    decisions = DecisionRepository(connection).of_plan(plan.plan_id)
    runs = StepRunRepository(connection).of_plan(plan.plan_id)
    found = {
        row.cursor: row.checkpoint_id
        for row in reversed(decisions)
        if row.decision_id in document.decisions
    }
    listed = [run for run in runs if run.step_run_id in document.step_runs]
    found |= {run.cursor: run.checkpoint_id for run in listed}
    rows = CheckpointRepository(connection).of_plan(plan.plan_id)
    return {
        cursor: row
        for row in rows
        for cursor, started in found.items()
        if cursor is not None and started == row.checkpoint_id
    }


def _refusal(
    plan: Plan, file: Path, wrong: Sequence[Misfit], before: Mapping[str, Checkpoint]
) -> Refused:
    """Says what does not fit, and the way out."""
    rows = [before[one.cursor] for one in wrong if one.cursor and one.cursor in before]
    back = [
        f"to run it anew: {_anew(plan.plan_id, row)}"
        for row in sorted(rows, key=lambda row: row.seq)[:1]
    ]
    return Refused(
        f"{file.name} does not fit what the plan has done",
        detail=[one.reason for one in wrong],
        hints=[*back, f"make a new plan: agents plan use {quoted(str(file))}"],
    )


def _told(held: Held, reload: Reload) -> list[str]:
    found, file = reload.renewal, reload.file.name
    said = [f"{file} reloaded: {found.told}"] if found.is_new else []
    for cursor in found.outdated:
        step = f"step {number_of(cursor)} ({title_at(found.action.steps, cursor)})"
        anew = reload.before.get(cursor)
        way = f"; to run it anew: {_anew(held.plan_id, anew)}" if anew else ""
        said.append(f"{step} has run with its old definition{way}")
    return said or [f"{file} has nothing new for this plan{_arguments(found.action)}"]


def _anew(plan_id: str, before: Checkpoint) -> str:
    again = f"agents plan execute {plan_id} --reload"
    return f"agents plan rollback {plan_id} {before.seq}, then {again}"


def _arguments(action: Action) -> str:
    """The arguments, which a changed default does not change."""
    values = [f"{name}={one.default}" for name, one in action.arguments.items() if one]
    return f"; its arguments stay: {', '.join(values)}" if values else ""


def _noted(plan: Plan, reload: Reload, number: int) -> dict[str, object]:
    """The entry of the journal."""
    found = reload.renewal
    return {
        "file": str(reload.file),
        "definition": number,
        "replaced": plan.definition,
        "changed": found.changed,
        "added": found.added,
        "removed": found.removed,
        "told": found.told,
    }
