"""Steps about bringing a sandbox up to what the user has changed meanwhile."""

import json

from behave import given, then


@given("a refresh has crashed after its {done}")
def crashed_refresh(context, done):
    """Carries a refresh out up to a moment, as a process that died there did."""
    app = context.world.app()
    plan = app.plans.find("@")
    refreshes = app.refresh._refreshes
    operation = refreshes.open(plan, refreshes.propose(plan))
    if done == "files were restored":
        sandbox = refreshes._sandboxes.require(plan.plan_id)
        archive = refreshes._sandboxes.archive(plan.project_id)
        target = archive.load(operation.intent["target"])
        archive.restore(target, sandbox.roots, sandbox.staging)


@then('the last checkpoints are "{kinds}"')
def last_kinds(context, kinds):
    wanted = kinds.split(", ")
    rows = json.loads(context.world.done.out)["data"]["checkpoints"]
    found = [row["checkpoint_type"] for row in rows[-len(wanted) :]]
    assert found == wanted, found
