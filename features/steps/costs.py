"""Steps about what makes time: it is counted, because no clock is the same twice."""

from behave import given, then, when
from support.counts import counted

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.snapshots.store.once import Once

CHANGED = 10


@given("a project of {files:d} files in {folders:d} folders")
def make_files(context, files, folders):
    for number in range(files):
        path = context.world.project / f"d{number % folders}" / f"f{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{number}\n" * 300)


@given("a process that has made {count:d} checkpoints, each of ten changed files")
def make_checkpoints(context, count):
    context.app = context.world.app()
    plan = context.app.plans.find("@")
    context.plan_id, context.round = plan.plan_id, 0
    context.tree = context.app.plans.status(plan).sandbox.path
    for _ in range(count):
        _change(context)
        _checkpoint(context)


@when("it makes one more")
def make_one(context):
    _change(context)
    with context.app.ownership.hold(context.plan_id, "counting"):
        context.counts = counted(lambda: _checkpoint(context))


@when("it goes back to the latest after ten files were changed")
def go_back(context):
    _change(context)
    checkpoints = context.app.checkpoints
    latest = checkpoints.latest_checkpoint(context.plan_id)
    with context.app.ownership.hold(context.plan_id, "counting"):
        context.counts = counted(
            lambda: checkpoints.rollback_to_checkpoint(context.plan_id, latest)
        )


@when("a process goes back to checkpoint {number} and is counted")
def go_back_to(context, number):
    app = context.world.app()
    plan_id = app.plans.find("@").plan_id
    target = app.checkpoints.get_checkpoint(plan_id, number)
    context.counts = counted(lambda: app.checkpoints.rollback_to_checkpoint(plan_id, target))


@given("a plan of the project has been run in this process")
@when("a plan of the project is run in this process")
def run_here(context):
    context.app = app = context.world.app()
    context.plan = app.use(context.action, {})
    context.counts = counted(lambda: app.execute.run(context.plan.plan_id))


@when("it is forked")
def fork_here(context):
    latest = context.app.checkpoints.latest_checkpoint(context.plan.plan_id)
    context.counts = counted(lambda: context.app.fork(context.plan, latest, "another"))


@then("it takes at most")
def check_counts(context):
    found = {row["what"]: context.counts[row["what"]] for row in context.table}
    allowed = {row["what"]: int(row["count"]) for row in context.table}
    assert all(found[what] <= allowed[what] for what in allowed), found


@then(
    "of {count:d} objects of {size:d} bytes that an act reads, it remembers the last ones,"
    " at most {most:d} bytes"
)
def check_bounded(context, count, size, most):
    del context
    remembered = Once()
    objects = {bytes([number]) * 32: bytes([number]) * size for number in range(count)}
    with remembered.block():
        for identity, data in objects.items():
            remembered.keep(identity, data)
        known = [identity for identity in objects if remembered.get(identity) is not None]
    assert known == list(objects)[-len(known) :], len(known)
    assert most - size < len(known) * size <= most, len(known)
    assert remembered.get(known[0]) is None


def _change(context):
    """Another line in ten files of folders that are not all the same."""
    context.round += 1
    for path in sorted(context.tree.rglob("f*.txt"))[context.round % 7 :: 7][:CHANGED]:
        path.write_text(f"round {context.round}\n" + path.read_text())


def _checkpoint(context):
    wanted = CheckpointRequest(CheckpointType.TOOL, "counted", even_if_unchanged=False)
    context.app.checkpoints.create_checkpoint(context.plan_id, wanted)
