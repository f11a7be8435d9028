"""Steps about the keeper and the hooks that speak to it."""

import contextlib
import json
import math
import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

from behave import given, then, when
from hooked import SPEAKS, Beside, Noting, Protected
from world import wait_until

from cleveragents.hooks import client, plain_json, roots, spool
from cleveragents.storage import address

OTHER_USER = 65534


@given("a protected project")
def make_protected(context, budget=2.0):
    world = context.world
    context.hooks = Protected(world, budget)
    context.hooks.protect(world.project)
    context.recorder = Noting(world.home)
    context.printed = ""
    context.threads = []


@given("a protected project with a keeper")
@given("a protected project with a keeper and a budget of {budget:g} seconds")
@given('a protected project with a keeper that speaks "{speaks}"')
def make_kept(context, budget=2.0, speaks=SPEAKS):
    make_protected(context, budget)
    start_keeper(context, speaks=speaks)


def start_keeper(context, **more):
    with context.hooks.in_place():
        context.keeper = Beside(context.world.data_dir, context.recorder, **more)
    assert context.keeper.has_taken
    context.add_cleanup(context.keeper.end)


@when("a keeper starts")
@when("a keeper starts that ends after {idle:g} seconds")
def start_another(context, idle=600.0):
    start_keeper(context, idle=idle)
    wait_until(lambda: context.keeper.asked("status") if idle > 1 else True, "the keeper")


@given("a protected project with a keeper that nobody tells of its files")
def make_untold(context):
    make_protected(context, 2.0)
    start_keeper(context, is_told_of_files=False)


@when("a keeper starts where {limit} is 0")
def run_unwatched(context, limit):
    """Runs it in a user namespace of its own, where watches can be limited."""
    hooks, world = context.hooks, context.world
    program = "from cleveragents.cli.resident import main; main()"
    starts = shlex.join([sys.executable, "-c", program, str(hooks.data)])
    told = shlex.join(world.command(["keeper", "status", "--format", "json"]))
    stops = shlex.join(world.command(["keeper", "stop"]))
    lock = shlex.quote(str(hooks.data / address.LOCK))
    script = f"""echo 0 > /proc/sys/user/{limit} || exit 9
    {starts} & keeper=$!
    until grep -qs socket {lock} || ! kill -0 $keeper; do sleep 0.05; done
    {told}; {stops} > /dev/null; wait"""
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", script],
        cwd=world.project,
        env={**os.environ, **world.environment, "XDG_RUNTIME_DIR": str(hooks.sockets)},
        capture_output=True,
        text=True,
        check=False,
    )
    context.said = done.stdout + done.stderr
    if "unshare" in done.stderr or "/proc/sys/user" in done.stderr:
        context.scenario.skip(f"no user namespace here: {done.stderr.strip()}")


@then("a keeper has started all the same")
def check_started(context):
    assert '"running": true' in context.said, context.said


@when("an agent tells these")
def tell_all(context):
    for row in context.table:
        context.printed += told(context, row["event"], row["text"])


@when('an agent tells "{event}" with "{text}"')
@when('an agent tells "{event}" with ""')
def tell(context, event, text=""):
    context.printed += told(context, event, text)


def told(context, event, text):
    return context.hooks.hear(event, context.hooks.payload(text))


@when('an agent tells "{event}" with "{text}", and does not wait')
def tell_beside(context, event, text):
    """Waits until the keeper is at it; the hook gives up by itself."""
    hooks = context.hooks
    body = hooks.payload(text)
    thread = threading.Thread(target=speak, args=(context, event, body))
    thread.start()
    context.threads.append(thread)
    wait_until((context.world.home / "holding").exists, "the keeper to hold")
    thread.join(20)


def speak(context, event, body):
    """A hook in a thread: without standard input and output, of which there is one for all."""
    call = client.Call(context.hooks.settings, event)
    pipe = os.pipe()
    os.write(pipe[1], json.dumps(body).encode())
    os.close(pipe[1])
    call.answer(pipe[0])
    os.close(pipe[0])


@when('the keeper goes on after the budget, and "{event}" with "{text}" waits')
def go_on_when_it_waits(context, event, text):
    before = waiting(context)
    thread = threading.Thread(target=speak, args=(context, event, context.hooks.payload(text)))
    thread.start()
    wait_until(lambda: waiting(context) > before, "the event")
    over = time.monotonic() + context.hooks.budget
    wait_until(lambda: time.monotonic() > over, "the budget to be over")
    assert thread.is_alive()
    (context.world.home / "go on").touch()
    thread.join(20)
    assert not thread.is_alive()


