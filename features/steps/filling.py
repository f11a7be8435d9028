"""Steps about a new directory that is filled with what was captured of another one."""

import subprocess

from behave import then, when
from kept import kept
from oracle import assert_same, picture

from cleveragents.snapshots.tree.filter import Filter


@when('the tree is captured as a project, and before it is copied the shell runs "{command}" in it')
def capture_and_copy(context, command):
    tree = kept(context).tree
    archive = context.kept.archive
    with archive.capture_once(tree, Filter().excludes) as capture:
        snapshot = archive.load(capture.commit({}))
    context.wanted = picture(tree)
    subprocess.run(["/bin/sh", "-ec", command], cwd=tree, check=True)
    context.copy = context.world.home / "box" / "tree"
    context.copy.mkdir(parents=True)
    archive.fill(snapshot, {"tree": context.copy}, context.copy.parent / "staging", tree)


@then("the copy is what was captured")
def check_copy(context):
    assert_same(context.wanted, picture(context.copy))
