"""Steps about the launcher, in C and in Python: what it keeps a command from, and how that ends."""

import ctypes
import os
import shlex
import shutil
import signal
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

from behave import given, then, when
from launched import ROOM, ROOT, SOURCE, TWIN, Launcher, built, compiled, python_of, user_of
from ordinary import hand_over, ordinary_user
from world import wait_until

DEVICES = ("full", "null", "pts", "random", "tty", "urandom", "zero")  # not every machine has all
LINKS = ("fd", "shm", "stderr", "stdin", "stdout")
MEMORY = Path("/dev/shm")
LANDLOCK_CREATE_RULESET, ABI_WITH_TRUNCATE, ABI_WITH_SCOPES = 444, 3, 6


@given("the launcher in {language}, run by {user}")
def make_launcher(context, language, user):
    if user == "root" and os.geteuid() != 0:
        context.scenario.skip("somebody else than root runs this")
        return
    python = python_of(user_of(user))
    if python is None:
        context.scenario.skip("there is no Python that an ordinary user may run")
        return
    line = compiled() if language == "C" else (python, "-I", "-S", "-c", TWIN)
    if line is None:
        context.scenario.skip("there is no compiler here")
        return
    context.launcher = Launcher(line, _folder(context, user), user_of(user), python)
    context.add_cleanup(_end, context.launcher)
    if "without_namespaces" not in context.tags:
        _check_namespaces(context)


def _folder(context, user):
    """A folder with something to protect, that the user owns and can reach."""
    here = context.world.home / "here"
    for name in ("kept", "beside/below", "secret"):
        (here / name).mkdir(parents=True)
    (here / "secret" / "key").write_text("the key\n")
    context.world.home.chmod(0o755)
    if user_of(user) is not None:
        hand_over(here)
        with ordinary_user():
            if not os.access(here, os.W_OK, effective_ids=True):
                context.scenario.skip("an ordinary user cannot reach the temporary folder")
    return here


def _check_namespaces(context):
    """Most of what is here cannot be tried where none can be made."""
    done = context.launcher.started(["unshare", "--user", "--mount", "true"])
    _, problem = done.communicate()
    if done.returncode:
        context.scenario.skip(f"no namespaces here: {problem.decode().strip()}")


def _end(launcher):
    """Ends what a scenario that failed has left."""
    for pid in launcher.processes():
        os.kill(pid, signal.SIGKILL)


@given("that user can have layers of directories there")
def need_layers(context):
    """Tries it where the folder lies: not every file system can hold what is changed."""
    script = """cd "$HERE/beside" && mkdir l u w &&
        mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w,userxattr l"""
    done = context.launcher.started(["unshare", "-Urm", "sh", "-c", script])
    _, problem = done.communicate()
    if done.returncode:
        context.scenario.skip(f"no layers of directories here: {problem.decode().strip()}")


@given("whoever starts it is an ordinary user for a while")
def start_as_ordinary(context):
    hand_over(context.launcher.here)
    if python_of(user_of("an ordinary user")) is None:
        context.scenario.skip("there is no Python that an ordinary user may run")
    context.launcher.line = _reachable(context.launcher.line)
    context.launcher.starting = ordinary_user


def _reachable(line):
    """The same line with a Python that an ordinary user may run."""
    return (python_of(user_of("an ordinary user")), *line[1:]) if TWIN in line else line


@given('a server listens at "{first}" and at "{second}"')
def listen(context, first, second):
    folder = os.open(context.launcher.here, os.O_PATH)
    context.add_cleanup(os.close, folder)
    for name in (first, second):
        server = socket.socket(socket.AF_UNIX)
        context.add_cleanup(server.close)
        server.bind(f"/proc/self/fd/{folder}/{name}")  # addresses of sockets are short
        server.listen()
        (context.launcher.here / name).chmod(0o777)


@given("a server listens, of the same user, at an abstract address")
def listen_abstractly(context):
    launcher = context.launcher
    server = launcher.started(
        [launcher.environment["PYTHON"], "-ISc", launcher.environment["LISTEN"], launcher.mark]
    )
    context.add_cleanup(server.communicate)
    assert server.stdout.readline() == b"listening\n"
    launcher.environment["SERVER"] = str(server.pid)


def _landlock():
    """The version of Landlock that there is; -1 is none."""
    return ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, 1)


@given("the kernel knows scopes")
def check_scopes(context):
    if _landlock() < ABI_WITH_SCOPES:
        context.scenario.skip("the kernel keeps no signals in")


@given("the kernel knows rules for files")
def check_rules(context):
    if _landlock() < ABI_WITH_TRUNCATE:
        context.scenario.skip("the kernel refuses no files by rules, or not to cut them off")


