"""Steps about plans that run at the same time in threads of one process."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from behave import then, when
from oracle import assert_same, picture

from cleveragents.once import once
from cleveragents.plans.lifecycle import written
from cleveragents.sandbox.adoption import ADOPTS
from cleveragents.sandbox.survivors import MARK


@when("the library runs {count:d} plans of the action at once")
def run_at_once(context, count):
    ADOPTS.set()
    context.app = context.world.app()
    plans = [context.app.use(context.action, {}) for _ in range(count)]
    with ThreadPoolExecutor(count) as pool:
        context.plans = list(pool.map(context.app.execute.run, [plan.plan_id for plan in plans]))


@then('all of them are "{stage}"')
def check_stages(context, stage):
    found = [(written(plan.stage), plan.error) for plan in context.plans]
    assert found == [(stage, None)] * len(found), found


@then('each of them has a sandbox in which "{name}" holds "{text}"')
def check_files(context, name, text):
    for plan in context.plans:
        found = (sandbox(context, plan) / name).read_text().strip()
        assert found == text, found


@then("each of them can go back to each of its checkpoints and verify it")
def check_checkpoints(context):
    """In another process's eyes: a new library, that knows only what is stored."""
    app = context.world.app()
    for plan in context.plans:
        files = picture(sandbox(context, plan))
        rows = app.checkpoints.list_checkpoints(plan.plan_id)
        for row in (*rows, rows[-1]):
            assert all(found.is_intact for found in app.checkpoints.verify_checkpoints([row]))
            app.checkpoints.rollback_to_checkpoint(plan.plan_id, row)
        assert_same(files, picture(sandbox(context, plan)))


@then("no process of the steps is left")
def check_processes(context):
    marks = {f"{MARK}={run}" for (run,) in context.world.sql("SELECT step_run_id FROM step_runs")}
    seen = [Path(f"/proc/{name}") for name in os.listdir("/proc") if name.isdigit()]
    left = [path.name for path in seen if bears(path, marks) or is_child(path)]
    assert left == [], left


def sandbox(context, plan):
    return context.app.plans.status(plan).sandbox.path


def bears(path, marks):
    try:
        return not marks.isdisjoint((path / "environ").read_bytes().decode().split("\0"))
    except (OSError, UnicodeDecodeError):
        return False


def is_child(path):
    try:
        fields = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    return fields[1] == str(os.getpid())


class Slow:
    """Has something that takes its time to be made."""

    made = 0

    @once
    def service(self):
        """A service."""
        self.made += 1
        time.sleep(0.01)
        return object()


@then("{count:d} threads that ask for a service at the same moment all get the one that was made")
def check_once(context, count):
    slow, begin = Slow(), Barrier(count)

    def ask(_):
        begin.wait()
        return slow.service

    with ThreadPoolExecutor(count) as threads:
        found = list(threads.map(ask, range(count)))
    assert set(map(id, found)) == {id(slow.service)} and slow.made == 1, slow.made
    assert Slow.service.__doc__ == "A service."
