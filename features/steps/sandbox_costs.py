"""Steps about what making a sandbox takes: how often each file is opened."""

import os
import sys
from collections import Counter
from functools import cache

from behave import given, then, when

NAMED = b"counted-"
NOTHING = "name: look\nsteps: [{tool: shell, with: {command: 'true'}}]\n"

_opened = []  # names of files, since somebody counts


@cache
def _watch():
    """Lets Python tell of every file it opens; a hook can never be removed, so there is one."""

    def hook(event, given):
        if event == "open" and isinstance(given[0], str | bytes):
            _opened.append(os.path.basename(os.fsencode(given[0])))

    sys.addaudithook(hook)


@given("the project has {count:d} files to count, in two folders")
def make_files(context, count):
    for number in range(count):
        folder = context.world.project / f"folder {number % 2}"
        folder.mkdir(exist_ok=True)
        (folder / f"counted-{number}").write_text(f"content {number}\n" * 100)


@when("a plan runs, and the files that are opened are counted")
def run_and_count(context):
    app = context.world.app()
    plan_id = app.use(context.world.write_action(NOTHING), {}).plan_id
    _watch()
    _opened.clear()
    app.execute.run(plan_id)
    context.opened = Counter(name for name in _opened if name.startswith(NAMED))
    app.tidy(plan_id)


@then("each file was opened {times:d} times")
def check_all(context, times):
    assert set(context.opened.values()) == {times}, context.opened


@then('"{name}" was opened {more:d} times and every other file {times:d} times')
def check_one(context, name, more, times):
    assert context.opened.pop(name.encode()) == more, context.opened
    check_all(context, times)
