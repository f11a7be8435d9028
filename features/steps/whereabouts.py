"""Steps about sandboxes whose files are not where they should be, or not all of them."""

import re
import shutil
import signal
import subprocess

from behave import given, then, when
from checkpoints import content
from crashes import Turn
from forked import die, forked

from cleveragents.quoting import quoted

HAND = "hand"


@given("the git directory of the sandbox is gone")
def git_directory_gone(context):
    shutil.rmtree(context.world.sandbox.parent / "git")


@then("the hand-made file is in the sandbox or in a checkpoint")
def check_hand_made(context):
    app = context.world.app()
    rows = app.checkpoints.list_checkpoints(app.plans.find("@").plan_id)
    held = [content(context, row.seq).get(HAND) for row in rows]
    there = context.world.sandbox / HAND
    assert b"by hand" in held or there.read_text() == "by hand", held


@given("a rebuild to checkpoint {number:d} was killed before it was done")
def rebuild_killed(context, number):
    """All files are there, and the sandbox still counts as removed."""

    def rebuild():
        with Turn("SELECT 1 FROM sandboxes WHERE status = 'removed'").ending(die):
            context.world.agents("plan", "rollback", "@", str(number), "--rebuild", "--yes")

    assert forked(rebuild) == -signal.SIGKILL


@then('what is kept beside holds the file "{name}"')
def check_kept_beside(context, name):
    (kept,) = (context.world.data_dir / "sandboxes").glob("*.found-*")
    assert (kept / "tree" / name).read_text() == "by hand"


@given("{what} stands in the place of the sandbox")
def stand_in(context, what):
    tree = context.world.sandbox
    elsewhere = context.world.home / "elsewhere"
    tree.rename(elsewhere)
    if what == "a link":
        tree.symlink_to(elsewhere)
    else:
        tree.write_text("in the way\n")


@when("the first hint is pasted into the shell")
def paste_hint(context):
    subprocess.run(["/bin/sh", "-c", _hint(context)], check=True, cwd=context.world.project)


@when("the first hint is pasted as a command")
def run_hint(context):
    assert context.world.agents(*_hint(context).split()[1:]).code == 0, context.world.done


def _hint(context):
    """The command that the first hint names."""
    found = re.search(r"^hint: [^:]*: (.*)$", context.world.done.err, re.MULTILINE)
    assert found, context.world.done
    return found[1]


@given("the data directory was copied")
def copy_data(context):
    context.other = context.world.home / "copy"
    subprocess.run(["cp", "-a", context.world.data_dir, context.other], check=True)


@given("the data directory was moved")
def move_data(context):
    context.other = context.world.home / "moved"
    context.world.data_dir.rename(context.other)


@when('"agents {line}" is run with the copy')
@when('"agents {line}" is run with it')
def run_with_other(context, line):
    words = [str(context.action) if word == "ACTION" else word for word in line.split()]
    context.world.agents_exactly("--data-dir", context.other, *words)


@when("each of these is run with the copy")
def run_each(context):
    context.answers = []
    for row in context.table:
        context.answers.append(
            context.world.agents_exactly("--data-dir", context.other, *row["command"].split())
        )


@then("each was refused, because the sandbox lies in another data directory")
def check_elsewhere(context):
    for done in context.answers:
        assert done.code == 4, done
        assert "the sandbox of this plan lies in another data directory" in done.err, done
        assert f"--data-dir {quoted(str(context.world.data_dir))}" in done.err, done


@then("{parts} of what was left is kept beside")
def check_part_kept(context, parts):
    kept = list((context.world.data_dir / "sandboxes").glob("*.found-*/git/HEAD"))
    assert len(kept) == (parts == "the git part"), kept
