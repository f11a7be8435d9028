"""Steps about what every part of a kind promises."""

from behave import then
from promises import (
    DISPATCHERS,
    OF_DISPATCHERS,
    OF_STRATEGIES,
    OF_WORKPLACES,
    WORKPLACES,
    Copies,
    named,
)


@then("{place} keeps what every workplace promises")
def check_workplace(context, place):
    _keep(context, OF_WORKPLACES, WORKPLACES[place](context.world))


@then("a sandbox by {strategy} keeps what every strategy promises")
def check_strategy(context, strategy):
    _keep(context, OF_STRATEGIES, Copies(context.world, strategy))


@then("the dispatcher of {kind} keeps what every dispatcher promises")
def check_dispatcher(context, kind):
    _keep(context, OF_DISPATCHERS, DISPATCHERS[kind])


def _keep(context, promises, part):
    """Asks for each promise; the scenario lists them, so that none is dropped unseen."""
    assert [row["promise"] for row in context.table] == list(map(named, promises))
    for promise in promises:
        promise(part)
