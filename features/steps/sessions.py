"""Steps about Python programs that use the library: in this process, or killed in another."""

import ast
import contextlib
import os
import pickle
import re
import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from behave import given, then, when
from forked import forked, until_transaction
from inside import Inside
from world import Done, wait_until

import cleveragents
from cleveragents import App, CallFailed, CleverAgentsError
from cleveragents.errors import Refused
from cleveragents.plans.plan import PlanRepository
from cleveragents.plans.step import ToolStep
from cleveragents.storage.held import Held

STRIDE = 11
PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
PYTHON_FENCE = re.compile(r"^```python$(.*?)^```$", re.MULTILINE | re.DOTALL)
PRELUDE = """
import os, sys
from pathlib import Path
from cleveragents import App, CallFailed
app = App(Path(sys.argv[1]), data_dir=Path(sys.argv[2]))
"""


@when("this program runs")
def run_program(context):
    """In the project, with `app` opened on it."""
    names = {"os": os, "App": App, "CallFailed": CallFailed, "app": context.world.app()}
    names["DATA"] = context.world.data_dir
    code = compile(textwrap.dedent(context.text), "the program", "exec")
    with contextlib.chdir(context.world.project), context.world.variables_set():
        exec(code, names)


@when('a session is used {when} for "{call}"')
def misuse_session(context, when, call):
    """As a program does that keeps it too long, or hands it to a thread."""
    world = context.world

    def use():
        context.before = _present(world)
        try:
            eval(f"run.{call}", {"run": run})
        except CleverAgentsError as error:
            context.refusal = error
        context.after = _present(world)

    with world.app().session(world.project) as run:
        run.tool("write_file", path="first.txt", content="first")
        if when == "in another thread":
            thread = threading.Thread(target=use)
            thread.start()
            thread.join()
        if when == "in a forked process":
            context.refusal, context.before, context.after = _told_by_fork(context, use)
    if when == "after its block":
        use()


@when("a step is recorded and taken back with its transaction, then another one")
def record_twice(context):
    with context.world.app().session() as run:
        run.tool("write_file", path="first", content="")
    inside = Inside(context.world)
    held = Held(inside.plan.plan_id, None)
    for name in ("given up", "other"):
        with contextlib.suppress(InterruptedError), inside.database.writing(held) as connection:
            plans = PlanRepository(connection)
            step = ToolStep.model_validate({"tool": "shell", "with": {"command": name}})
            plans.extend(held.plan_id, 1, step)
            assert plans.get(held.plan_id).action.steps[1] == step
            if name == "given up":
                raise InterruptedError


@then("only the other one is a step of the plan")
def check_other(context):
    found = [step.with_ for step in Inside(context.world).plan.action.steps]
    assert found[1:] == [{"command": "other"}], found


@then('it was refused, because "{why}"')
def check_misuse(context, why):
    assert isinstance(context.refusal, Refused), context.refusal
    assert why in context.refusal.message, context.refusal.message
    assert context.refusal.hints


@then("neither plan, files nor checkpoints have changed by it")
def check_untouched(context):
    assert context.before == context.after, (context.before, context.after)


def _told_by_fork(context, use):
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            use()
            told = (context.refusal, context.before, context.after)
            with open(writer, "wb") as file:
                pickle.dump((told[0].message, told[0].hints, told[1:]), file)
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        message, hints, (before, after) = pickle.load(file)
    os.wait()
    return Refused(message, hints=hints), before, after


def _present(world):
    """What a call could change, read with other eyes."""
    tables = ("plans", "checkpoints", "step_runs", "decisions", "operations")
    rows = {table: world.sql(f"SELECT * FROM {table}") for table in tables}
    places = (world.sandbox, *world.data_dir.glob("projects/*/store/packs"))
    found = (path for place in places for path in place.rglob("*"))
    return rows, {path: path.read_bytes() for path in found if path.is_file()}


@when("this program fails")
def run_failing_program(context):
    context.raised = None
    try:
        run_program(context)
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the next step asks for it
        context.raised = error


@given("this program has been killed in its step")
def kill_program(context):
    """Its step makes `started` and then waits."""
    world = context.world
    world.child = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + context.text, world.project, world.data_dir],
        env={**os.environ, **world.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: list(world.data_dir.glob("sandboxes/*/tree/started")), "the step")
    world.child.kill()
    world.end_of_child()


@then('it raised "{text}"')
def check_raised(context, text):
    told = f"{type(context.raised).__name__}: {context.raised}"
    assert told.startswith(text), told


@then("each public name of the library can be imported")
def check_public_names(context):
    """Those that the package promises, and just those that type checkers are shown."""
    tree = ast.parse(Path(cleveragents.__file__).read_text())
    shown, *_ = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name for line in shown.body for alias in line.names}
    assert set(cleveragents.__all__) == {*names, "__version__"}
    for name in cleveragents.__all__:
        assert getattr(cleveragents, name).__class__, name
    assert set(cleveragents.__all__) < set(dir(cleveragents))
    assert Path(cleveragents.__file__).with_name("py.typed").exists()


@then('the library has no name "{name}"')
def check_no_name(context, name):
    assert not hasattr(cleveragents, name)


@then("the page of the library names them all")
def check_named(context):
    told = set(re.findall(r"`(\w+)`", PAGE.partition("## Names")[2]))
    assert told == set(cleveragents.__all__), told ^ set(cleveragents.__all__)


@then("it describes every member of the app and of a session, and no other")
def check_members(context):
    app = context.world.app()
    with app.session() as run:
        for name, one in (("app", app), ("run", run)):
            members = {member for member in dir(one) if not member.startswith("_")}
            told = set(re.findall(rf"\b{name}\.(\w+)", PAGE))
            assert told == members, told ^ members


@when("the Python of the page is run in the project")
def run_page(context):
    world = context.world
    program = "".join(PYTHON_FENCE.findall(PAGE))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=world.project,
        env={**os.environ, **world.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    world.done = Done(done.returncode, done.stdout, done.stderr)


@when("a loop is killed at every eleventh of its transactions and run again")
def kill_loop(context):
    """From nothing each time; the loop knows where it is from its plan alone."""
    world = context.world
    context.outcomes = []
    while forked(lambda: loop_until(world, STRIDE * len(context.outcomes))):
        loop(world.app())
        assert world.sql("PRAGMA foreign_key_check") == []
        assert world.sql("SELECT kind FROM operations WHERE status = 'open'") == []
        assert world.plan.state == "complete", world.plan
        context.outcomes.append((world.sandbox / "log").read_text())
        shutil.rmtree(world.data_dir)


def loop_until(world, number):
    """Loops in this process and dies at the transaction of that number."""
    app = world.app()
    until_transaction(number, lambda: loop(app))


def loop(app):
    """Writes, fails once, writes, tries something and takes that back."""
    with app.session(plan="@" if app.plans.list() else None) as run:
        if run.plan.step_index == 0:
            run.tool("write_file", path="log", content="one")
        if run.plan.step_index == 1:
            with contextlib.suppress(CallFailed):
                run.tool("shell", command="echo bad >> log; exit 1")
            run.tool("shell", command="printf ', two' >> log")
        if run.plan.step_index == 2:
            run.checkpoint("the end")
            run.tool("write_file", path="log", content="too much")
        if run.plan.step_index == 3:
            rows = app.checkpoints.list_checkpoints(run.plan_id)
            run.rollback(next(row for row in rows if row.label == "the end"))


@then('each time it has come to its end with the file "log" of "{text}"')
def check_ends(context, text):
    assert set(context.outcomes) == {text}, context.outcomes
