"""Steps about bringing a sandbox up to what the user has changed meanwhile."""

import json

from behave import given, then, when
from crashes import crash

from cleveragents.errors import Refused


@given("a refresh has crashed after its {done}")
def crashed_refresh(context, done):
    plan_id = context.world.plan.plan_id
    crash(f"after its {done}", "refresh", lambda: context.world.app().refresh.run(plan_id))


@given('a resolve of "{path}" with "{take}" has crashed after its {done}')
def crashed_resolve(context, path, take, done):
    plan_id = context.world.plan.plan_id

    def resolve():
        context.world.app().conflicts.resolve(plan_id, path, take)

    crash(f"after its {done}", "resolve", resolve)


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
