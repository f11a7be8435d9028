"""Keepers and hooks for scenarios: in this process, so that they are measured, and beside it."""

import contextlib
import json
import os
import posix
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from world import wait_until

from cleveragents.clients.launcher import Launcher
from cleveragents.hooks import client
from cleveragents.hooks.identity import Identity
from cleveragents.hooks.intake import Intake, NotNow, Told
from cleveragents.hooks.keeper import Keeper
from cleveragents.storage import address

PACKAGE = str(Path(client.__file__).parents[1])
SPEAKS = client.speaking(PACKAGE)
WRITTEN = 'sh -c \'[ -x "$1" ] && "$1" "$2" 2>/dev/null; exit 0\' sh "$HOOK" "$EVENT"'


class Noting:
    """A recorder of the tests' own: a line in a file for each event; what it is told to, it does.

    The text of a prompt says what is to happen; files in the directory of the world say when.
    """

    def __init__(self, home):
        self.home = home
        self.file = home / "recorded"
        self.first_look = 0.0
        self.untils = []  # when who told each event goes on
        self.failures = []

    def patience(self, _):
        return self.first_look

    def tidy(self, _):
        (self.home / "tidy").touch()
        raise RuntimeError("nothing can be tidied up")

    def record(self, told, *, until, is_late):
        assert is_late or until is not None
        self.untils.append(until)
        text = told.event.get("text", "")
        if "not now" in text and not (self.home / "now").exists():
            raise NotNow
        if "fail" in text:
            raise RuntimeError("as it was told to")
        if "take all" in text:
            for path in (self.home / "data" / "spool").glob("*.event"):
                path.unlink()
        if "hold" in text:
            (self.home / "holding").touch()
            go_on = self.home / "go on"
            wait_until(lambda: go_on.exists() or not self.home.exists(), "being let go on")
        with self.file.open("a") as file:
            file.write(f"{told.event['kind']} {text}{' (late)' if is_late else ''}\n")
        return f"heard {text}" if "answer" in text else ""

    @property
    def lines(self):
        return self.file.read_text().splitlines() if self.file.exists() else []


def told_to(directory):
    """A prompt in a directory."""
    event = {"client": "claude", "session": "one", "kind": "prompt", "cwd": str(directory)}
    return Told(str(directory), {**event, "text": "do it", "digest": "d"})


class Beside:
    """A keeper in a thread of this process."""

    def __init__(
        self, data, recorder, speaks=SPEAKS, idle=600.0, quiet=600.0, *, is_told_of_files=True
    ):
        self.identity = Identity(data, speaks, posix.environ)
        self.has_taken = self.identity.take()
        if not is_told_of_files and self.identity.watch >= 0:
            os.close(self.identity.watch)
            self.identity.watch = -1
        self.data, self.speaks = data, speaks
        intake = Intake(str(data), recorder, recorder.failures.append)
        self.keeper = Keeper(self.identity, recorder, intake, speaks, lambda: ["/one"], quiet)
        self.thread = threading.Thread(target=self.keeper.serve, args=(idle,))
        if self.has_taken:
            self.thread.start()

    def asked(self, verb, speaks=None):
        """What it says to a word."""
        line = address.connect(client.keeper_socket(str(self.data)), 10.0)
        line.sendall(f"{speaks or self.speaks} {verb}\n".encode())
        said = b""
        while piece := line.recv(1 << 16):
            said += piece
        line.close()
        return said.decode()

    def end(self):
        """Ends it, unless it has by itself, as where its files are gone."""
        line = address.connect(self.identity.path, 10.0)
        if line is not None:
            with contextlib.suppress(OSError):
                line.sendall(f"{self.speaks} stop\n".encode())
            line.close()
        self.has_ended()

    def has_ended(self):
        """Waits until it has; says nothing to it, for another may listen at its socket by now."""
        self.thread.join(20)
        assert not self.thread.is_alive()


class Protected:
    """A data directory with a hook, and a protected project."""

    def __init__(self, world, budget=2.0, denials=None):
        self.world = world
        self.data = world.data_dir
        self.data.mkdir(mode=0o700, exist_ok=True)
        self.budget, self.denials = budget, denials or {}
        self.texts = True
        self.sockets = world.home / "run"
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        self.environment = {b"XDG_RUNTIME_DIR": os.fsencode(self.sockets), b"TMPDIR": b""}
        self.calls = 0

    def protect(self, *directories):
        lines = []
        for directory in directories:
            found = directory.stat()
            about = {"path": str(directory), "device": found.st_dev, "inode": found.st_ino}
            lines.append(json.dumps(about) + "\n")
        (self.data / "protected").write_text("".join(lines))

    @property
    def settings(self):
        return client.Settings(
            data=str(self.data),
            python=sys.executable,
            package=PACKAGE,
            budget=self.budget,
            denials=self.denials,
            texts=self.texts,
        )

    @contextlib.contextmanager
    def in_place(self):
        """The environment of a hook, for calls in this process."""
        before = dict(posix.environ)
        posix.environ.update(self.environment)
        try:
            yield
        finally:
            posix.environ.clear()
            posix.environ.update(before)

    def payload(self, text="", cwd=None, tool="Bash"):
        self.calls += 1
        return {
            "session_id": "one",
            "cwd": str(cwd or self.world.project),
            "prompt_id": f"p{self.calls}",
            "prompt": text,
            "tool_name": tool,
            "tool_input": {"command": text},
            "tool_use_id": f"toolu_{self.calls}",
        }

    def hear(self, named, told):
        """Calls a hook in this process; returns what it prints."""
        raw = told if isinstance(told, bytes) else json.dumps(told).encode()
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
            stdin.write(raw)
            stdin.seek(0)
            with streams(stdin.fileno(), stdout.fileno()), self.in_place():
                client.main(self.settings, named)
            stdout.seek(0)
            return stdout.read().decode()

    def install(self):
        Launcher(self.data, self.budget, self.denials).install()

    def fire(self, named, told, handed=(), **more):
        """Calls a hook as an agent does, in processes of their own; returns what became of it.

        It may be handed descriptors, as a shell does that holds a lock, and variables.
        """
        variables = {
            os.fsdecode(key): os.fsdecode(value) for key, value in self.environment.items()
        }
        return subprocess.run(
            ["/bin/sh", "-c", WRITTEN],
            input=json.dumps(told).encode(),
            capture_output=True,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.world.home),
                "XDG_CONFIG_HOME": self.world.environment["XDG_CONFIG_HOME"],
                **{name: value for name, value in variables.items() if value},
                "HOOK": str(self.data / "hook"),
                "EVENT": named,
                **more,
            },
            check=False,
            timeout=60,
            pass_fds=handed,
        )


@contextlib.contextmanager
def streams(stdin, stdout):
    """Standard input and output of this process are others for a while."""
    before = [os.dup(0), os.dup(1)]
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    try:
        yield
    finally:
        for number, kept in enumerate(before):
            os.dup2(kept, number)
            os.close(kept)
