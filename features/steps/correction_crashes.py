"""Steps about corrections whose process dies."""

import shutil

from behave import given, then, when
from crashes import AFTER_INTENT, crash
from decisions import decision_called, decisions
from forked import forked, until_transaction

SAID = "otherwise"


@given('a correction of "{name}" to "{option}" has crashed after its intent was recorded')
def crash_after_intent(context, name, option):
    crash(AFTER_INTENT, "correct", _correction(context, name, option))


@when('a correction of "{name}" to "{option}" is killed at each of its transactions in turn')
def kill_everywhere(context, name, option):
    """Starts from the same state each time; after each kill the plan is run as a user would."""
    world = context.world
    kept = world.home / "kept"
    shutil.copytree(world.data_dir, kept, symlinks=True)
    correct = _correction(context, name, option)
    context.outcomes = []
    while forked(lambda: until_transaction(len(context.outcomes), correct)):
        done = world.agents("plan", "execute", "@")
        assert done.code == 0, done.err
        assert world.sql("PRAGMA foreign_key_check") == []
        assert world.sql("SELECT kind FROM operations WHERE status = 'open'") == []
        files = " ".join((world.sandbox / file).read_text() for file in ("f", "g"))
        counting = [one.chosen for one in decisions(context) if one.superseded_by is None]
        context.outcomes.append((files, ", ".join(counting)))
        shutil.rmtree(world.data_dir)
        shutil.copytree(kept, world.data_dir, symlinks=True)


def _correction(context, name, option):
    """What decides again, to be called in a process that ends with it."""
    row = decision_called(context, name)
    return lambda: context.world.app().corrections.revert(row.plan_id, row, SAID, option)


@then("it was killed at least {count:d} times")
def check_kills(context, count):
    assert len(context.outcomes) >= count, context.outcomes


@then(
    'each time the next run came to "{old}" with the decisions "{stood}"'
    ' or to "{new}" with the decisions "{counts}"'
)
def check_outcomes(context, old, stood, new, counts):
    context.legal = {(old, stood), (new, counts)}
    assert set(context.outcomes) <= context.legal, context.outcomes


@then("both have happened")
def check_both(context):
    assert set(context.outcomes) == context.legal, context.outcomes
