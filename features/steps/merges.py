"""Steps about merging two trees that went their own ways."""

import os
import re

from behave import given, then, when
from kept import kept
from oracle import assert_same, picture
from trees import write

from cleveragents.errors import Failed
from cleveragents.sandbox import git
from cleveragents.snapshots.archive import MAIN


def _stored(context, snapshot_id):
    return context.kept.archive.load(snapshot_id)


@given("the tree has scripts that set and get an attribute")
def attribute_scripts(context):
    for name, line in {
        "set": "os.setxattr(sys.argv[1], 'user.a', sys.argv[2].encode())",
        "get": "print(os.getxattr(sys.argv[1], 'user.a').decode())",
    }.items():
        text = f"#!/usr/bin/env python3\nimport os, sys\n{line}\n"
        write(kept(context).tree, name, text.encode(), 0o755)


@when('our side runs "{ours}" and their side runs "{theirs}"')
def part_ways(context, ours, theirs):
    """Both sides start from the tree as it is; it is left as their side made it."""
    tree = kept(context)
    tree.capture()
    for command in (ours, theirs):
        tree.restore(tree.snapshots[0])
        context.world.sh(command.replace("\\\\", "\\"), cwd=tree.tree)
        tree.capture()


@when("the two are merged")
@when("the two are merged {how}")
def merge_sides(context, how=""):
    """Leaving paths alone, or without keeping it."""
    _merge(context, re.findall(r'"([^"]+)"', how))
    if how == "without keeping it":
        return
    tree = context.kept
    tree.snapshots.append(tree.archive.keep_merge(context.merge, {"kind": "test"}))
    tree.on_read = None
    tree.restore()


def _merge(context, alone):
    tree = context.kept
    alone = {*map(os.fsencode, alone)}
    base, ours, theirs = (_stored(context, each) for each in tree.snapshots)
    context.read, context.packs = [], tree.packs
    tree.on_read = context.read.append
    context.merge = tree.archive.merge(
        base, ours, theirs, git.merge_text, lambda path: path in alone
    )


@then("there is no conflict")
def no_conflict(context):
    assert context.merge.conflicts == (), context.merge.conflicts


@then('in the merged tree "{check}" holds')
def check_merged(context, check):
    context.world.sh(check.replace("\\|", "|").replace("\\\\", "\\"), cwd=context.kept.tree)


@then('the conflicts are "{paths}", {reason}')
def conflicts_are(context, paths, reason):
    found = context.merge.conflicts
    assert [os.fsdecode(each.path) for each in found] == paths.split(), found
    assert found[-1].reason == reason, found[-1].reason


@then("the merged tree is ours")
def merged_is_ours(context):
    ours = context.kept.pictures[context.kept.snapshots[1]]
    assert_same(ours, picture(context.kept.tree))


@then('the conflict at "{path}" is between "{base}", "{ours}" and "{theirs}"')
def three_versions(context, path, base, ours, theirs):
    (conflict,) = context.merge.conflicts
    assert os.fsdecode(conflict.path) == path
    versions = (conflict.base, conflict.ours, conflict.theirs)
    read = [context.kept.archive.read_file(version).decode().strip() for version in versions]
    assert read == [base, ours, theirs], read


@then("no directory but the root was read for it")
def only_roots_read(context):
    roots = {_stored(context, each).roots[MAIN].content for each in context.kept.snapshots[:3]}
    assert set(context.read) == roots, f"{len(context.read)} objects were read"


@then("nothing was added to the store")
def store_as_before(context):
    assert context.kept.packs == context.packs
    assert context.merge.changes


@then('a text merge by a git that fails says "{text}"')
def check_failing_git(context, text):
    folder = context.world.home / "bin"
    folder.mkdir()
    broken = folder / "git"
    broken.write_text("#!/bin/sh\nexit 255\n")
    broken.chmod(0o755)
    context.add_cleanup(os.environ.update, PATH=os.environ["PATH"])
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    try:
        found = git.merge_text(b"", b"a", b"b")
    except Failed as error:
        assert text in error.message, error.message
    else:
        raise AssertionError(f"it has merged: {found}")
