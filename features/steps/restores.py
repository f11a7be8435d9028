"""Steps about single paths that are taken back from a checkpoint."""

import shutil

from behave import given, then, when
from crashes import crash
from forked import forked, until_transaction

from cleveragents.storage.lock import Locks


@given('the shell runs "{command}" in the sandbox')
def run_in_sandbox(context, command):
    context.world.sh(command, cwd=context.world.sandbox)


@given("somebody else owns the plan")
def own_plan(context):
    locks = Locks(context.world.data_dir / "locks", "plan")
    owned = locks.own(context.world.plan.plan_id, "at work")
    owned.__enter__()
    context.add_cleanup(owned.__exit__, None, None, None)


@given('a restore of "{path}" from checkpoint {number:d} has crashed after its {done}')
def crash_restore(context, path, number, done):
    crash(f"after its {done}", "restore", _restore(context.world, path, number))


@when(
    'a restore of "{path}" from checkpoint {number:d} is killed at each of its transactions in turn'
)
def kill_everywhere(context, path, number):
    """Starts from the same state each time; after each kill a command recovers the plan."""
    world = context.world
    kept = world.home / "kept"
    shutil.copytree(world.data_dir, kept, symlinks=True)
    plan_id = world.plan.plan_id

    restore = _restore(world, path, number)
    context.outcomes = []
    while forked(lambda: until_transaction(len(context.outcomes), restore)):
        done = world.agents("plan", "checkpoint", "pin", "@", "1")  # it changes no file
        assert done.code == 0, done.err
        assert world.sql("SELECT kind FROM operations WHERE status = 'open'") == []
        rows = world.app().checkpoints.list_checkpoints(plan_id)
        context.outcomes.append(((world.sandbox / path).read_text().strip(), len(rows)))
        shutil.rmtree(world.data_dir)
        shutil.copytree(kept, world.data_dir, symlinks=True)


def _restore(world, path, number):
    """What takes a path back, to be called in a process that ends with it."""

    def restore():
        app = world.app()
        plan_id = app.plans.find("@").plan_id
        source = app.checkpoints.get_checkpoint(plan_id, str(number))
        return app.restore.run(plan_id, source, [path])

    return restore


@then('each time the file was "{old}" with {before:d} checkpoints or "{new}" with {after:d}')
def check_outcomes(context, old, before, new, after):
    context.legal = {(old, before), (new, after)}
    assert set(context.outcomes) <= context.legal, context.outcomes
