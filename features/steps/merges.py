"""Steps about merging two trees that went their own ways."""

import os

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
@when("the two are merged, leaving {paths} alone")
def merge_sides(context, paths=""):
    merge_only(context, paths)
    tree = context.kept
    tree.snapshots.append(tree.archive.keep_merge(context.merge, {"kind": "test"}))
    tree.on_read = None
    tree.restore()


@when("the two are merged without keeping it")
def merge_only(context, paths=""):
    tree = context.kept
    alone = {os.fsencode(path.strip('" ')) for path in paths.replace(" and ", ",").split(",")}
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


@then("the tree is as their side left it")
def tree_is_theirs(context):
    context.kept.assert_as_captured()


@when("a text merge meets a git that fails")
def failing_git(context):
    folder = context.world.home / "bin"
    folder.mkdir()
    broken = folder / "git"
    broken.write_text("#!/bin/sh\nexit 255\n")
    broken.chmod(0o755)
    context.add_cleanup(os.environ.update, PATH=os.environ["PATH"])
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    context.error = None
    try:
        git.merge_text(b"", b"a", b"b")
    except Failed as error:
        context.error = error


@then('the text merge failed, saying "{text}"')
def text_merge_failed(context, text):
    assert isinstance(context.error, Failed), context.error
    assert text in context.error.message, context.error.message