@given('"{name}" leads to "{target}"')
def make_link(context, name, target):
    (context.launcher.here / name).symlink_to(target)


@given('only root can enter "{name}"')
def shut(context, name):
    (context.launcher.here / name).chmod(0)


@given("what is ordered first")
def order_first(context):
    context.ordered = context.text


@then("what is tried under that ends so")
def check_deeds(context):
    launcher = context.launcher
    deeds = [row["deed"] for row in context.table]
    command = [launcher.environment["PYTHON"], "-ISc", launcher.environment["DEEDS"], *deeds]
    launcher.run(f"{context.ordered}\ndirectory $HERE\nrun {shlex.join(command)}")
    assert (launcher.code, launcher.answer) == (0, b""), (launcher.answer, launcher.err)
    found = dict(zip(deeds, launcher.out.decode().split(), strict=True))
    assert found == {row["deed"]: row["ends"] for row in context.table}, found


@given("in the shared memory outside there is something")
def put_in_memory(context):
    path = MEMORY / context.launcher.mark
    path.write_text("something\n")
    context.add_cleanup(path.unlink)


@then("in the shared memory outside there is nothing of it")
def check_memory_outside(context):
    assert not (MEMORY / context.launcher.mark).exists()


@given("of what starts it USR1 and CHLD are ignored, and USR2 is blocked")
def take_signals_otherwise(context):
    @contextmanager
    def blocked():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    context.launcher.starting = blocked
    context.launcher.before = ("sh", "-c", 'trap "" USR1 CHLD; exec "$0" "$@"')


@when("it is ordered")
def order(context):
    listed = [name for name in DEVICES if Path("/dev", name).exists()]
    listed += ["ptmx", *LINKS] if "pts" in listed else LINKS
    context.launcher.environment["DEVICES"] = " ".join(sorted(listed))
    context.mounts = Path("/proc/self/mountinfo").read_bytes()
    context.ordered = context.text
    context.launcher.run(context.ordered)


@when("it is ordered, with an environment of hostile bytes")
def order_in_environment(context):
    context.launcher.environment = {
        b"Z": b"last, and first",
        b"PATH": os.environb[b"PATH"],
        b"EMPTY": b"",
        b"LINES": b"two\n\nlines = more\t",
        b"BYTES": bytes(range(1, 256)),
        b"MARK": context.launcher.mark.encode(),
    }
    context.launcher.run(context.text)


@then("it has printed exactly that environment")
def check_environment(context):
    launcher = context.launcher
    assert (launcher.code, launcher.answer) == (0, b""), (launcher.answer, launcher.err)
    wanted = [b"%b=%b" % item for item in launcher.environment.items()]
    assert launcher.out.split(b"\0") == [*wanted, b""], launcher.out


@when("it is ordered, and handed a descriptor")
def order_handing(context):
    context.through, handed = os.pipe()
    context.add_cleanup(os.close, context.through)
    context.launcher.handed = (handed,)
    context.launcher.environment["HANDED"] = str(handed)
    context.launcher.run(context.text)
    os.close(handed)


@then('through the descriptor it said "{text}"')
def check_handed(context, text):
    assert os.read(context.through, 100).decode().strip() == text


@given("it is ordered and has begun")
def order_and_wait(context):
    context.launcher.begin(context.text)
    assert context.launcher.process.stdout.readline() == b"begun\n", context.launcher.heard()


@then("its answers have ended")
def check_answers(context):
    assert context.launcher.heard() == b""


@then("it keeps no descriptors that it does not need")
def check_descriptors(context):
    outside = context.launcher.process.pid
    wanted = {outside: {"0", "1", "2", "3"}, _process_1(context): {"0"}}
    for pid, numbers in wanted.items():
        wait_until(
            lambda pid=pid, numbers=numbers: set(os.listdir(f"/proc/{pid}/fd")) == numbers,
            f"process {pid} to close the others",
        )


def _process_1(context):
    outside = context.launcher.process.pid
    return int(Path(f"/proc/{outside}/task/{outside}/children").read_text())


@when("its whole group is told to end by SIGTERM")
def end_group(context):
    os.killpg(context.launcher.process.pid, signal.SIGTERM)
    context.launcher.end()


@when("the stand-in is killed")
def kill_stand_in(context):
    context.launcher.process.kill()
    context.launcher.end()


@when("process 1 is killed")
def kill_process_1(context):
    os.kill(_process_1(context), signal.SIGKILL)
    context.launcher.end()


@then('the ordered command ended with exit code {code:d}, and said "{said}"')
@then('the ordered command ended with exit code {code:d}, and said ""')
def check_end(context, code, said=""):
    launcher = context.launcher
    problem = (launcher.code, launcher.out, launcher.err, launcher.answer)
    assert (launcher.code, launcher.answer) == (code, b""), problem
    assert launcher.out.decode().split() == launcher.told(said).split(), problem
    if "mounts" in context:
        assert Path("/proc/self/mountinfo").read_bytes() == context.mounts


