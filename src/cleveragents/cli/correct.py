"""`agents plan correct`: shows what hangs on a decision, asks, goes back and decides again."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from cleveragents.app import App
from cleveragents.cli import previewing, views
from cleveragents.cli.execute import run_plan
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Fields, Result
from cleveragents.engine.correct.append import Fix
from cleveragents.engine.correct.correction import Impact
from cleveragents.engine.read.next_steps import listing
from cleveragents.errors import InvalidInput, NotFound
from cleveragents.ids import PlanId
from cleveragents.plans.conflict import Conflict
from cleveragents.plans.correction import CorrectionAttempt, CorrectionMode
from cleveragents.plans.decision import Decision
from cleveragents.plans.lifecycle import COMPLETE
from cleveragents.plans.step_run import StepRun
from cleveragents.shapes.correction import (
    addition_of,
    addition_preview_of,
    correction_preview_of,
    second_choice_of,
)
from cleveragents.undertakings import Foresight

LISTED = 10  # shown to people; JSON has them all

# What programs read of a correction that has come to its end, with the conflicts it left.
Shape = Callable[[CorrectionAttempt, Sequence[Conflict]], Mapping[str, object]]


def correct(
    call: Invocation,
    decision: str,
    guidance: str,
    mode: str = CorrectionMode.REVERT,
    choose: str | None = None,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Decide again what followed from a decision (revert), or add a fix on top (append)."""
    app = call.app(progress=True)
    plan_id, found = _find(call, app, decision)
    again = f"agents plan correct --guidance TEXT {decision}"
    if mode == CorrectionMode.APPEND:
        if found is None:
            raise InvalidInput("--mode append needs the decision that the fix is for")
        addition = app.undertakings.append(found, guidance, choose)
        if dry_run:
            looked = previewing.dry_run(call, addition)
            data = addition_preview_of(looked.would, moving=looked.is_moving)
            return Result(data, [_fix(looked.would, choose)], messages=[previewing.DRY_RUN])
        fix = addition.foresee()
        digest = _agreed(call, fix, _fix(fix, choose), "Add it and run it?", again, yes=yes)
        return _run_on(call, app, addition.carry_out(digest), partial(addition_of, fix=fix))
    act = app.undertakings.correct(plan_id, found, guidance, choose)
    if dry_run:
        seen = previewing.dry_run(call, act)
        data = correction_preview_of(seen.would, choose, moving=seen.is_moving)
        block = impact_block("Would", seen.would, choose)
        return Result(data, [block], messages=[previewing.DRY_RUN])
    impact = act.foresee()
    question = f"Go back to {impact.target.name} and decide again?"
    digest = _agreed(call, impact, impact_block("Would", impact, choose), question, again, yes=yes)
    shape = partial(second_choice_of, impact=impact, choose=choose)
    return _run_on(call, app, act.carry_out(digest), shape)


def _fix(fix: Fix, choose: str | None) -> Fields:
    """The preview of the addition."""
    added = f"a subplan, {fix.step.title}: {fix.decision.question} {choose or ''}"
    return Fields("Would", [("add", added)])


def _agreed(
    call: Invocation, would: Foresight, block: Fields, question: str, again: str, *, yes: bool
) -> str | None:
    """Asks, unless that is answered; returns the digest of what was shown."""
    if yes:
        return None
    return previewing.asked(call, would, again=again, show=[block], question=question)


def _run_on(call: Invocation, app: App, attempt: CorrectionAttempt, shape: Shape) -> Result:
    """Runs the plan from where a correction has put it."""
    plan_id = attempt.plan_id
    result = run_plan(call, app, app.plans.find(plan_id))
    ended = app.corrections.attempt(attempt.correction_id)  # the run has moved it on
    found = app.plans.status(app.plans.find(plan_id))
    back = f"agents plan rollback {plan_id} {attempt.before_id}    # takes it back"
    return result._replace(
        data=shape(ended, found.conflicts),
        footer="Correction complete" if found.plan.stage == COMPLETE else "",
        next_steps=[
            *([listing(plan_id)] if found.conflicts else []),
            f"agents plan diff --correction {attempt.correction_id}",
            *([] if attempt.before_id is None else [back]),
        ],
    )


def impact_block(title: str, impact: Impact, choose: str | None = None) -> Fields:
    """The preview of a correction, as people read it."""
    rows = [("go back to", f"{impact.target.name} ({impact.target.reason})")]
    rows += [("decide again", _decided_again(row, impact, choose)) for row in impact.affected]
    rows += [("let stand", f"{row.question} → {row.chosen}") for row in impact.standing]
    rows += [("cancel subplan", child.name) for child in impact.subplans]
    rows += [("merge again", child.name) for child in impact.merged_again]
    rows += _some([(_fate(run, impact, choose), run.name) for run in impact.steps])
    rows += _some([(change.action, change.file) for change in impact.files])
    rows += [("undo", f"{call.run.name} ({call.run.tool})") for call in impact.calls.due]
    rows += [("cannot undo", f"{call.step}: {call.effects}") for call in impact.calls.left]
    left = previewing.some("checkpoint", [row.name for row in impact.left_behind])
    rows += [("leave behind", left)] if left else []
    return Fields(title, rows)


def _decided_again(row: Decision, impact: Impact, choose: str | None) -> str:
    if choose is None or row != impact.decision:
        return f"{row.question} (was {row.chosen})"
    return f"{row.question} {row.chosen} → {choose}"


def _fate(run: StepRun, impact: Impact, choose: str | None) -> str:
    """Whether a step runs again: those of an option that is not chosen any more do not."""
    row = impact.decision
    if row is None or choose in (None, row.chosen):
        return "run again"
    return "take back" if run.cursor.startswith(f"{row.cursor}.{row.chosen}.") else "run again"


def _some(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    more = [("…", f"and {len(rows) - LISTED} more")] if len(rows) > LISTED else []
    return rows[:LISTED] + more


def _find(call: Invocation, app: App, text: str) -> tuple[PlanId, Decision | None]:
    """Finds what is to be corrected: a decision, or with a plan's id its error."""
    try:
        found = views.find_decision(app, text)
    except NotFound:
        return views.meant(call, app, text).plan_id, None
    return found.plan_id, found
