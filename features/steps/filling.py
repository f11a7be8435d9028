"""Steps about a new directory that is filled with what was captured of another one."""

import subprocess

from behave import then, when
from kept import kept
from oracle import assert_same, picture

from cleveragents.errors import Differs
from cleveragents.snapshots.tree.filter import Filter


@when('the tree is captured as a project, and before it is copied the shell runs "{command}" in it')
def capture_and_copy(context, command):
    snapshot = _captured_project(context)
    subprocess.run(["/bin/sh", "-ec", command], cwd=context.kept.tree, check=True)
    _copy(context, snapshot, context.kept.tree)


@when(
    'the tree is captured as a project and copied, and the half made copy of "{name}" is written to'
)
def write_to_half_made(context, name):
    snapshot = _captured_project(context)

    def write(_):
        found = context.copy / name
        if found.exists() and found.stat().st_size:  # what has no content yet would be written over
            context.kept.on_read = None
            with found.open("r+b") as file:
                file.write(b"somebody's own")

    context.kept.on_read = write
    try:
        _copy(context, snapshot, context.world.home / "gone")
    except Differs as error:
        context.refusal = error


@then("the copy is refused as not what was captured")
def check_refusal(context):
    assert context.kept.on_read is None, "nobody wrote to it"
    assert "the restored files differ" in context.refusal.message, context.refusal


def _captured_project(context):
    archive = kept(context).archive
    with archive.capture_once(context.kept.tree, Filter().excludes) as capture:
        snapshot = archive.load(capture.commit({}))
    context.wanted = picture(context.kept.tree)
    context.copy = context.world.home / "box" / "tree"
    context.copy.mkdir(parents=True)
    return snapshot


def _copy(context, snapshot, near):
    staging = context.copy.parent / "staging"
    context.kept.archive.fill(snapshot, {"tree": context.copy}, staging, near)


@then("the copy is what was captured")
def check_copy(context):
    assert_same(context.wanted, picture(context.copy))
