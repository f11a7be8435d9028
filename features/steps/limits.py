"""Steps about limits: what is too much, too large or never ends."""

import os
import subprocess
import sys
import time

from behave import given, then, when
from checkpoints import checkpoints, packs
from commands import words
from trees import write
from world import Done, wait_until

from cleveragents.sandbox import git

ODD = """
import os
import socket


def make():
    with open("huge", "wb") as file:
        file.truncate(1 << 40)
    os.mkfifo("pipe")
    os.symlink("b-loop", "a-loop")
    os.symlink("a-loop", "b-loop")
    os.symlink("self", "self")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
"""


@given("the data directory is outside of the folder of the scenario")
def settle_outside(context):
    context.world.data_dir = context.world.home.with_name(context.world.home.name + " data")
    context.add_cleanup(subprocess.run, ["rm", "-rf", context.world.data_dir], check=True)


@given(
    'a module "{name}" that makes a sparse file of a TiB, a FIFO, a socket and links in a circle'
)
def make_module(context, name):
    write(context.world.project, f"{name}.py", ODD.encode())


@then('the newest checkpoint but one says "{line}"')
def check_not_captured(context, line):
    told = checkpoints(context)[-2].metadata["not_captured"]
    assert line in told, told


@then("nothing is in the store")
def check_no_pack(context):
    assert not packs(context), packs(context)
    check_no_unfinished(context)


@then("nothing unfinished is in the store")
def check_no_unfinished(context):
    found = list(context.world.data_dir.glob("projects/*/store/packs/writing-*"))
    assert not found, found


@given("nobody waits longer than {seconds:d} s for git")
def set_patience(context, seconds):
    before = git.PATIENCE_SECONDS
    git.PATIENCE_SECONDS = seconds
    context.add_cleanup(setattr, git, "PATIENCE_SECONDS", before)


@given('a process that never stops writing to the project\'s "{name}"')
def write_for_ever(context, name):
    path = context.world.project / name
    code = "import os, sys\nf = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)\n"
    code += "os.write(f, os.urandom(32 << 20))\nwhile True: os.write(f, b'x')"
    process = subprocess.Popen([sys.executable, "-c", code, path])
    context.add_cleanup(process.wait)
    context.add_cleanup(process.kill)
    wait_until(lambda: path.exists() and path.stat().st_size > 32 << 20, name)


@when('"agents {line}" may open {count:d} files')
def run_with_few_files(context, line, count):
    prefix = ["prlimit", f"--nofile={count}"]
    context.world.agents_beside(*words(context, line), prefix=prefix)
    context.world.end_of_child()


@given("the project holds as many files as asked for, at least {least:d}")
def make_many(context, least):
    """Half of them in one directory, the others in many; LIMITS_ENTRIES asks for more."""
    context.entries = int(os.environ.get("LIMITS_ENTRIES", least))
    top = context.world.project
    (top / "many").mkdir()
    for index in range(context.entries // 2):
        (top / "many" / str(index)).write_bytes(b"%d" % index)
        if index % 1000 == 0:
            (top / f"d{index // 1000}").mkdir()
        (top / f"d{index // 1000}" / str(index)).write_bytes(b"%d" % -index)
    context.peaks = []


@when('"agents {line}" runs and is measured')
def run_measured(context, line):
    started = time.monotonic()
    process = context.world.agents_beside(*words(context, line), stdout=subprocess.DEVNULL)
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    context.world.done = Done(process.returncode, "", err)
    context.peaks.append(usage.ru_maxrss << 10)
    took = f"{line}: {time.monotonic() - started:.1f} s, {usage.ru_maxrss >> 10} MiB\n"
    sys.stderr.write(took)


@then("no measured process took more than {fixed:d} MiB and {each:g} KiB for each file")
def check_memory(context, fixed, each):
    allowed = (fixed << 20) + int(each * 1024) * context.entries
    assert max(context.peaks) <= allowed, [peak >> 20 for peak in context.peaks]
