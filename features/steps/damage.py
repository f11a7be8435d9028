"""Steps about a damaged store, and about what it costs to look for damage."""

import re
from collections import Counter
from contextlib import contextmanager

from behave import given, then, when
from fault_suites import run_suite

from cleveragents.engine.proposal import ApplyOptions
from cleveragents.snapshots.pack import Pack


@when('the suite "damage" lets {acts} meet {points:d} damage of each kind')
def meet_damages(context, acts, points):
    names = [word for act in re.findall(r'"([^"]+)"', acts) for word in ("--operation", act)]
    run_suite(context, "damage", *names, "--points", str(points))


@given("a project of {count:d} files")
def fill_project(context, count):
    for number in range(count):
        folder = context.world.project / f"d{number % 10}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}").write_text(f"file {number}\n")


@then("a rollback reads at most {most:d} objects of the store")
def count_rollback(context, most):
    app = context.world.app()
    plan = app.plans.find("@")
    first = app.checkpoints.get_checkpoint(plan.plan_id, "1")
    with counted() as reads:
        result = app.checkpoints.rollback_to_checkpoint(plan.plan_id, first)
    assert len(result.changes) == 5, result.changes
    assert 5 < reads.total() <= most, reads.total()


@then("an apply reads at most {most:d} objects of the store")
def count_apply(context, most):
    app = context.world.app()
    with counted() as reads:
        result = app.apply.run(app.plans.find("@").plan_id, ApplyOptions())
    assert len(result.applied.paths) == 5, result.applied
    assert 5 < reads.total() <= most, reads.total()


@contextmanager
def counted():
    """Counts the objects that are read of packs, by id."""
    reads, read = Counter(), Pack.read

    def count(pack, identity, base):
        reads[identity] += 1
        return read(pack, identity, base)

    Pack.read = count
    try:
        yield reads
    finally:
        Pack.read = read
