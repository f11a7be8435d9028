"""Steps about stopping a plan: requests to cancel it, and signals."""

import contextlib
import os
import signal
import threading

from behave import given, then, when
from ownership import start_run
from world import wait_until

from cleveragents.cli.signals import Signals
from cleveragents.errors import Refused
from cleveragents.sandbox import process

IGNORING = ("sh", "-c", 'trap "" HUP; exec "$@"', "sh")


@given("a run waits in its step")
def wait_in_step(context):
    """Its step makes `started` and then waits."""
    start_run(context)


@given("a run that ignores SIGHUP waits in its step")
def ignore_signal(context):
    start_run(context, prefix=IGNORING)


@when("the process gets {name}")
def send(context, name):
    context.world.child.send_signal(getattr(signal, name))


@when('it has said "{text}"')
def wait_for_word(context, text):
    """Reads what it says without taking more than that from the pipe."""
    pipe, said = context.world.child.stderr, ""
    while text not in said:
        said += os.read(pipe.fileno(), 1).decode(errors="replace")


@then("it says how to resume the very plan")
def check_hint(context):
    hint = "hint: resume it: agents plan resume @\n"  # the latest plan
    assert hint in context.world.done.err, context.world.done.err


@then("the undo has run once")
def check_undone(context):
    log = context.world.gate.with_name("gate.log").read_text()
    assert log == "undone\n", log


@then("no request to cancel is left")
def check_no_request(context):
    assert not list(context.world.data_dir.glob("locks/*.cancel"))


@then("a plan that completes while somebody asks to cancel it stays complete")
def check_overtaken(context):
    plan_id = context.world.plan.plan_id
    stage = "UPDATE plans SET state = ?"
    context.world.sql(stage, "processing")
    owner, found = context.world.app(), []

    def work():
        try:
            context.world.app().cancellation.cancel(plan_id)
        except Refused as error:
            found.append(error.message)

    with owner.ownership.hold(plan_id, "running it"):
        thread = threading.Thread(target=work)
        thread.start()
        asked = owner.stopping.is_due
        wait_until(lambda: asked(plan_id), "the request")
        context.world.sql(stage, "complete")
    thread.join()
    assert found == ["the plan came to its end before it could be cancelled"], found
    assert context.world.plan.state == "complete"


@then("a signal where nothing is under way interrupts at once")
def check_at_once(context):
    with contextlib.suppress(KeyboardInterrupt), Signals(lambda: False):
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("it went on")


@then("a second signal ends the process and the steps it runs")
def check_second(context):
    ended, codes = [], []
    job = process.Job(
        ["sleep", "600"], context.world.home, {}, "a mark", context.world.home / "out"
    )

    def work():
        done = process.run(job, on_line=lambda _: None, must_stop=lambda: False)
        codes.append(done.exit_code)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until((context.world.home / "leader").exists, "the step")
    with Signals(lambda: True, end=ended.append):
        os.kill(os.getpid(), signal.SIGINT)
        assert ended == [], ended
        os.kill(os.getpid(), signal.SIGINT)
    thread.join()
    assert (ended, codes) == ([130], [-signal.SIGKILL]), (ended, codes)
