"""Steps about who may look at what is kept."""

import os
import stat
from pathlib import Path

from behave import given, then, when
from forked import Watched

from cleveragents.storage import privacy

OTHER_THINGS = "other things"


@given("a data directory of mode 755 that {what}")
def make_open(context, what):
    context.add_cleanup(os.umask, os.umask(0o022))
    data = context.world.data_dir
    data.mkdir()
    data.chmod(0o755)
    if what == "has other things":
        (data / OTHER_THINGS).mkdir()
        (data / OTHER_THINGS).chmod(0o755)


@given("it has {count:d} unfinished files, which go as soon as one of them is to be closed")
def leave_unfinished(context, count):
    """As a process does that renames its own while ours looks."""
    files = [context.world.data_dir / f"head.{number}" for number in range(count)]
    for file in files:
        file.write_text("1")

    def go(_):
        for file in files:
            file.unlink(missing_ok=True)

    context.add_cleanup(setattr, privacy, "os", os)
    privacy.os = Watched(go, ("chmod",))
    context.unfinished = files


@when("what is ours in it is closed")
def close_ours(context):
    privacy.make_private(context.world.data_dir)


@then("no unfinished file is left, and what is kept in it is for its owner alone")
def check_closed(context):
    assert not any(file.exists() for file in context.unfinished)
    opened = [path for path in context.world.data_dir.iterdir() if path.stat().st_mode & 0o077]
    assert not opened, opened


@then("what is kept in it is {how}")
def check_kept(context, how):
    if how == "open to others":
        closed = [path for path, mode in kept(context) if not mode & 0o044]
        assert not closed, closed
        return
    assert how == "for its owner alone", how
    opened = [path for path, mode in kept(context) if mode & 0o077]
    assert not opened, opened
    other = context.world.data_dir / OTHER_THINGS
    assert not other.exists() or stat.S_IMODE(other.stat().st_mode) == 0o755


@then("its own mode is {mode}")
def check_own_mode(context, mode):
    found = stat.S_IMODE(context.world.data_dir.stat().st_mode)
    assert f"{found:o}" == mode, f"{found:o}"


@then('the plan\'s file "{name}" has mode {mode}')
def check_mode(context, name, mode):
    found = stat.S_IMODE((context.world.sandbox / name).stat().st_mode)
    assert found == int(mode, 8), f"{found:o}"
    home = context.world.sandbox.parent
    assert stat.S_IMODE(home.stat().st_mode) == 0o700, oct(home.stat().st_mode)


@then('the doctor tells of "{check}" {count:d} times')
def check_told(context, check, count):
    told = [found for found in context.world.done.data["findings"] if found["check"] == check]
    assert len(told) == count, told


def kept(context):
    """What lies in the data directory itself; a directory that is closed closes what is in it."""
    data = Path(context.world.data_dir)
    names = [name for name in os.listdir(data) if name != OTHER_THINGS]
    assert {"cleveragents.db", "head", "projects", "sandboxes"} <= set(names), names
    return [(name, (data / name).stat().st_mode) for name in names]
