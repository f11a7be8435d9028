"""Steps about sandboxes whose files are not where they should be, or not all of them."""

import re
import signal
import subprocess

from behave import given, then, when
from checkpoints import content
from crashes import Turn
from forked import die, forked

HAND = "hand"


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


@when("the first hint is pasted {where}")
def paste_hint(context, where):
    if where == "into the shell":
        subprocess.run(["/bin/sh", "-c", _hint(context)], check=True, cwd=context.world.project)
    else:
        assert where == "as a command", where
        assert context.world.agents(*_hint(context).split()[1:]).code == 0, context.world.done


def _hint(context):
    """The command that the first hint names."""
    found = re.search(r"^hint: [^:]*: (.*)$", context.world.done.err, re.MULTILINE)
    assert found, context.world.done
    return found[1]


@given("the data directory was {how}")
def copy_or_move(context, how):
    context.other = context.world.home / how
    command = {"copied": ["cp", "-a"], "moved": ["mv"]}[how]
    subprocess.run([*command, context.world.data_dir, context.other], check=True)


@when('"agents {line}" is run with the copy')
@when('"agents {line}" is run with it')
def run_with_other(context, line):
    words = [str(context.action) if word == "ACTION" else word for word in line.split()]
    context.world.agents("--data-dir", context.other, *words)


@when("each of these is run with the copy")
def run_each(context):
    context.answers = []
    for row in context.table:
        context.answers.append(
            context.world.agents("--data-dir", context.other, *row["command"].split())
        )


@then("{parts} of what was left is kept beside")
def check_part_kept(context, parts):
    kept = list((context.world.data_dir / "sandboxes").glob("*.found-*/git/HEAD"))
    assert len(kept) == (parts == "the git part"), kept