def waiting(context):
    return json.loads(context.keeper.asked("status"))["waiting"]


@when("the keeper goes on")
def go_on(context):
    (context.world.home / "go on").touch()
    for thread in context.threads:
        thread.join(20)
        assert not thread.is_alive()


@given("the first look may take {seconds:g} seconds")
def set_first_look(context, seconds):
    context.recorder.first_look = seconds


@given("late calls are to be blocked")
@given("late calls are {strict} to be blocked")
def be_strict(context, strict="indeed"):
    context.hooks.denials = {"claude": "no"} if strict == "indeed" else {}


@then("only the last of them is waited for so long")
def check_untils(context):
    recorder = context.recorder
    longest = time.monotonic() + recorder.first_look / 2
    waits = [until > longest for until in recorder.untils]
    assert waits == [False, True], recorder.untils


@when("no texts are to be kept")
def keep_no_texts(context):
    context.hooks.texts = False


@then('no event in the spool says "{text}"')
def check_unsaid(context, text):
    for path in spool.waiting(str(context.world.data_dir)):
        assert text.encode() not in Path(path).read_bytes(), path


@then("the agent was told")
@then('the agent was told "{text}"')
@then('the agent was told ""')
def check_told(context, text=""):
    expected = context.text or text
    assert context.printed == (f"{expected}\n" if expected else ""), context.printed


@then("nothing was printed")
def check_nothing_printed(context):
    assert context.printed == "", context.printed


@then("this was recorded")
def check_recorded(context):
    expected = [line.strip() for line in context.text.splitlines()]
    try:
        wait_until(lambda: len(context.recorder.lines) >= len(expected), "the events")
    finally:
        found = [line.strip() for line in context.recorder.lines]
        assert found == expected, found


# --- directories ---------------------------------------------------------------------------------


@given('these directories: "{first}", "{second}" and a link "{link}" to "{target}"')
def make_directories(context, first, second, link, target):
    project = context.world.project
    (project / second).mkdir(parents=True)
    assert (project / first).is_dir()
    (project / link).symlink_to(target)
    (context.world.home / "beside").mkdir()


@given('"{directory}" is protected as well')
def protect_too(context, directory):
    project = context.world.project
    context.hooks.protect(project, project / directory)


@then('an event in "{where}" belongs to "{root}"')
def check_root(context, where, root):
    project = context.world.project
    found = roots.root_above(str(context.world.data_dir), os.path.join(project, where))
    expected = None if root == "nothing" else os.path.normpath(project / root)
    assert found == expected, found
    told_of = context.hooks.payload("rm a", os.path.join(project, where))
    context.hooks.hear("claude:PreToolUse", told_of)
    assert len(context.recorder.lines) == (expected is not None)


@when('an agent in another directory tells "{event}"')
def tell_elsewhere(context, event):
    context.printed += context.hooks.hear(event, context.hooks.payload("a", context.world.home))


@when('an agent that names no directory tells "{event}"')
def tell_from_nowhere(context, event):
    payload = context.hooks.payload("a")
    payload["cwd"] = "here"
    context.printed += context.hooks.hear(event, payload)
    del payload["cwd"]
    context.printed += context.hooks.hear(event, payload)


@given("lines that are none in the list of protected directories")
def add_lines(context):
    path = context.world.data_dir / "protected"
    path.write_text(f'{{"path\n[]\n{{"path": 7}}\n\n{path.read_text()}')


@then("no keeper was started, and nothing lies in the spool")
def check_nothing_done(context):
    found = sorted(path.name for path in context.world.data_dir.iterdir())
    assert found == ["protected"], found


# --- the spool -----------------------------------------------------------------------------------


@then("{count:d} events lie in the spool, each for its owner alone")
def check_spooled(context, count):
    found = spool.waiting(str(context.world.data_dir))
    assert len(found) == count, found
    assert {stat.S_IMODE(os.stat(path).st_mode) for path in found} == {0o600}
    room = context.world.data_dir / "spool"
    assert stat.S_IMODE(room.stat().st_mode) == 0o700


@then("nothing lies in the spool")
def check_spool_is_empty(context):
    room = context.world.data_dir / "spool"
    wait_until(lambda: not room.exists() or not any(room.iterdir()), "an empty spool")


