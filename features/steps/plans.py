"""Steps about plans: where they stand, what they have done, and the files they work on."""

import os
import shutil
from pathlib import Path

from behave import given, then, when
from inside import Inside
from world import wait_until

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.errors import Refused
from cleveragents.plans.cursor import every_step, title_at
from cleveragents.plans.decision import DecisionRepository, NewDecision
from cleveragents.plans.lifecycle import MOVES, Phase, State, check_move, written
from cleveragents.plans.step_run import StepRunRepository

EVERY_STAGE = [(phase, state) for phase in Phase for state in State]


@then('a plan in "{stage}" may go to "{targets}" and nowhere else')
def check_moves(context, stage, targets):
    current = parse(stage)
    allowed = [] if targets == "nothing" else [parse(target) for target in targets.split(", ")]
    for target in EVERY_STAGE:
        if target in allowed:
            check_move(current, target)
        else:
            assert refused(current, target), f"{stage} may go to {written(target)}"


@then('no plan can ever be in "{stages}"')
def check_impossible(context, stages):
    reachable = {target for targets in MOVES.values() for target in targets}
    for stage in map(parse, stages.split(", ")):
        assert stage not in reachable, written(stage)


@then("the outline of the plan tells of {count:d} steps what its action tells")
def check_outline(context, count):
    plan = Inside(context.world).plan
    told = [
        {cursor: title_at(steps, cursor) for cursor, _ in every_step(steps)}
        for steps in (plan.outlined_steps, plan.action.steps)
    ]
    assert told[0] == told[1], told
    assert len(told[0]) == count and all(told[0].values()), told


def parse(stage):
    phase, state = stage.split("/")
    return Phase(phase), State(state)


def refused(current, target):
    try:
        check_move(current, target)
    except Refused as error:
        return written(current) in error.message and written(target) in error.message
    return False


@given('the plan is set to "{stage}" by hand')
def set_stage(context, stage):
    phase, state = stage.split("/")
    plan_id = context.world.plan.plan_id
    statement = "UPDATE plans SET phase = ?, state = ? WHERE plan_id = ?"
    context.world.sql(statement, phase, state, plan_id)


@given("I remember the plan")
def remember_plan(context):
    context.plan_id = context.world.plan.plan_id


@given("I remember the plan as the other one")
def remember_other(context):
    context.other_id = context.world.plan.plan_id


@then("the latest plan is the one I remember")
def check_latest(context):
    assert context.world.done.data["plan_id"] == context.plan_id, context.world.done.data


@when('I look for the plan by the first {count:d} characters of its id with "agents {line}"')
def run_with_prefix(context, count, line):
    prefix = context.plan_id[:count].lower()
    context.world.agents(*(prefix if word == "PREFIX" else word for word in line.split()))


@then('the plan is "{stage}"')
def check_stage(context, stage):
    assert written(context.world.plan.stage) == stage, written(context.world.plan.stage)


@then("the plan is at step {index:d}")
def check_cursor(context, index):
    assert context.world.plan.step_index == index, context.world.plan.cursor


@then("the plan's steps are")
def check_progress(context):
    app = context.world.app()
    status = app.plans.status(app.plans.find("@"))
    found = [(step.step, step.status) for step in status.progress]
    assert found == [(row["step"], row["status"]) for row in context.table], found


@then("the plan's files are")
def check_files(context):
    """Exactly these, each with its content; what ties the sandbox to its git aside."""
    top = context.world.sandbox
    found = {
        os.fsdecode(path.relative_to(top)): path.read_text(errors="replace").rstrip("\n")[:80]
        for path in top.rglob("*")
        if path.is_file() and path.name != ".git"
    }
    expected = {row["file"]: row["content"].replace("\\n", "\n") for row in context.table}
    assert found == expected, found


@then('the plan\'s file "{name}" holds "{text}"')
def check_file(context, name, text):
    found = (context.world.sandbox / name).read_text()
    assert found.rstrip("\n") == text.encode().decode("unicode_escape"), repr(found)


@then('the plan has no file "{name}"')
def check_no_file(context, name):
    assert not os.path.lexists(context.world.sandbox / name), name


@given('the plan\'s file "{name}" is changed to "{text}"')
@when('the plan\'s file "{name}" is changed to "{text}"')
def change_file(context, name, text):
    (context.world.sandbox / name).write_text(text)


@given('the plan\'s file "{name}" is removed')
def remove_file(context, name):
    (context.world.sandbox / name).unlink()


@given('the plan\'s directory "{name}" is removed')
def remove_directory(context, name):
    shutil.rmtree(context.world.sandbox / name)


@given("everything that is stored is remembered")
def remember_stored(context):
    context.before = stored(context)


@then("nothing that is stored has changed")
def check_stored(context):
    assert stored(context) == context.before


def stored(context):
    """Every file of the data directory and what it holds, but for the locks and caches."""
    top = context.world.data_dir
    return {
        path.relative_to(top): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and path.suffix not in (".lock", ".stat") and "journal" not in path.name
    }


@then("the project is as it was")
def check_project(context):
    names = sorted(path.name for path in context.world.project.iterdir() if path.name != ".git")
    assert names == ["a.txt"], names
    assert (context.world.project / "a.txt").read_text() == "one\n"


@then("the steps that count are")
def check_counting(context):
    """Name and attempt of every successful run that nothing took back, in order."""
    found = [(run.name, str(run.attempt)) for run in runs(context) if run.superseded_by is None]
    assert found == [(row["step"], row["attempt"]) for row in context.table], found


@then("no step counts")
def check_none_counts(context):
    found = [run.name for run in runs(context) if run.superseded_by is None]
    assert found == [], found


@then("the runs of steps are")
def check_runs(context):
    """Every run ever made, those taken back included."""
    found = [(run.name, str(run.attempt), run.status) for run in runs(context)]
    expected = [(row["step"], row["attempt"], row["status"]) for row in context.table]
    assert found == expected, found


def runs(context):
    return Inside(context.world).of(StepRunRepository)


@given('a decision "{chosen}" has been recorded')
def record_decision(context, chosen):
    inside = Inside(context.world)
    with inside.database.registering() as connection:
        decisions = DecisionRepository(connection)
        decisions.add(inside.plan.plan_id, NewDecision("strategy_choice", "Which one?", chosen))


@then('the decisions that count are "{chosen}"')
def check_decisions(context, chosen):
    found = Inside(context.world).of(DecisionRepository)
    counting = [decision.chosen for decision in found if decision.superseded_by is None]
    assert ", ".join(counting) == chosen, found


@given('a checkpoint of type "{kind}" was the last thing it saved')
def save_last(context, kind):
    app = context.world.app()
    wanted = CheckpointRequest(
        CheckpointType(kind), "just before the kill", even_if_unchanged=False
    )
    app.checkpoints.create_checkpoint(app.plans.find("@").plan_id, wanted)


@then("nothing that the killed step started is left")
def check_nothing_left(context):
    pid = int(Path(f"{context.world.gate}.pid").read_text())
    wait_until(lambda: not alive(pid), f"the end of process {pid}")


@then("what the killed step started is still there")
def check_left(context):
    assert alive(int(Path(f"{context.world.gate}.pid").read_text()))


def alive(pid):
    """A zombie is dead; whoever adopted it may not have noticed yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@then("the plans of the project are numbered {numbers}")
def check_numbers(context, numbers):
    found = [plan.number for plan in context.world.app().plans.list()]
    assert ", ".join(map(str, found)) == numbers, found
