"""Steps about hooks as agents call them: each a process of its own, and a keeper beside them."""

import contextlib
import fcntl
import io
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

from behave import given, then, when
from hooked import SPEAKS, told_to
from keepers import make_protected
from world import Done, wait_until

from cleveragents.app import App
from cleveragents.cli import resident
from cleveragents.cli.main import run
from cleveragents.errors import InvalidInput
from cleveragents.hooks import client, spool
from cleveragents.hooks.recorder import MOST_ROOTS, ChatRecorder
from cleveragents.storage import address

TURN = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
CALL = ("PreToolUse", "PostToolUse")
DENIED = ("claude", "codex", "gemini", "qwen")
ALIEN = {"SECRET_TOKEN": "hunter2", "PYTHONPATH": "/nowhere", "LD_BIND_NOW": ""}
IMPORTED = """
import sys
before = set(sys.modules)
exec(sys.argv.pop(1).replace("posix._exit(0)", "pass"))
print(*sorted(set(sys.modules) - before))
"""


@given("a protected project with an installed hook")
@given("a protected project with an installed hook and a budget of {budget:g} seconds")
def make_hooked(context, budget=20.0):
    make_protected(context, budget)
    install(context)


@given("the hook is installed")
def install(context):
    context.hooks.install()
    (context.world.project / "a").write_text("a\n")


def keeper_of(data):
    path = data / address.LOCK
    try:
        told = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return told["pid"] if client.is_owned(str(data)) else None


@when("an agent works in processes of their own")
def work(context, environment=None):
    tell(context, TURN, environment)


@when("an agent with secrets in its environment works in processes of their own")
def work_with_secrets(context):
    tell(context, TURN, ALIEN)


@when("an agent works in processes of their own, until all is recorded")
def work_whole(context):
    """With a budget that is small the first events may be late, which is not what this is about."""
    context.hooks.budget, budget = 20.0, context.hooks.budget
    context.hooks.install()
    tell(context, TURN)
    context.hooks.budget = budget
    context.hooks.install()
    context.known = len(moments(context))


@when("the agent goes on")
def work_on(context):
    tell(context, CALL)


@when("the agent goes on, until all is recorded")
def work_on_whole(context):
    tell(context, CALL)
    wait_until(lambda: len(moments(context)) >= context.known + 4, "what was spooled")


def tell(context, events, environment=None):
    for event in events:
        payload = context.hooks.payload("touch b")
        if event.startswith("Post"):
            payload["tool_use_id"] = context.call
        context.call = payload["tool_use_id"]
        done = context.hooks.fire(f"claude:{event}", payload, **(environment or {}))
        assert done.returncode == 0, done
        context.printed += (done.stdout + done.stderr).decode()


def moments(context):
    return context.world.sql('SELECT kind, is_late, "key" FROM moments ORDER BY number')


@then("{count:d} moments are recorded, none of them late")
def check_moments(context, count):
    found = moments(context)
    assert len(found) == count, found
    assert not any(late for _, late, _ in found), found


@then("moments are recorded once each, and {count:d} of them late")
def check_late(context, count):
    found = moments(context)
    keys = [key for _, _, key in found]
    assert len(keys) == len(set(keys)) == context.known + 4, found
    assert sum(late for _, late, _ in found) == count, found


@then("moments are recorded once each, {count:d} of them, and {late:d} of them late")
def check_count(context, count, late):
    context.known = count - 4
    check_late(context, late)


@when("an event lies in the spool")
def put_event(context):
    told = told_to(context.world.project)
    line = json.dumps({"root": told.root, "event": dict(told.event)}).encode()
    spool.put(str(context.world.data_dir), time.time_ns(), line)


@given('"{name}" in the spool is of an hour ago')
def make_old(context, name):
    an_hour_ago = time.time() - 3600
    os.utime(context.world.data_dir / "spool" / name, (an_hour_ago, an_hour_ago))