def spooled(root, text):
    return json.dumps({"root": str(root), "event": {"kind": "prompt", "text": text}}).encode()


@when("another event of the same directory and one of another lie in the spool")
def put_into_spool(context):
    data = str(context.world.data_dir)
    spool.put(data, 2**62, spooled(context.world.project, "after it"))
    spool.put(data, 2**62 + 1, spooled(context.world.home, "of another"))


@when("it can be recorded now")
def allow_now(context):
    (context.world.home / "now").touch()


@given("this in the spool")
def fill_spool(context):
    room = context.world.data_dir / "spool"
    room.mkdir()
    for row in context.table:
        MAKERS[row["what"]](room / row["name"], context.world.project)


MAKERS = {
    "not JSON": lambda path, _: path.write_bytes(b"\xff{"),
    "nested JSON": lambda path, _: path.write_bytes(b"[" * 100_000),
    "a list": lambda path, _: path.write_text("[]"),
    "a FIFO": lambda path, _: os.mkfifo(path),
    "a directory": lambda path, _: path.mkdir(),
    "a link": lambda path, _: path.symlink_to("7.event"),
    "unfinished": lambda path, root: path.write_bytes(spooled(root, "unfinished")),
    "an event": lambda path, root: path.write_bytes(spooled(root, "from the spool")),
    "taken while others are read": lambda path, root: path.write_bytes(spooled(root, "take all")),
    "a failure": lambda path, root: path.write_bytes(spooled(root, "fail")),
}


@then("the spool holds {names}")
def check_names(context, names):
    expected = sorted(names.replace(" and ", ", ").replace('"', "").split(", "))
    room = context.world.data_dir / "spool"
    wait_until(lambda: sorted(os.listdir(room)) == expected, f"{expected}: {os.listdir(room)}")


@then("the keeper has kept the failure")
def check_failure(context):
    assert [str(one) for one in context.recorder.failures] == ["as it was told to"]


@then("what is gone can be removed, read and put aside again")
def check_gone(context):
    path = str(context.world.data_dir / "spool" / "2.event")
    wait_until(lambda: not spool.waiting(str(context.world.data_dir)), "an empty spool")
    assert spool.read(path) is None
    spool.remove(path)
    spool.set_aside(path)
    assert os.listdir(context.world.data_dir / "spool") == []


# --- when something is wrong ---------------------------------------------------------------------


@when('an agent tells "{event}" in words that are no JSON')
def tell_nonsense(context, event):
    context.printed += context.hooks.hear(event, b'{"secret": hunter2}')


@then("the data directory tells where the hook failed, and not what the agent was told")
def check_where(context):
    kept = context.world.data_dir / "hook.failed"
    text = kept.read_text()
    assert "plain_json" in text, text
    assert "hunter2" not in text, text
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@then("a hook that is told nothing and no end ends well")
def check_no_end(context):
    reading, writing = os.pipe()
    try:
        assert client.Call(context.hooks.settings, "claude:PreToolUse").answer(reading) == ""
    finally:
        os.close(reading)
        os.close(writing)


@when("the data directory is gone")
def remove_data(context):
    context.keeper.end()
    shutil.rmtree(context.world.data_dir)


@then("a hook ends well")
def check_ends_well(context):
    assert told(context, "claude:PreToolUse", "rm a") == ""
    assert context.hooks.hear("claude:PreToolUse", b"{") == ""


# --- who the keeper is ---------------------------------------------------------------------------


@then("another one that is started ends at once")
def check_second(context):
    with context.hooks.in_place():
        second = Beside(context.world.data_dir, context.recorder)
    assert not second.has_taken
    assert context.keeper.identity.is_ours


@then("one that is started while it ends takes its place")
def check_successor(context):
    first = context.keeper
    tell_beside_without_waiting(context)
    line = address.connect(first.identity.path, 10.0)
    line.sendall(f"{SPEAKS} stop\n".encode())
    wait_until(lambda: not os.path.exists(first.identity.path), "the keeper to listen no more")
    threading.Timer(0.1, (context.world.home / "go on").touch).start()
    start_keeper(context)
    line.close()
    first.has_ended()
    assert context.keeper.identity.is_ours


def tell_beside_without_waiting(context):
    body = context.hooks.payload("hold")
    thread = threading.Thread(target=speak, args=(context, "claude:PreToolUse", body))
    thread.start()
    context.add_cleanup(thread.join)
    wait_until((context.world.home / "holding").exists, "the keeper to hold")


