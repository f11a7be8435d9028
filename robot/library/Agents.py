"""Keywords that drive the installed `agents` command from outside; nothing of it is imported.

Every test works in a room: a temporary folder with a project, a data directory and a HOME, where
commands run in an environment that owes nothing to the caller's git or CleverAgents settings.
"""

import contextlib
import functools
import hashlib
import json
import os
import shlex
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pexpect
from robot.api import SkipExecution, logger
from robot.utils import DotDict
from room import HANGS, Done, Room, end, remove, run

WITHOUT_GIT = ("sh", "cat", "mkdir", "rm", "ls", "env")
# What a fresh machine may still know: where programs are and how the package registry is reached.
FRESH = ("PATH", "LANG", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
FRESH_PREFIXES = ("PIP_", "UV_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")


class Agents:
    """Runs `agents`, makes projects for it to work on, and compares what it left."""

    ROBOT_LIBRARY_SCOPE = "SUITE"

    def __init__(self):
        self._rooms = []
        self._kept = None

    # --- rooms ---------------------------------------------------------------------------------

    def make_room(self):
        """Makes the empty room that all other keywords then work in."""
        room = Room(Path(tempfile.mkdtemp(prefix="robot ")).resolve())
        for folder in (room.project, room.path / "home"):
            folder.mkdir()
        self._rooms.append(room)

    def keep_room(self):
        """Remembers the room as it is now; `Return To Kept Room` brings all of it back."""
        self._kept = self._room
        shutil.copytree(self._room.path, self._copy, symlinks=True)

    def return_to_kept_room(self):
        """Makes the kept room as it was: same paths, same bytes, as if no test had been there."""
        self._leave_rooms(self._kept)
        remove(self._kept.path)
        shutil.copytree(self._copy, self._kept.path, symlinks=True)
        self._kept.variables.clear()

    def leave_room(self):
        """Ends what the test has started and removes what it made; a kept room stays."""
        self._leave_rooms(self._kept)

    def remove_all_rooms(self):
        """Removes every room, the kept one included."""
        if self._kept is not None:
            remove(self._copy)
        self._leave_rooms(None)

    def room(self):
        """Returns the folder of the room."""
        return str(self._room.path)

    def project(self):
        """Returns the folder of the project."""
        return str(self._room.project)

    def set_variable_of_agents(self, name, value):
        """Sets an environment variable for the commands of this room."""
        self._room.variables[name] = value

    def unset_variable_of_agents(self, name):
        """Takes such a variable away again."""
        del self._room.variables[name]

    @property
    def _room(self):
        return self._rooms[-1]

    @property
    def _copy(self):
        return self._kept.path.with_name(f"{self._kept.path.name} kept")

    def _leave_rooms(self, but):
        for room in self._rooms:
            for process in room.started:
                end(process)
            room.started.clear()
            if room.disk is not None:
                end(room.disk)
                room.disk = None
            if room is not but:
                remove(room.path)
        self._rooms = [room for room in self._rooms if room is but]

    # --- projects and actions ------------------------------------------------------------------

    def write(self, path, content):
        """Writes a file of the project."""
        target = self._room.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)

    def make_repository(self):
        """Makes the project a git repository with all its files in one commit."""
        self.shell(
            "git init -q -b main . && git config user.name User && git config user.email u@x &&"
            " git add -A && git commit -q --allow-empty -m first"
        )

    def shell(self, command, cwd=None):
        """Runs a shell command in the project; it must succeed; returns what it printed."""
        environment = self._room.plain_environment()
        done = run(["/bin/sh", "-ec", command], cwd or self._room.project, environment)
        assert done.rc == 0, f"{command!r} ended with {done.rc}: {done.said}"
        return done.out.strip()

    def write_action(self, *lines):
        """Writes the action file of the test, line by line."""
        self._room.action.write_text("\n".join(lines) + "\n")

    def write_action_of_commands(self, *commands, header="name: commands", pinned: int = 0):
        """Writes an action whose steps run these commands with the shell.

        The step with the number `pinned` has a checkpoint named so before it.
        """
        steps = [
            {"name": f"step {number}", "tool": "shell", "with": {"command": command}}
            for number, command in enumerate(commands, start=1)
        ]
        if pinned:
            steps[pinned - 1]["checkpoint"] = "pinned"
        self.write_action(*header.splitlines(), f"steps: {json.dumps(steps)}")

    # --- agents --------------------------------------------------------------------------------

    def run_agents(self, line, code: int = 0, cwd=None):
        """Runs `agents` in the project; the exit code must be as expected, tracebacks never are.

        ACTION in the line stands for the action file of the test.
        """
        room = self._room
        directory = Path(cwd or room.project)
        done = run(self._inside(directory, self._words(line)), directory, room.environment())
        logger.info(f"agents {line}\nexit code {done.rc}\n{done.out}\n{done.err}")
        assert "Traceback" not in done.said, f"agents {line}: {done.said}"
        assert done.rc == code, f"agents {line} ended with {done.rc}, not {code}: {done.said}"
        return done

    def read_agents(self, line, cwd=None):
        """Runs `agents … --format json` with success and returns its data."""
        return self.read_envelope(line, cwd).data

    def read_envelope(self, line, cwd=None):
        """Runs `agents … --format json` with success and returns all that it printed."""
        return self._envelope(line, 0, cwd, "data")

    def read_error(self, line, code: int, cwd=None):
        """Runs `agents … --format json`, which must fail with this code, and returns its error."""
        error = self._envelope(line, code, cwd, "error").error
        assert set(error) == {"code", "message", "detail", "suggestions"}, error
        return error

    def talk_to_agents(self, line, *dialogue, code: int = 0):
        """Runs `agents` on a terminal: waits for a text, types an answer, and so on.

        Returns all that was shown.
        """
        room = self._room
        program, *words = self._words(line)
        terminal = pexpect.spawn(
            program,
            words,
            cwd=str(room.project),
            env=room.environment(),
            timeout=HANGS,
            dimensions=(50, 200),
        )
        shown = b""
        try:
            for awaited, answer in zip(dialogue[::2], dialogue[1::2], strict=True):
                terminal.expect_exact(awaited)
                shown += terminal.before + terminal.after
                terminal.sendline(answer)
            terminal.expect(pexpect.EOF)
        finally:
            terminal.close()
        said = (shown + terminal.before).decode()
        assert terminal.exitstatus == code, f"ended with {terminal.exitstatus}: {said}"
        return said

    def _envelope(self, line, code, cwd, content):
        done = self.run_agents(f"{line} --format json", code, cwd)
        envelope = DotDict(_attributes(json.loads(done.out)))
        keys = {"command", "status", "exit_code", content, "timing", "messages"}
        assert set(envelope) == keys, f"the envelope has {sorted(envelope)}"
        assert envelope.exit_code == code, f"the envelope says {envelope.exit_code}, not {code}"
        assert (envelope.status == "error") == (content == "error"), envelope.status
        assert set(envelope.timing) == {"started", "duration_ms"}, envelope.timing
        return envelope

    def _words(self, line):
        words = [str(self._room.action) if w == "ACTION" else w for w in shlex.split(line)]
        return [_agents(), *words]

    def _inside(self, directory, command):
        """Lets a command see the mounts of the room, if it has any."""
        if self._room.disk is None:
            return command
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        enter = ["nsenter", "--target", str(self._room.disk.pid), "--mount", *user]
        return [*enter, "/bin/sh", "-c", 'cd "$0" && exec "$@"', str(directory), *command]

    # --- processes -----------------------------------------------------------------------------

    def start_agents(self, line):
        """Starts `agents` and leaves it running; returns its process."""
        process = subprocess.Popen(
            self._words(line),
            cwd=self._room.project,
            env=self._room.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._room.started.append(process)
        return process

    def wait_for_process_with(self, argument, started):
        """Waits until a process has this argument; whoever was to start it must not end before."""
        deadline = time.monotonic() + HANGS
        while not _processes_with(argument):
            assert time.monotonic() < deadline, f"no process with {argument} has appeared"
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(0.05)
                said = started.communicate()
                raise AssertionError(f"it ended with {started.returncode} too early: {said}")

    def send_signal(self, name, started):
        """Sends a signal to a process we started and waits for its end; returns what it left."""
        started.send_signal(getattr(signal, name))
        # Its pipes may live on in processes of the step, so nothing is read after a kill.
        out, err = ("", "") if name == "SIGKILL" else started.communicate(timeout=HANGS)
        return Done(started.wait(HANGS), out, err)

    def no_process_should_have(self, argument):
        """Fails if a process with this argument is alive."""
        alive = _processes_with(argument)
        assert not alive, f"processes {alive} with {argument} are alive"

    def some_process_should_have(self, argument):
        """Fails if no process with this argument is alive."""
        assert _processes_with(argument), f"no process with {argument} is alive"

    def end_processes_with(self, argument):
        """Ends what a failed test left behind."""
        for pid in _processes_with(argument):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def unique_seconds(self):
        """Returns a long time to sleep for that no other process sleeps for."""
        return f"86400.{time.time_ns()}{os.getpid()}"

    # --- trees ---------------------------------------------------------------------------------

    def tree_of(self, directory, times: bool = False):
        """Tells kind, mode and content of everything below a directory, by its path.

        The `.git` at the top is left out: that of a sandbox is not that of the project. With
        times, nothing is left out and whatever the file system knows of changes is told as well.
        """
        root = self._room.seen(directory)
        assert root.is_dir(), f"{root} is no directory"
        tree = {}
        for folder, _, _ in os.walk(os.fsencode(root)):
            for entry in os.scandir(folder):
                path = os.path.relpath(entry.path, os.fsencode(root))
                if times or path.partition(b"/")[0] != b".git":
                    tree[repr(path)[2:-1]] = _described(entry, times)
        return tree

    def trees_should_be_equal(self, found, expected):
        """Fails with every path at which two trees differ."""
        different = [
            f"{path}: {found.get(path, 'missing')}, expected {expected.get(path, 'nothing')}"
            for path in sorted(found.keys() | expected.keys())
            if found.get(path) != expected.get(path)
        ]
        assert not different, "the trees differ:\n" + "\n".join(different)

    def expected_trees(self, *commands):
        """Runs commands on a copy of the project; returns the tree before and after each.

        It shares nothing with the product, so it tells what a sandbox must look like.
        """
        copy = self._room.path / "expected"
        shutil.copytree(self._room.project, copy, symlinks=True)
        trees = [self.tree_of(copy)]
        for command in commands:
            self.shell(command, copy)
            trees.append(self.tree_of(copy))
        shutil.rmtree(copy)
        return trees

    # --- what can go wrong ---------------------------------------------------------------------

    def hide_git(self):
        """Leaves the commands of this room a PATH without git."""
        folder = self._room.path / "bin"
        folder.mkdir()
        for name in WITHOUT_GIT:
            (folder / name).symlink_to(shutil.which(name))
        self._room.variables["PATH"] = str(folder)

    def mount_data_directory(self, options):
        """Puts the data directory on a file system of its own, which only this room sees.

        The mount ends with the process that holds it, so no test can leave one behind.
        """
        room = self._room
        room.data.mkdir(exist_ok=True)
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        script = 'mount -t tmpfs -o "$0" none "$1" && echo ready && exec cat'
        holder = subprocess.Popen(
            ["unshare", "--mount", *user, "/bin/sh", "-c", script, options, str(room.data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if holder.stdout.readline() != "ready\n":
            reason = holder.communicate()[1].strip()
            raise SkipExecution(f"no file system can be mounted here: {reason}")
        room.disk = holder

    def fill_disk(self):
        """Fills the file system of the data directory to the last byte."""
        ballast = self._room.seen(self._room.data / "ballast")
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            for size in (1 << 16, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)):
                        pass

    def free_disk(self):
        """Takes the ballast off the file system again."""
        self._room.seen(self._room.data / "ballast").unlink()

    def empty_file(self, path):
        """Cuts a file of the room to nothing."""
        os.truncate(self._room.seen(path), 0)

    def table_of_checkpoints(self):
        """Reads the rows of the latest plan from the table `checkpoints` of the database itself."""
        with contextlib.closing(sqlite3.connect(self._room.data / "cleveragents.db")) as connection:
            connection.row_factory = sqlite3.Row
            latest = "SELECT max(plan_id) FROM checkpoints"
            query = f"SELECT * FROM checkpoints WHERE plan_id = ({latest}) ORDER BY seq"
            rows = [DotDict(dict(row)) for row in connection.execute(query)]
        for row in rows:
            row.metadata_json = DotDict(json.loads(row.metadata_json))
        return rows

    def damage_content_of(self, checkpoint):
        """Flips a byte in the middle of what a checkpoint has stored."""
        size = checkpoint["size_bytes"]
        packs = [p for p in self._room.data.rglob("*.pack") if p.stat().st_size == size]
        assert len(packs) == 1, f"{len(packs)} files of {size} bytes"
        content = bytearray(packs[0].read_bytes())
        content[size // 2] ^= 0xFF
        packs[0].write_bytes(content)

    # --- a fresh machine -----------------------------------------------------------------------

    def clone_checkout(self, inside):
        """Clones the repository that holds a path; what is not committed is not in the clone."""
        top = run(["git", "-C", inside, "rev-parse", "--show-toplevel"], inside, None)
        assert top.rc == 0, f"{inside} is in no git checkout: {top.said}"
        clone = self._room.path / "clone"
        done = run(["git", "clone", "--quiet", top.out.strip(), str(clone)], inside, None)
        assert done.rc == 0, f"the checkout cannot be cloned: {done.said}"
        return str(clone)

    def run_on_a_fresh_machine(self, line, clone):
        """Runs a command of the clone with an empty HOME and next to no environment."""
        temporary = self._room.path / "tmp"
        temporary.mkdir(exist_ok=True)
        own = {"HOME": str(self._room.path / "home"), "TMPDIR": str(temporary)}
        done = run(shlex.split(line), clone, {**_fresh_environment(), **own})
        logger.info(f"{line}\nexit code {done.rc}\n{done.out}\n{done.err}")
        assert "Traceback" not in done.said, done.said
        assert done.rc == 0, f"{line} ended with {done.rc}: {done.said}"
        return done


@functools.cache
def _agents():
    program = shutil.which("agents")
    assert program, "agents is not installed: it is not on the PATH"
    return program


def _attributes(value):
    """Makes JSON data readable as ${data.name}."""
    if isinstance(value, dict):
        return DotDict((key, _attributes(inner)) for key, inner in value.items())
    return [_attributes(inner) for inner in value] if isinstance(value, list) else value


def _described(entry, times):
    found = entry.stat(follow_symlinks=False)
    text = stat.filemode(found.st_mode)
    if stat.S_ISREG(found.st_mode):
        text += " " + hashlib.sha256(Path(os.fsdecode(entry.path)).read_bytes()).hexdigest()
    elif stat.S_ISLNK(found.st_mode):
        text += f" -> {os.readlink(entry.path)!r}"
    if times:
        text += f" inode {found.st_ino} changed {found.st_mtime_ns} {found.st_ctime_ns}"
    return text


def _processes_with(argument):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if argument.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def _fresh_environment():
    """Takes from our environment what a newcomer has as well; our own tools are not on the PATH."""
    checkout = Path(__file__).resolve().parent.parent.parent
    folders = os.environ["PATH"].split(os.pathsep)
    path = [folder for folder in folders if not Path(folder).is_relative_to(checkout)]
    return {
        **{k: v for k, v in os.environ.items() if k.upper().startswith(FRESH_PREFIXES)},
        **{name: os.environ[name] for name in FRESH if name in os.environ},
        "PATH": os.pathsep.join(path),
    }
