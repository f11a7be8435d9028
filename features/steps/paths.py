"""Steps about the paths that file tools are given."""

import ctypes
import gc
import os
import socket
import subprocess
import threading
from contextlib import chdir

from behave import given, then, when
from oracle import assert_same, picture

from cleveragents.errors import CleverAgentsError, Refused
from cleveragents.sandbox.paths import ContainedFiles

EXCHANGE = 2  # RENAME_EXCHANGE: two names take each other's place at once
HERE = -100  # AT_FDCWD
_libc = ctypes.CDLL(None, use_errno=True)


# --- what there is -----------------------------------------------------------------------------


@given('a folder "box" with the file "a" in a directory "d", beside "outside" and "box-evil"')
def make_box(context):
    home = context.world.home
    context.box, context.outside = home / "box", home / "outside"
    inside, outside = ("d/a", "d/b", "b"), ("outside/a", "outside/secret", "box-evil/secret")
    for path in (*(f"box/{name}" for name in inside), *outside):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text("secret\n" if path in outside else "inside\n")
    _look(context)


@given('the link "{link}" in the folder leads to "{target}"')
def make_link(context, link, target):
    (context.box / link).symlink_to(target.replace("OUTSIDE", str(context.outside)))
    _look(context)


@given('the hard link "{link}" in the folder shares "{target}"')
def make_hard_link(context, link, target):
    os.link(context.box / target, context.box / link)
    _look(context)


@given('a fifo "{name}" in the folder')
def make_fifo(context, name):
    os.mkfifo(context.box / name)
    _look(context)


@given('a socket "{name}" in the folder')
def make_socket(context, name):
    listening = socket.socket(socket.AF_UNIX)
    context.add_cleanup(listening.close)
    with chdir(context.box):  # the whole path may be too long for an address
        listening.bind(name)
    _look(context)


@given('a directory "{name}" in the folder')
def make_directory(context, name):
    (context.box / name).mkdir()
    _look(context)


@given('a device "{name}" in the folder')
def make_device(context, name):
    os.mknod(context.box / name, 0o20666, os.makedev(1, 5))
    _look(context)


@given('"{path}" in the folder has the mode {mode}')
def set_mode(context, path, mode):
    (context.box / path).chmod(int(mode, 8))


@given("a file system of {size} is the folder")
def mount_folder(context, size):
    context.box = context.world.home / "mounted"
    context.box.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(context.box)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        context.scenario.skip("mounting is not permitted here")
        return
    context.add_cleanup(context.world.remove)
    context.add_cleanup(subprocess.run, ["umount", "-l", str(context.box)], check=True)


def _look(context):
    """Remembers what there is, inside and outside."""
    context.seen = {name: picture(context.world.home / name) for name in _places(context)}


def _places(context):
    return [name for name in ("box", "outside", "box-evil") if (context.world.home / name).exists()]


# --- calls -------------------------------------------------------------------------------------


@when('every file tool is called with the path "{path}"')
def call_all(context, path):
    path = _meant(context, path)
    files = ContainedFiles(context.box)
    _call(
        context,
        lambda: files.read(path),
        lambda: files.write(path, b"changed"),
        lambda: files.delete(path),
        lambda: files.move(path, "moved"),
        lambda: files.move("d/a", path),
    )


@when('the file tools read, write and edit "{path}"')
def read_and_write(context, path):
    files = ContainedFiles(context.box)
    _call(
        context,
        lambda: files.read(path),
        lambda: files.write(path, b"changed"),
        lambda: files.write(path, files.read(path)),
    )


@when('the file tools delete "{path}" and move "{source}" to "{target}"')
def delete_and_move(context, path, source, target):
    files = ContainedFiles(context.box)
    files.delete(path)
    files.move(source, target)


@when('the file tools write "{text}" to "{path}"')
def write(context, text, path):
    ContainedFiles(context.box).write(path, f"{text}\n".encode())


@when('the file tools write {size:d} bytes to "{path}"')
def write_much(context, size, path):
    _call(context, lambda: ContainedFiles(context.box).write(path, bytes(size)))


