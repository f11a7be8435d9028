"""Steps about a tree: what it holds, who owns it, and what happens to its files."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from behave import given, then, when
from kept import keep, kept
from ordinary import hand_over, ordinary_user
from trees import TREES


@given("a tree with {content}")
def build_tree(context, content):
    with kept(context).acting():
        TREES[content](context.kept.tree)


@given('the shell has run "{command}" in the tree')
@when('the shell runs "{command}" in the tree')
def run_in_tree(context, command):
    with kept(context).acting():
        context.world.sh(command, cwd=context.kept.tree)


@given('the tree holds random files "{paths}"')
def write_random(context, paths):
    """Random bytes are stored as they are, so that they can be found in a pack."""
    context.random = {}
    for path in paths.split(", "):
        write_random_file(context, path, 1000)


@given('the tree holds the random file "{path}" of {size:d} bytes')
def write_random_file(context, path, size):
    if "random" not in context:
        context.random = {}
    file = kept(context).tree / path
    file.parent.mkdir(exist_ok=True)
    context.random[path] = os.urandom(size)
    file.write_bytes(context.random[path])


@given("the tree is {depth:d} directories deep")
def nest(context, depth):
    (kept(context).tree / "/".join("d" * depth)).mkdir(parents=True)


@given("an ordinary user owns the tree")
def give_away(context):
    kept(context).by_ordinary_user = True
    hand_over(context.world.home)
    with ordinary_user():
        if not os.access(context.kept.tree, os.R_OK, effective_ids=True):
            context.scenario.skip("an ordinary user cannot reach the temporary folder")


@given("the umask is {mask}")
def set_umask(context, mask):
    context.add_cleanup(os.umask, os.umask(int(mask, 8)))


@given('root owns the tree\'s "{path}" with mode {mode}')
@when('root owns the tree\'s "{path}" with mode {mode}')
def take_over(context, path, mode):
    os.chown(context.kept.tree / path, 0, 0)
    (context.kept.tree / path).chmod(int(mode, 8))


@when('chattr sets {flag} on the tree\'s "{path}"')
def protect_in_tree(context, flag, path):
    _protect(context, flag, context.kept.tree / path)


@given('chattr has set {flag} on the project\'s "{path}"')
def protect_in_project(context, flag, path):
    _protect(context, flag, context.world.project / path)


@when('chattr takes the flags from the tree\'s "{path}"')
def allow_in_tree(context, path):
    _allow(context.kept.tree / path)


@when('chattr takes the flags from the project\'s "{path}"')
def allow_in_project(context, path):
    _allow(context.world.project / path)


def _protect(context, flag, path):
    assert path.exists(), path
    done = subprocess.run(["chattr", flag, path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        context.scenario.skip(f"chattr does not work here: {done.stderr.strip()}")
        return
    context.world.protected.append(path)


def _allow(path):
    subprocess.run(["chattr", "-ia", path], check=True)


@when('root changes the tree\'s "{path}"')
def change_as_root(context, path):
    (context.kept.tree / path).write_text("changed by root\n")


@given('the tree\'s "{path}" has the attribute "{name}"')
def set_attribute(context, path, name):
    os.setxattr(kept(context).tree / path, name, b"value")


@when('the tree\'s "{path}" loses the attribute "{name}"')
def drop_attribute(context, path, name):
    os.removexattr(context.kept.tree / path, name)


@given('the tree has a socket "{path}"')
@when('the tree gets a socket "{path}"')
def make_socket(context, path):
    listening = socket.socket(socket.AF_UNIX)
    context.add_cleanup(listening.close)
    before = Path.cwd()
    os.chdir((kept(context).tree / path).parent)  # the whole path may be too long for an address
    try:
        listening.bind(Path(path).name)
    finally:
        os.chdir(before)


@given("a file system of {size} for the tree")
def mount_small(context, size):
    home = Path(tempfile.mkdtemp(prefix="small "))
    context.add_cleanup(home.rmdir)
    _mount(context, home, size)
    keep(context, home)


@given('another file system is mounted on the tree\'s "{path}"')
def mount_inside(context, path):
    target = kept(context).tree / path
    target.mkdir()
    context.add_cleanup(shutil.rmtree, context.world.home)
    _mount(context, target, "1m")
    (target / "inside").write_text("another file system\n")


def _mount(context, target, size):
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", os.fspath(target)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        context.scenario.skip("mounting is not permitted here")
        return
    context.add_cleanup(subprocess.run, ["umount", "-l", os.fspath(target)], check=True)


@given('the tree loses "{paths}"')
@when('the tree loses "{paths}"')
def lose(context, paths):
    for path in paths.split(", "):
        victim = context.kept.tree / path
        shutil.rmtree(victim) if victim.is_dir() else victim.unlink()


@when('a process opens the tree\'s "{path}", works in a new directory "{directory}", and waits')
def hold(context, path, directory):
    script = (
        f"exec 3>>{path}; echo changed >&3; mkdir {directory}; cd {directory}; echo ready;"
        "read line; echo late >&3; echo late > late; true"
    )
    context.process = process = subprocess.Popen(
        ["/bin/sh", "-c", script],
        cwd=context.kept.tree,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    context.add_cleanup(process.kill)
    assert process.stdout.readline() == b"ready\n"


@when("the process writes to what it holds and ends")
def let_go(context):
    context.process.communicate(b"go\n")
    assert context.process.returncode == 0


@then('the tree\'s "{path}" says "{text}"')
def check_text(context, path, text):
    assert (context.kept.tree / path).read_text() == f"{text}\n"


@then('the tree has no "{path}"')
def check_absent(context, path):
    assert not os.path.lexists(context.kept.tree / path)


@then('the tree\'s "{path}" has the mode {mode}')
def check_mode(context, path, mode):
    found = (context.kept.tree / path).stat().st_mode & 0o7777
    assert found == int(mode, 8), f"{found:o}"


@then('the tree\'s "{path}" is no longer the same file as "{other}"')
def check_apart(context, path, other):
    tree = context.kept.tree
    assert not (tree / path).samefile(tree / other)


@then('"{name}" beside the tree still says "{text}"')
def check_beside(context, name, text):
    assert (context.world.home / name).read_text() == f"{text}\n"


@then('the tree\'s "{path}" takes at most {size:d} MiB on the disk')
def check_blocks(context, path, size):
    assert (context.kept.tree / path).stat().st_blocks * 512 <= size << 20