def file_of(context, which):
    if which == "lock":
        return context.world.data_dir / address.LOCK
    return Path(context.keeper.identity.path)


@when("the {which} of the keeper is {done}")
def take_file(context, which, done):
    path = file_of(context, which)
    other = path.with_name("other")
    other.write_text("other")
    if done == "garbled":
        path.write_text("other")
    elif done == "removed":
        path.unlink()
    else:
        other.rename(path)


@then("the keeper ends, and leaves the {which} alone")
def check_ended(context, which):
    context.keeper.has_ended()
    path = file_of(context, which)
    assert not path.exists() or path.read_text() == "other"


@then("the keeper ends")
def check_end(context):
    context.keeper.has_ended()


@when("its data directory is removed")
def remove_data_directory(context):
    shutil.rmtree(context.world.data_dir)


@then("its socket is gone")
def check_socket_is_gone(context):
    assert not os.path.lexists(context.keeper.identity.path)


@then("no socket is left")
def check_no_socket(context):
    assert not os.path.lexists(context.keeper.identity.path)
    assert (context.world.data_dir / address.LOCK).read_text() == ""


@when("the mode of its socket is set again")
def set_mode(context):
    os.chmod(context.keeper.identity.path, 0o600)
    assert json.loads(context.keeper.asked("status"))["pid"] == os.getpid()


SAID = {
    "nothing": b"",
    "half a line": SPEAKS.encode(),
    "an unknown word": f"{SPEAKS} sing\n".encode(),
    "an event without a time": f"{SPEAKS} event soon {{}}\n".encode(),
    "an event that is none": f"{SPEAKS} event 1.0 []\n".encode(),
}


@then("it hangs up on each of these")
def check_hangs_up(context):
    for row in context.table:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            line.connect(context.keeper.identity.path)
            line.sendall(SAID[row["said"]])
            line.shutdown(socket.SHUT_WR)
            assert line.recv(100) == b"", row["said"]


@then("it is still there")
def check_there(context):
    assert json.loads(context.keeper.asked("status"))["events"] == 0
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(context.keeper.identity.path)
        with contextlib.suppress(OSError):
            line.sendall(b"x" * (9 << 20))
        assert line.recv(100) == b""


@then("sockets lie in the first of these that is there and closed to others")
def check_places(context):
    home = context.world.home
    for name, mode in (("open", 0o755), ("other", 0o700)):
        (home / name).mkdir()
        (home / name / "cleveragents").mkdir()
        (home / name / "cleveragents").chmod(mode)
    (home / "file").write_text("")
    (home / "link").mkdir()
    (home / "link" / "cleveragents").symlink_to(home / "other" / "cleveragents")
    (home / ("long" * 30)).mkdir()
    for row in context.table:
        runtime = row["runtime"].replace("long", "long" * 30)
        given_path = runtime if runtime == "relative" else str(home / runtime)
        temporary = str(home / row["temporary"]) if row["temporary"] else ""
        found = address.place(
            {b"XDG_RUNTIME_DIR": os.fsencode(given_path), b"TMPDIR": os.fsencode(temporary)}
        )
        expected = row["sockets"].replace("USER", str(os.geteuid()))
        assert found == str(home / expected), (row["runtime"], found)
    assert address.place({}) in (None, f"/tmp/cleveragents-{os.geteuid()}")


@when("{what} lies where the keeper should be")
def put_there(context, what):
    home = context.world.home / "there"
    home.mkdir(mode=0o700)
    path = home / "a.s"
    lock = context.world.data_dir / address.LOCK
    lock.write_text(json.dumps({"socket": str(path)}))
    if what == "a file":
        path.write_text("")
    elif "socket" in what and "lock" not in what:
        context.listener = socket.socket(socket.AF_UNIX)
        context.listener.bind(str(path))
        if "nobody" not in what:
            context.listener.listen(1)
        if "open" in what:
            home.chmod(0o755)
        if "another user" in what:
            os.chown(path, OTHER_USER, OTHER_USER)
        context.add_cleanup(context.listener.close)
    elif "no JSON" in what:
        lock.write_text("{")
    elif "names no socket" in what:
        lock.write_text('{"socket": 7}')


@then("a hook does not speak to it")
def check_not_spoken_to(context):
    path = client.keeper_socket(str(context.world.data_dir))
    assert address.connect(path, 5.0) is None
    assert address.connect(path, 0.0) is None