@when('the file tools move "{source}" to "{target}"')
def move(context, source, target):
    _call(context, lambda: ContainedFiles(context.box).move(source, target))


def _meant(context, path):
    path = path.replace("BOX", str(context.box)).replace("\\0", "\0")
    return "" if path == "EMPTY" else path


def _call(context, *calls):
    context.errors = []
    gc.collect()  # what earlier scenarios forgot to close is not ours to count
    context.descriptors = len(os.listdir("/proc/self/fd"))
    for call in calls:
        try:
            call()
            context.errors.append(None)
        except (CleverAgentsError, OSError) as error:
            context.errors.append(error)


@when("a plan tries the tool {tool} with {given}")
def try_tool(context, tool, given):
    _look(context)
    action = context.world.write_action(
        f"name: try\nrollback: {{on_failure: keep}}\nsteps: [{{tool: {tool}, with: {given}}}]\n"
    )
    context.world.agents("run", action)


# --- races -------------------------------------------------------------------------------------


@when('a thread keeps swapping "{one}" and "{other}" while the file tools {tool} {times:d} times')
def race(context, one, other, tool, times):
    stop = threading.Event()
    paths = [os.fsencode(context.box / name) for name in (one, other)]

    def swap():
        while not stop.is_set():
            if _libc.renameat2(HERE, paths[0], HERE, paths[1], EXCHANGE) != 0:
                raise OSError(ctypes.get_errno(), "cannot exchange")

    if not hasattr(_libc, "renameat2"):
        context.scenario.skip("two names cannot be exchanged here")
        return
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        _call(context, *[_raced(context, tool)] * times)
    finally:
        stop.set()
        thread.join()


def _raced(context, tool):
    files = ContainedFiles(context.box)
    verb, *paths = tool.replace('"', "").replace(" to ", " ").split()

    def read():
        assert files.read(*paths) != b"secret\n", "what lies outside was read"

    return {
        "write": lambda: files.write(*paths, b"written"),
        "read": read,
        "delete": lambda: files.delete(*paths),
        "move": lambda: _there_or_back(files, context.box, *paths),
    }[verb]


def _there_or_back(files, here, source, target):
    """Moves a file out of the way and, once it is there, back again."""
    if (here / source).exists():
        files.move(source, target)
    else:
        files.move(target, source)


# --- what came of it ---------------------------------------------------------------------------


@then("every call was refused")
def check_refused(context):
    for number, error in enumerate(context.errors):
        assert isinstance(error, Refused), f"call {number}: {error!r}"


@then("every call failed")
def check_failed(context):
    assert all(context.errors), context.errors


@then("no descriptor was left open")
def check_descriptors(context):
    now = len(os.listdir("/proc/self/fd"))
    assert now == context.descriptors, f"{context.descriptors} before, {now} now"


@then("some calls were refused and some succeeded")
def check_mixed(context):
    refused = sum(isinstance(error, Refused) for error in context.errors)
    succeeded = context.errors.count(None)
    assert refused > 0, "the link was never met"
    assert succeeded > 0, "the directory was never met"


@then("nothing inside or outside has changed")
def check_unchanged(context):
    for name in _places(context):
        assert_same(context.seen[name], picture(context.world.home / name))


@then("nothing outside has changed")
def check_outside(context):
    for name in ("outside", "box-evil"):
        assert_same(context.seen[name], picture(context.world.home / name))


@then('the folder has the links "{paths}"')
def check_links(context, paths):
    found = [
        str(path.relative_to(context.box)) for path in context.box.rglob("*") if path.is_symlink()
    ]
    assert sorted(found) == paths.split(", "), found


@then('"{path}" in the folder says "{text}"')
def check_text(context, path, text):
    assert (context.box / path).read_text() == f"{text}\n"


@then('"{path}" in the folder still has the mode {mode}')
def check_mode(context, path, mode):
    assert (context.box / path).stat().st_mode & 0o7777 == int(mode, 8)


@then("the folder is empty")
def check_empty(context):
    assert list(context.box.iterdir()) == [], list(context.box.iterdir())
