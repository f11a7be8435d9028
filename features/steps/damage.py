"""Steps about a damaged store, and about what it costs to look for damage."""

import re
import resource
from collections import Counter
from contextlib import contextmanager

from behave import given, then, when
from fault_suites import run_suite

from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.errors import Damaged, Failed
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.store.pack import Pack


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


@when("the tree is made sure of")
def secure(context):
    with context.kept.acting():
        context.kept.archive.secure(context.kept.latest, {MAIN: context.kept.tree})


@then('it is told that what was stored of "{path}" was damaged')
def check_told(context, path):
    (told,) = context.kept.told
    assert told.endswith(f"was damaged; it was stored again from the files: {path}"), told


@then('to make sure of the tree is refused, naming "{path}"')
def check_refusal(context, path):
    error = refusal(context)
    assert isinstance(error, Damaged) and error.detail == (path,), error
    assert "nothing was changed" in error.message, error
    assert error.hints == ("look for intact copies: agents doctor --repair",), error.hints


@then("to make sure of the tree without room for a byte is refused")
def check_no_room(context):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        error = refusal(context)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "lost content could not be stored again: File too large" in error.message, error
    assert len(context.kept.packs) == 1, context.kept.packs


def refusal(context):
    try:
        secure(context)
    except Failed as error:
        return error
    raise AssertionError("it was not refused")


@then('the project\'s "{path}" holds "{text}"')
def check_project_file(context, path, text):
    assert (context.world.project / path).read_text().strip() == text


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
