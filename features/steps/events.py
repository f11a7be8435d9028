"""Steps about the library: its one name, and what it tells whoever listens."""

from behave import then, when

from cleveragents import events

ABOUT = {
    events.PlanMoved: lambda e: f"{e.phase}/{e.state}",
    events.SandboxReady: lambda e: f"{e.strategy}, {e.files} files",
    events.StepStarted: lambda e: f"{e.index + 1}/{e.total} {e.name}, attempt {e.attempt}",
    events.StepOutput: lambda e: e.text,
    events.StepFinished: lambda e: f"{e.name}: {e.summary}",
    events.StepFailed: lambda e: f"{e.name}: {e.reason}, {e.attempts_left} left",
    events.CheckpointSaved: lambda e: f"cp{e.seq}: {e.reason}",
    events.CheckpointSame: lambda e: f"cp{e.seq}: {e.reason}",
    events.RolledBack: lambda e: f"cp{e.seq}: {e.files} files",
    events.Note: lambda e: e.text,
}


@when("the library uses and executes the action")
def use_library(context):
    context.events = []
    app = context.world.app(report=context.events.append)
    app.execute.run(app.use(context.action, {}).plan_id)


@then("the events are")
def check_events(context):
    found = [(type(event).__name__, ABOUT[type(event)](event)) for event in context.events]
    expected = [(row["event"], row["about"]) for row in context.table]
    assert found == expected, "\n".join(map(str, found))


@then('an event is "{kind}" about "{about}"')
def check_event(context, kind, about):
    found = [(type(event).__name__, ABOUT[type(event)](event)) for event in context.events]
    assert (kind, about) in found, "\n".join(map(str, found))
