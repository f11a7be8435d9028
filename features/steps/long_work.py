"""Steps about long work: what is told of it, where, and that it can be given up."""

import contextlib
import io
import os

from behave import given, then, when
from world import Screen

from cleveragents.cli.console import Paper
from cleveragents.cli.progress import ProgressDisplay
from cleveragents.cli.work import WorkDisplay, drawn, told
from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.events import NO_PLAN, Note, Working
from cleveragents.snapshots.tree import content, giving_up, long_work
from cleveragents.snapshots.tree.content import CHUNK, store_file, write_file
from cleveragents.snapshots.tree.manifest import Entry

LARGE = 5 * CHUNK


class GivenUp(Exception):
    """As whoever wants work to end says so."""


def working(seconds, files=40, of_files=80, size=0, of_size=0):
    return Working(NO_PLAN, "copying", seconds, files, size, of_files, of_size)


# --- what is done ------------------------------------------------------------------------------


@given("nothing is too quick to be told")
def tell_all(context):
    for name in ("FIRST_SECONDS", "TELL_SECONDS"):
        context.add_cleanup(setattr, long_work, name, getattr(long_work, name))
        setattr(long_work, name, 0.0)


@when("the library runs a plan on its files, verifies it, examines, rolls back, applies and prunes")
def act(context):
    context.events = []
    app = context.world.app(report=context.events.append)
    with app.session() as run:
        run.tool("shell", command="for f in many-*; do echo more >> $f; done")
        run.tool("shell", command="echo more >> large")
    plan_id = app.plans.find("@").plan_id
    rows = app.checkpoints.list_checkpoints(plan_id)
    assert all(one.is_intact for one in app.checkpoints.verify_checkpoints(rows))
    assert app.doctor.examine().is_healthy
    app.checkpoints.rollback_to_checkpoint(plan_id, rows[1])
    app.execute.run(plan_id)
    app.apply.run(plan_id, ApplyOptions())
    app.checkpoints.delete_checkpoint(plan_id, rows[2])
    app.tidy(plan_id)


@when("a pipe is told of work on 40 of 80 files at {seconds} seconds")
def tell_pipe(context, seconds):
    context.pipe = io.StringIO()
    display = WorkDisplay(Paper(context.pipe))
    for second in seconds.split(", "):
        display.tell(working(float(second)))
    display.clear()


# --- what comes of it --------------------------------------------------------------------------


@then("what was told of the work is, with all that there was to do")
def check_work(context):
    found = [event for event in context.events if isinstance(event, Working)]
    for row in context.table:
        events = [event for event in found if event.doing == row["doing"]]
        assert events and (events[-1].size or events[-1].files), (
            row,
            {event.doing for event in found},
        )
        known = {"files": bool(events[-1].of_files), "bytes": bool(events[-1].of_size)}
        expected = {"": (False, False), "bytes": (False, True), "both": (True, True)}[row["known"]]
        assert tuple(known.values()) == expected, (row, events[-1])
        counts = [event.files for event in events if event.seconds >= events[0].seconds]
        assert counts[-1] > 0, events


@then("{what} a file of 20 MiB is given up at its second piece")
def check_given_up(context, what):
    path = context.world.home / "large"
    path.write_bytes(os.urandom(LARGE))
    objects, looks = {}, []

    def put(data):
        identity = content.object_id(data)
        objects[identity] = data
        return identity

    def check():
        looks.append(1)
        if len(looks) == 2:
            raise GivenUp

    fd = os.open(path, os.O_RDWR)
    try:
        if what == "writing":
            identity = store_file(fd, LARGE, put)
            entry = Entry(0o100644, LARGE, 0, identity)
        try:
            with giving_up.at_any_file(check):
                if what == "storing":
                    store_file(fd, LARGE, put)
                else:
                    write_file(fd, entry, objects.__getitem__)
        except GivenUp:
            return
        raise AssertionError(f"it came to its end after {len(looks)} looks")
    finally:
        os.close(fd)


@then(
    "of work that passes a file at {moments} and {last:g} seconds"
    " is told what was done by {told_at} and {told_last:g}"
)
def check_told(context, moments, last, told_at, told_last):
    times = [*map(float, moments.split(", ")), last]
    clock = iter([0.0, *times])
    found = []
    with long_work.told(found.append, "copying", clock=lambda: next(clock)):
        for _ in times:
            long_work.passed(10)
    expected = [*map(float, told_at.split(", ")), told_last]
    assert [extent.seconds for extent in found] == expected, found
    assert found[-1].files == len(times) and found[-1].size == 10 * len(times), found[-1]


@then("the lines in the pipe are {count:d}")
def check_lines(context, count):
    lines = context.pipe.getvalue().splitlines()
    assert len(lines) == count, lines
    assert all(line.startswith("copying: 40 of 80 files") for line in lines), lines


@then(
    "work of {files:d}/{of_files:d} files, {size:d}/{of_size:d} bytes and 4 seconds"
    ' is drawn as "{bar}" and told as "{text}"'
)
def check_words(context, files, of_files, size, of_size, bar, text):
    event = working(4.0, files, of_files, size, of_size)
    assert drawn(event).rstrip() == bar.replace("nothing", ""), drawn(event)
    assert told(event) == text, told(event)


@then("a screen that is told of work and then of a note shows the bar no more")
def check_screen(context):
    screen = Screen()
    context.world.variables["TERM"] = "xterm"
    with context.world.variables_set(), contextlib.redirect_stderr(screen):
        display = ProgressDisplay(verbose=False)
        display(working(2.0))
        display(Note(NO_PLAN, "said"))
        display.close()
    shown = screen.getvalue()
    assert shown.startswith("\r\x1b[K██████████────────── copying: 40 of 80 files"), shown
    assert shown.endswith("left\r\x1b[K\x1b[33mnote:\x1b[0m said\n"), shown
