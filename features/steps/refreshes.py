"""Steps about bringing a sandbox up to what the user has changed meanwhile."""

import json

from behave import given, then, when

from cleveragents.errors import Refused


@given("a refresh has crashed after its {done}")
def crashed_refresh(context, done):
    """Carries a refresh out up to a moment, as a process that died there did."""
    app = context.world.app()
    plan = app.plans.find("@")
    refreshes = app.refresh._refreshes
    with app.ownership.hold(plan.plan_id, "refreshing") as held:
        operation = refreshes.open(held, plan, refreshes.propose(plan))
    if done == "files were restored":
        _restore(refreshes._sandboxes, plan, operation)


@given('a resolve of "{path}" with "{take}" has crashed after its {done}')
def crashed_resolve(context, path, take, done):
    """The same of a resolve."""
    app = context.world.app()
    plan = app.plans.find("@")
    resolutions = app.conflicts._resolutions
    proposed = app.conflicts.preview(plan.plan_id, path, take)
    with app.ownership.hold(plan.plan_id, "solving it") as held:
        safety = app.checkpoints._acts.save_safety(held, "before it was solved")
        operation = resolutions.open(held, plan, proposed, safety)
    if done == "files were restored":
        _restore(resolutions._sandboxes, plan, operation)


def _restore(sandboxes, plan, operation):
    sandbox = sandboxes.require(plan.plan_id)
    archive = sandboxes.archive(plan.project_id)
    target = archive.load(operation.intent.target)
    archive.restore(target, sandbox.roots, sandbox.staging)


@when('somebody edits "{path}" again while "{take}" is asked about')
def edit_while_asked(context, path, take):
    app = context.world.app()
    plan = app.plans.find("@")
    shown = app.conflicts.preview(plan.plan_id, path, take)
    (context.world.sandbox / path).write_text("edited again\n")
    context.error = None
    try:
        app.conflicts.resolve(plan.plan_id, path, take, shown=shown)
    except Refused as error:
        context.error = error


@then('it was refused, saying "{text}"')
def was_refused(context, text):
    assert context.error is not None, "it was not refused"
    assert text in context.error.message, context.error.message


@then('the last checkpoints are "{kinds}"')
def last_kinds(context, kinds):
    wanted = kinds.split(", ")
    rows = json.loads(context.world.done.out)["data"]["checkpoints"]
    found = [row["checkpoint_type"] for row in rows[-len(wanted) :]]
    assert found == wanted, found