@when("a socket of ours lies where the keeper should be, and another user listens there")
def let_other_listen(context):
    path = context.world.home / "theirs" / "a.s"
    path.parent.mkdir(mode=0o700)
    (context.world.data_dir / address.LOCK).write_text(json.dumps({"socket": str(path)}))
    program = (
        "import os, socket, sys, time\n"
        "line = socket.socket(socket.AF_UNIX)\n"
        "line.bind(sys.argv[1])\n"
        f"os.setuid({OTHER_USER})\n"
        "line.listen(5)\n"
        "print('listens', flush=True)\n"
        "sys.stdin.read()\n"
    )
    context.world.child = subprocess.Popen(
        [sys.executable, "-I", "-c", program, str(path)],
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert context.world.child.stdout.readline() == "listens\n"


@when("another user connects to the keeper")
def connect_as_other(context):
    path = Path(context.keeper.identity.path)
    for parent in (path.parent, context.hooks.sockets, context.world.home):
        parent.chmod(0o711)
    path.chmod(0o666)
    program = (
        "import os, socket, sys\n"
        f"os.setuid({OTHER_USER})\n"
        "line = socket.socket(socket.AF_UNIX)\n"
        "line.connect(sys.argv[1])\n"
        "sys.exit(len(line.recv(10)))\n"
    )
    where = f"./{path.name}"
    context.other = subprocess.run(
        [sys.executable, "-I", "-c", program, where],
        env={},
        cwd=path.parent,
        check=False,
        timeout=60,
    )


@then("it hangs up at once")
def check_hung_up(context):
    assert context.other.returncode == 0, context.other


@then("the agent of a process below {count:d} shells is this process")
def check_agent(context, count):
    assert below_shells(count) == os.getpid()


@then("the agent of a process below {count:d} shells is not known")
def check_no_agent(context, count):
    assert below_shells(count) == 0


@then("an agent that is a script of a shell is known, whoever started it")
def check_script(context):
    script = context.world.home / "agent.sh"
    script.write_text("sh -c 'cat; :'; :\n")
    with subprocess.Popen(["sh", script], stdin=subprocess.PIPE) as agent:
        children = Path(f"/proc/{agent.pid}/task/{agent.pid}/children")
        wait_until(lambda: children.read_text().split(), "its hook")
        (hook,) = map(int, children.read_text().split())
        wait_until(lambda: b"-c" in Path(f"/proc/{hook}/cmdline").read_bytes(), "its command")
        found = client.agent_above(hook)
        agent.stdin.close()
    assert found == agent.pid, (found, agent.pid)


def below_shells(count):
    """What is found above a process that so many shells lie between it and us."""
    command = "cat"
    for _ in range(count - 1):
        command = f"sh -c {shlex.quote(command)}; :"
    with subprocess.Popen(["sh", "-c", f"{command}; :"], stdin=subprocess.PIPE) as shell:
        deepest = shell.pid
        for _ in range(count - 1):
            children = Path(f"/proc/{deepest}/task/{deepest}/children")
            wait_until(lambda found=children: found.read_text().split(), "a shell")
            deepest = int(children.read_text().split()[0])
        found = client.agent_above(deepest)
        shell.stdin.close()
    return found


@then("the agent of a process that is gone is not known")
def check_gone_agent(context):
    with subprocess.Popen(["true"]) as done:
        done.wait()
    assert client.agent_above(done.pid) == 0


# --- JSON ----------------------------------------------------------------------------------------


@then("each of these is read as the usual module reads it")
def check_json(context):
    for row in context.table:
        assert repr(read_by(plain_json.read, row["text"])) == repr(
            read_by(lambda text: json.loads(text, strict=False), row["text"])
        ), row["text"]


def read_by(read, text):
    try:
        return read(text)
    except ValueError:
        return ValueError


@then("a number of 5000 digits is read as one that is out of all bounds")
def check_digits(context):
    assert plain_json.read(f"-{'9' * 5000}") == -math.inf


@then("what is written is read back")
def check_written(context):
    value = {"a": ["ä\udc80\n", "", True, False, 7, 2.5, []], "b": {"c": "d"}}
    assert json.loads(plain_json.written(value)) == value
    assert plain_json.read(plain_json.written(value)) == value
    assert plain_json.read_table("[]") == {}