@then('it warns "{text}"')
def check_warning(context, text):
    assert text in " ".join(context.world.done.err.split()), context.world.done


@then("the agent was told nothing")
def check_silence(context):
    assert context.printed == "", context.printed


@then(
    "the keeper has a session of its own, no terminal, no secrets and no directory of the project"
)
def check_keeper(context):
    pid = keeper_of(context.world.data_dir)
    about = Path(f"/proc/{pid}")
    names = {pair.partition("=")[0] for pair in (about / "environ").read_text().split("\0") if pair}
    assert names <= {"LANG", *map(os.fsdecode, client.HANDED_ON)}, names
    assert os.getsid(pid) == pid
    assert {os.readlink(about / "fd" / str(number)) for number in range(3)} == {"/dev/null"}
    assert os.readlink(about / "cwd") == "/"


@when('an agent whose shell holds a lock tells "{event}" with "{text}"')
def tell_with_lock(context, event, text):
    with (context.world.home / "a lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = context.hooks.fire(event, context.hooks.payload(text), (lock.fileno(),))
    assert done.returncode == 0, done


@then("the keeper runs, and the lock is free")
def check_lock_is_free(context):
    assert keeper_of(context.world.data_dir) is not None
    with (context.world.home / "a lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


@when("the keeper is killed")
def kill_keeper(context):
    pid = keeper_of(context.world.data_dir)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: keeper_of(context.world.data_dir) is None, "its end")


@when("the keeper is stopped")
def stop_keeper(context):
    pid = keeper_of(context.world.data_dir)
    os.kill(pid, signal.SIGSTOP)
    context.add_cleanup(kill_for_good, os.pidfd_open(pid))


def kill_for_good(process):
    """Others end by themselves, because their files are gone; one that is stopped cannot."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(process, signal.SIGKILL)
    os.close(process)


@when("the keeper continues")
def continue_keeper(context):
    os.kill(keeper_of(context.world.data_dir), signal.SIGCONT)


@then("no keeper runs")
def check_no_keeper(context):
    assert not client.is_owned(str(context.world.data_dir))


@given("there is no place for a socket")
def take_places(context):
    """Neither variable leads anywhere, and no path below /tmp is short enough."""
    context.hooks.environment = {b"XDG_RUNTIME_DIR": b"", b"TMPDIR": b""}
    before = address.LONGEST
    address.LONGEST = 10
    context.add_cleanup(setattr, address, "LONGEST", before)


@given("a keeper beside it")
def start_beside(context):
    world = context.world
    program = "from cleveragents.cli.resident import main; main()"
    sockets = world.home / "run"
    sockets.mkdir(mode=0o700)
    world.child = subprocess.Popen(
        [sys.executable, "-P", "-c", program, str(world.data_dir)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(sockets)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: keeper_of(world.data_dir), "the keeper")


# --- the file that agents call -------------------------------------------------------------------


@given("the hook is as the settings say")
def install_by_settings(context):
    context.world.app().chats.launcher.install()


@then("the hook can be executed by its owner alone")
def check_mode(context):
    context.before = hook(context).stat()
    assert stat.S_IMODE(context.before.st_mode) == 0o700


def hook(context):
    return context.world.data_dir / "hook"


@then("the hook is as it was, to the inode")
def check_same(context):
    assert hook(context).stat().st_ino == context.before.st_ino


@when("the hook is another version's")
def spoil_hook(context):
    hook(context).write_text("#!/bin/sh\n")


@then("the hook is right again")
def check_right(context):
    assert hook(context).read_text() != "#!/bin/sh\n"
    assert stat.S_IMODE(hook(context).stat().st_mode) == 0o700


@when('the setting "{key}" is on')
def turn_on(context, key):
    done = context.world.agents("config", "set", key, "true")
    assert done.code == 0, (done.out, done.err)


@then("the hook blocks late calls of every agent that can be told so")
def check_denials(context):
    text = hook(context).read_text()
    assert all(f"'{name}': '{{" in text.replace("'\"'\"'", "'") for name in DENIED), text


@then("the hook blocks nothing")
def check_no_denials(context):
    assert "'denials': {}" in hook(context).read_text().replace("'\"'\"'", "'")


@then('the texts that are kept are "{texts}"')
def check_texts(context, texts):
    found = context.world.sql("SELECT text FROM moments WHERE text != '' ORDER BY number")
    assert [text for (text,) in found] == texts.split(", "), found


@when("the hook is gone")
def remove_hook(context):
    hook(context).unlink()


@then("there is no hook")
def check_no_hook(context):
    assert not hook(context).exists()


@then("a hook imports exactly these modules beyond what Python starts with")
def check_modules(context):
    text = hook(context).read_text()
    shell = text.replace("exec ", "set -- ", 1) + 'printf "%s" "$5"\n'
    program = subprocess.run(
        ["sh", "-s", "claude:PreToolUse"], input=shell.encode(), capture_output=True, check=True
    ).stdout.decode()
    done = subprocess.run(
        [
            os.path.realpath(sys.executable),
            "-I",
            "-S",
            "-c",
            IMPORTED,
            program,
            "claude:PreToolUse",
        ],
        input=json.dumps(context.hooks.payload("rm a")),
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [row["module"] for row in context.table]
    assert done.stdout.split() == expected, done


# --- commands ------------------------------------------------------------------------------------


@then("the keeper is told as not running")
def check_not_running(context):
    told = context.world.done.data
    assert (told["running"], told["pid"], told["roots"]) == (False, None, []), told


@then("the keeper is told as running, with {count:d} events and the project")
def check_running(context, count):
    told = context.world.done.data
    assert told["running"] and told["pid"] == keeper_of(context.world.data_dir), told
    assert (told["events"], told["waiting"], told["spooled"]) == (count, 0, 0), told
    assert told["roots"] == [str(context.world.project)], told


@then("it says that no keeper is running")
def check_says_none(context):
    assert "no keeper is running" in context.world.done.out, context.world.done


@then("it says that the keeper does not answer")
def check_says_mute(context):
    done = context.world.done
    assert done.code == 4, done
    assert "does not answer" in done.err, done


@given("a process that is the keeper and does not listen")
def lock_only(context):
    program = (
        "import fcntl, sys\n"
        "file = open(sys.argv[1], 'w')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    context.world.child = subprocess.Popen(
        [sys.executable, "-I", "-c", program, str(context.world.data_dir / address.LOCK)],
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert context.world.child.stdout.readline() == "locked\n"


@when("a recorder hears of {count:d} directories")
def hear_of_many(context, count):
    world = context.world
    context.directories = [world.home / f"project {number}" for number in range(count)]
    data = world.data_dir
    recorder = ChatRecorder(lambda root: App(root, data_dir=data, cwd=root), data)
    for directory in context.directories:
        directory.mkdir()
        recorder.record(told_to(directory), until=None, is_late=False)
        recorder.patience(told_to(directory))
    context.roots = recorder.roots
    recorder.close()


@then("it has the last {count:d} of them open")
def check_open(context, count):
    assert count == MOST_ROOTS
    assert context.roots == list(map(str, context.directories[-count:])), context.roots


@then("each of the {count:d} has its moment")
def check_each(context, count):
    found = context.world.sql("SELECT count(DISTINCT plan_id), count(*) FROM moments")
    assert found == [(count, count)], found


@then("an event of a directory that is no longer there is refused for good")
def check_refused(context):
    data = context.world.data_dir
    recorder = ChatRecorder(lambda root: App(root, data_dir=data, cwd=context.world.home), data)
    try:
        recorder.record(told_to(context.world.home / "gone"), until=None, is_late=True)
    except InvalidInput as problem:
        assert "gone" in problem.message, problem
    else:
        raise AssertionError("it was recorded")


@when("this process is the keeper while an agent tells {count:d} events")
def be_the_keeper(context, count):
    """Its main thread, as it would be; the agent is told in another one."""
    events = [f"claude:{name}" for name in TURN[:count]]
    payloads = [context.hooks.payload("touch b") for _ in events]

    def agent():
        data = str(context.world.data_dir)
        wait_until(lambda: os.path.exists(client.keeper_socket(data) or "/no"), "the keeper")
        for event, payload in zip(events, payloads, strict=True):
            context.hooks.fire(event, payload)
        line = address.connect(client.keeper_socket(data), 20.0)
        line.sendall(f"{SPEAKS} stop\n".encode())
        while line.recv(100):
            pass
        line.close()

    thread = threading.Thread(target=agent)
    thread.start()
    run_resident(context)
    thread.join(60)


def run_resident(context):
    arguments, umask = sys.argv, os.umask(0o022)
    sys.argv = ["resident", str(context.world.data_dir)]
    before = dict(os.environ)
    os.environ["XDG_RUNTIME_DIR"] = str(context.hooks.sockets)
    try:
        with contextlib.chdir("."):
            resident.main()
    finally:
        sys.argv = arguments
        os.umask(umask)
        os.environ.clear()
        os.environ.update(before)


@when("this process is to be the keeper where another one is")
def be_a_second_keeper(context):
    context.hooks.fire("claude:Stop", context.hooks.payload())
    context.pid = keeper_of(context.world.data_dir)
    run_resident(context)


@then("it ends at once")
def check_ended_at_once(context):
    assert keeper_of(context.world.data_dir) == context.pid is not None


@when('"agents hook" is told these')
def tell_agents_hook(context):
    context.dones = []
    for row in context.table:
        where = context.world.project / row["where"]
        where.mkdir(exist_ok=True)
        payload = context.hooks.payload(row["text"], os.path.normpath(where))
        context.dones.append(agents_hook(context, row["event"], json.dumps(payload)))


@when('"agents hook" is told no JSON')
def tell_agents_hook_nonsense(context):
    context.dones = [agents_hook(context, "claude:PreToolUse", "{")]


def agents_hook(context, event, text):
    """Runs it in this process, with something to read."""
    world, before = context.world, sys.stdin
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    with (
        contextlib.chdir(world.project),
        world.variables_set(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        sys.stdin = io.StringIO(text)
        try:
            code = run(["hook", event])
        finally:
            sys.stdin = before
    return Done(code, out.buffer.getvalue().decode(), err.getvalue())


@then("each of them succeeded and printed nothing")
def check_quiet(context):
    assert all(done == Done(0, "", "") for done in context.dones), context.dones


@then("a log file tells of it")
def check_log(context):
    found = list((context.world.data_dir / "log").iterdir())
    assert len(found) == 1 and "JSON" in found[0].read_text(), found


@when("the user takes back what the agent did, and prompts again")
def take_back(context):
    (context.world.project / "b").write_text("b\n")
    after = context.hooks.payload("rm a")
    after["tool_use_id"] = "toolu_2"
    agents_hook(context, "claude:PostToolUse", json.dumps(after))
    undone = context.world.agents("undo", "--yes")
    assert undone.code == 0, undone.err
    again = context.hooks.payload("go on")
    context.dones = [agents_hook(context, "claude:UserPromptSubmit", json.dumps(again))]


@then("the agent is told what was taken back")
def check_answer(context):
    (done,) = context.dones
    assert "took back" in json.loads(done.out)["hookSpecificOutput"]["additionalContext"], done


@when('"agents hook" is told an event while the database cannot be opened')
def tell_without_database(context):
    (context.world.data_dir / "cleveragents.db").mkdir()
    payload = context.hooks.payload("rm a")
    context.dones = [agents_hook(context, "claude:PreToolUse", json.dumps(payload))]