@then('it complained "{text}"')
def check_complaint(context, text):
    assert text in context.launcher.err.decode(), context.launcher.err


@then('"{there}" is there, and "{gone}" is not')
def check_files(context, there, gone):
    assert (context.launcher.here / there).exists(), there
    assert not (context.launcher.here / gone).exists(), gone


@then('"{name}" is of user {user:d} and group {group:d}')
def check_owner(context, name, user, group):
    found = (context.launcher.here / name).stat()
    assert (found.st_uid, found.st_gid) == (user, group), found


@then('"{path}" holds another number outside')
def check_outside(context, path):
    assert Path(path).read_bytes() != context.launcher.out


@then("no process of it is left")
def check_processes(context):
    assert context.launcher.processes() == []


@then("soon no process of it is left")
def await_processes(context):
    wait_until(lambda: not context.launcher.processes(), "its processes to end")


@then("who has started it was told of {seconds:g} seconds of the processor")
def check_used(context, seconds):
    launcher = context.launcher
    assert (launcher.code, launcher.err, launcher.answer) == (0, b"", b""), vars(launcher)
    assert launcher.used >= seconds, launcher.used


@then("it has printed what it prints without a launcher")
def check_plain(context):
    plain = _printed_plainly(context)
    assert context.launcher.out == plain, (context.launcher.out, plain)


@then("it has printed something else than it prints without a launcher")
def check_different(context):
    plain = _printed_plainly(context)
    if plain.strip() == b"-1":
        context.scenario.skip("the kernel has none here")
        return
    assert context.launcher.out not in (plain, b"", b"-1\n"), context.launcher.out


def _printed_plainly(context):
    launcher = context.launcher
    assert (launcher.code, launcher.answer) == (0, b""), (launcher.answer, launcher.err)
    command = shlex.split(context.ordered.partition("run ")[2])
    plain, _ = launcher.started(command).communicate()
    return plain


@then("commands end as they do without, with and without process 1")
def check_ends(context):
    launcher = context.launcher
    for row in context.table:
        command = f"limit CORE 0 0; run sh -c {shlex.quote(row['command'])}"
        for acts in ("enter user+mount", "enter user+mount+processes; processes; proc"):
            launcher.run(f"{acts}; {command}")
            found = (launcher.code, launcher.answer)
            assert found == (int(row["ends"]), b""), (acts, row["command"], found, launcher.err)


@then("each of these orders fails, and leaves nothing")
def check_failures(context):
    launcher = context.launcher
    for row in context.table:
        launcher.run(row["orders"])
        told = launcher.told(row["answer"]) + " " * (2 - row["answer"].count(" ")) + "\n"
        assert launcher.answer.decode() == told, (row["orders"], launcher.answer)
        assert (launcher.code, launcher.out, launcher.err) == (125, b"", b""), row["orders"]
        assert launcher.processes() == [], row["orders"]


@when("the launcher is built {how}")
def build_launcher(context, how):
    compiler = shutil.which("cc")
    if compiler is None:
        context.scenario.skip("there is no compiler here")
        return
    context.checkout = context.world.home / "checkout"
    source = context.checkout / SOURCE.relative_to(ROOT)
    source.parent.mkdir(parents=True)
    shutil.copy(SOURCE, source)
    refuses = {"with a compiler": "never", "with a compiler that fails": "*"}.get(how, "*-static*")
    programs = context.world.home / "programs"
    programs.mkdir()
    (programs / "cc").write_text(
        f'#!/bin/sh\ncase " $* " in {refuses}) exit 1 ;; esac\nexec {shlex.quote(compiler)} "$@"\n'
    )
    (programs / "musl-gcc").write_text("#!/bin/sh\nexit 1\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}{os.pathsep}{before}"
    try:
        context.is_built = built(context.checkout)
    finally:
        os.environ["PATH"] = before
    context.built = {path.name for path in source.parent.iterdir()} - {SOURCE.name}


@then("there is no launcher")
def check_not_built(context):
    assert (context.is_built, context.built) == (False, set()), context.built


@then("there is a launcher that runs")
def check_built(context):
    assert (context.is_built, context.built) == (True, {"confine.compiled"}), context.built
    program = context.checkout / ROOM.relative_to(ROOT) / "confine.compiled"
    launcher = Launcher((str(program),), context.world.home, None, "")
    launcher.run("run true")
    assert (launcher.code, launcher.answer) == (0, b""), launcher.answer
    assert subprocess.run([program], check=False).returncode == 125  # it was told nothing
