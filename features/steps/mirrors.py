"""Steps about the mirror: the history that the sandboxes of a project borrow."""

import os
import re
import shutil
import signal
from pathlib import Path

from behave import given, step, then, when
from trees import git

LOOKS = """name: looks
steps:
  - {tool: shell, with: {command: "git log --format=%s | grep -x first && git show HEAD:a.txt"}}
"""
KILLS = 5  # init, rev-list, pack-objects, index-pack, update-ref


def _mirror(context):
    (home,) = context.world.data_dir.glob("projects/*")
    return home / "mirror.git"


def _pack(context):
    return next((_mirror(context) / "objects" / "pack").glob("*.pack"))


def _cut(path, size):
    path.chmod(0o600)
    os.truncate(path, size)


def _half_made(context):
    shutil.rmtree(_mirror(context))
    _mirror(context).mkdir()
    (_mirror(context) / "HEAD").write_text("ref: refs/heads/none\n")


def _file_in_place(context):
    shutil.rmtree(_mirror(context))
    _mirror(context).write_text("no repository")


def _objects_gone(context):
    for file in (_mirror(context) / "objects" / "pack").iterdir():
        file.unlink()
    for file in (_mirror(context) / "refs" / "imported").iterdir():
        file.write_text("")


def _loosen(context):
    """Takes all objects out of their packs and damages a blob that the project still has."""
    mirror = _mirror(context)
    packs = context.world.home / "packs"
    (mirror / "objects" / "pack").rename(packs)
    (mirror / "objects" / "pack").mkdir()
    for pack in packs.glob("*.pack"):
        context.world.sh(f'git --git-dir "{mirror}" unpack-objects -q < "{pack}"')
    shutil.rmtree(packs)
    name = git(context.world.project, "hash-object", "a.txt").strip()
    bad = mirror / "objects" / name[:2] / name[2:]
    bad.chmod(0o600)
    bad.write_bytes(b"no object")
    (mirror / "HEAD").write_text("")


def _imported(context):
    return next((_mirror(context) / "refs" / "imported").iterdir())


def _flip(path, at, bits):
    path.chmod(0o600)
    content = bytearray(path.read_bytes())
    content[at] ^= bits
    path.write_bytes(content)


def _damage_tree(context):
    """Of the commit; it comes first in the pack, and git says where each object begins."""
    listed = git(_mirror(context), "verify-pack", "-v", str(_pack(context).with_suffix(".idx")))
    (offset,) = re.findall(r"^\w+ tree +\d+ \d+ (\d+)$", listed, re.MULTILINE)
    _flip(_pack(context), int(offset) + 6, 255)


DAMAGES = {
    "it is gone": lambda c: shutil.rmtree(_mirror(c)),
    "a bit of a pack is flipped": lambda c: _flip(_pack(c), _pack(c).stat().st_size // 2, 1),
    "the tree of the commit is overwritten": _damage_tree,
    "a file is in its place": _file_in_place,
    "only half of it was made": _half_made,
    "its HEAD is empty": lambda c: (_mirror(c) / "HEAD").write_text(""),
    "its configuration is empty": lambda c: (_mirror(c) / "config").write_text(""),
    "a ref is locked": lambda c: (_mirror(c) / "refs/imported/x.lock").write_text(""),
    "a ref is empty": lambda c: _imported(c).write_text(""),
    "a pack is cut short": lambda c: _cut(_pack(c), _pack(c).stat().st_size // 2),
    "the end of a pack is cut off": lambda c: _cut(_pack(c), _pack(c).stat().st_size - 20),
    "a pack has no index": lambda c: _pack(c).with_suffix(".idx").unlink(),
    "its objects are gone": _objects_gone,
    "its objects are loose, one of them bad": _loosen,
    "a crash came before the new one's name": lambda c: _mirror(c).rename(
        _mirror(c).with_name("mirror.git.1.old")
    ),
}


@step("a plan looks at its history")
def look_at_history(context):
    done = context.world.agents("run", context.world.write_action(LOOKS))
    assert done.code == 0, done.err
    assert "history" not in done.err, done.err


@given("the mirror is damaged: {damage}")
@when("the mirror is damaged: {damage}")
def damage_mirror(context, damage):
    DAMAGES[damage](context)


@when("the doctor repairs")
def repair(context):
    context.world.agents("doctor", "--repair", "--format", "json")


@when("plans are killed at each git call that makes the mirror")
def kill_at_calls(context):
    """Puts a git in front that kills who calls it the n-th time about the mirror."""
    world = context.world
    (world.home / "bin").mkdir()
    world.variables["PATH"] = f"{world.home / 'bin'}:{os.environ['PATH']}"
    kills = 0
    while _dies_at(world, kills + 1):
        assert not _mirror(context).exists(), "it has its name before it is whole"
        kills += 1
    del world.variables["PATH"]
    assert world.done.code == 0, world.done
    assert kills >= KILLS, kills


def _dies_at(world, number):
    """Runs a plan with that git in front; tells whether it was killed."""
    calls, wrapper = world.home / f"calls {number}", world.home / "bin" / "git"
    calls.mkdir()
    wrapper.unlink(missing_ok=True)  # one that is still being run cannot be written over
    wrapper.write_text(
        '#!/bin/sh\ncase "$GIT_DIR" in *mirror.git*)\n'
        f'  n=1; until mkdir "{calls}/$n" 2>/dev/null; do n=$((n + 1)); done\n'
        f'  [ "$n" -eq {number} ] && {{ kill -KILL $PPID; exit 1; }};;\nesac\n'
        f'exec "{shutil.which("git")}" "$@"\n'
    )
    wrapper.chmod(0o755)
    world.agents_beside("run", world.write_action(LOOKS))
    return world.end_of_child().code == -signal.SIGKILL


@then("the mirror is whole")
def check_whole(context):
    told = git(_mirror(context), "fsck", "--full", "--strict", "--no-dangling")
    assert told == "", told
    assert not list(_mirror(context).rglob("*.lock"))


@then("git works in every sandbox")
def check_every_sandbox(context):
    trees = sorted(context.world.data_dir.glob("sandboxes/*/tree/a.txt"))
    assert trees
    for tree in trees:
        _check_git(tree.parent)


@then("git works in the first sandbox")
def check_first_sandbox(context):
    _check_git(min(context.world.data_dir.glob("sandboxes/*/tree")))


def _check_git(tree: Path):
    assert git(tree, "log", "--format=%s").splitlines() == ["first"]
    assert git(tree, "show", "HEAD:a.txt")
    assert git(tree, "status", "--porcelain") == ""
