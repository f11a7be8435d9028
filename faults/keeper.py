"""Kills keepers and hooks at random moments; whatever was acknowledged is recorded, and once.

python -m faults.keeper [--kills 300] [--seed 1]

A hook that ended by itself has acknowledged its event, whether the keeper has taken it or the
spool. Between the kills keepers are stopped and continued, lose their socket or their lock, meet
garbage in the spool, and are started twice at once. The same seed tells the same story; when the
machine does what is its own.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

from cleveragents.clients.launcher import PACKAGE, Launcher
from cleveragents.hooks import asking, spool
from cleveragents.hooks.client import BOOT, is_owned, keeper_socket
from cleveragents.storage.address import LOCK

BUDGET = 2.0
MOST_SECONDS = 0.4  # after which a hook is left to end by itself
BESIDE = 3  # hooks at once, at most
PATIENCE = 60.0


class Story:
    """One data directory, one protected project, and agents that tell of calls."""

    def __init__(self, home: Path, chance: random.Random) -> None:
        self.home, self.chance = home, chance
        self.data, self.project = home / "data", home / "project"
        self.sockets = home / "run"
        for directory in (self.data, self.project, self.sockets):
            directory.mkdir(mode=0o700)
        found = self.project.stat()
        about = {"path": str(self.project), "device": found.st_dev, "inode": found.st_ino}
        (self.data / "protected").write_text(json.dumps(about) + "\n")
        Launcher(self.data, BUDGET, {}).install()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(self.sockets),
        }
        self.acknowledged: list[str] = []  # keys of moments
        self.done: Counter[str] = Counter()
        self.calls = 0

    def tell(self, event: str, call: str) -> "subprocess.Popen[bytes]":
        """Starts a hook."""
        told = {
            "session_id": "one",
            "cwd": str(self.project),
            "prompt_id": "p1",
            "tool_name": "Bash",
            "tool_input": {"command": f"echo {call}"},
            "tool_use_id": call,
        }
        payload = self.home / f"{event}-{call}"  # a file of its own: it may be read late
        payload.write_text(json.dumps(told))
        with payload.open("rb") as stdin:
            return subprocess.Popen(
                [self.data / "hook", f"claude:{event}"],
                env=self.environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )

    def round(self, kill: str) -> None:
        """Some hooks at once, and one thing that happens to them at a random moment."""
        running: list[tuple[str, subprocess.Popen[bytes]]] = []
        for _ in range(self.chance.randint(1, BESIDE)):
            self.calls += 1
            kind = self.chance.choice(("before", "after"))
            event = "PreToolUse" if kind == "before" else "PostToolUse"
            call = f"t{self.calls}"
            running.append((f"{kind}::{call}", self.tell(event, call)))
        time.sleep(self.chance.random() * MOST_SECONDS)
        DEEDS[kill](self, [hook for _, hook in running])
        self.done[kill] += 1
        for key, hook in running:
            said = hook.communicate(timeout=PATIENCE)[0]
            if hook.returncode == 0:
                self.acknowledged.append(key)
            assert said == b"", said

    @property
    def keeper(self) -> int | None:
        """The process that is the keeper."""
        try:
            told = json.loads((self.data / LOCK).read_text())
        except (OSError, ValueError):
            return None
        return int(told["pid"]) if is_owned(str(self.data)) else None

    def end(self) -> None:
        """Lets one more event take in all that was spooled."""
        until = time.monotonic() + PATIENCE
        while True:
            self.calls += 1
            self.tell("PreToolUse", f"t{self.calls}").communicate(timeout=PATIENCE)
            if not spool.waiting(str(self.data)) or time.monotonic() > until:
                return

    def judge(self) -> list[str]:
        """What is wrong; nothing if all is well."""
        with closing(sqlite3.connect(self.data / "cleveragents.db")) as database:
            rows = Counter(key for (key,) in database.execute('SELECT "key" FROM moments'))
            late = database.execute("SELECT count(*) FROM moments WHERE is_late").fetchone()[0]
        lost = [key for key in self.acknowledged if rows[key] == 0]
        twice = [key for key, count in rows.items() if count > 1]
        left = spool.waiting(str(self.data))
        print(
            f"{sum(self.done.values())} rounds {dict(self.done)}: {len(self.acknowledged)} events"
            f" acknowledged, {sum(rows.values())} recorded, {late} of them late"
        )
        failure = self.data / "hook.failed"
        return [
            *(f"lost: {key}" for key in lost),
            *(f"recorded twice: {key}" for key in twice),
            *(f"left in the spool: {path}" for path in left),
            *([f"a hook failed: {failure.read_text()}"] if failure.exists() else []),
        ]


Hooks = list[subprocess.Popen[bytes]]


def _kill_keeper(story: Story, _: Hooks) -> None:
    if (pid := story.keeper) is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _kill_hook(_: Story, hooks: Hooks) -> None:
    hooks[0].kill()


def _kill_both(story: Story, hooks: Hooks) -> None:
    _kill_keeper(story, hooks)
    _kill_hook(story, hooks)


def _stop_keeper(story: Story, _: Hooks) -> None:
    """Lets it hang until the hooks have given up, now and then; else shorter."""
    pid = story.keeper
    if pid is None:
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(BUDGET if story.chance.random() < 0.2 else story.chance.random())
        os.kill(pid, signal.SIGCONT)


def _ask_to_end(story: Story, _: Hooks) -> None:
    asking.stop(story.data)


def _take_socket(story: Story, _: Hooks) -> None:
    with suppress(FileNotFoundError):
        os.unlink(keeper_socket(str(story.data)) or "/nowhere")


def _take_lock(story: Story, _: Hooks) -> None:
    (story.data / LOCK).unlink(missing_ok=True)


def _litter(story: Story, _: Hooks) -> None:
    room = story.data / spool.ROOM
    room.mkdir(exist_ok=True, mode=0o700)
    (room / f"{story.calls:020d}-0{spool.ENDING}").write_bytes(story.chance.randbytes(50))


def _start_two(story: Story, _: Hooks) -> None:
    words = [sys.executable, "-I", "-c", BOOT, str(PACKAGE), "resident", str(story.data)]
    for _number in range(2):
        subprocess.Popen(
            words,
            env=story.environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


DEEDS = {
    "kill keeper": _kill_keeper,
    "kill hook": _kill_hook,
    "kill both": _kill_both,
    "stop and continue": _stop_keeper,
    "ask to end": _ask_to_end,
    "take its socket": _take_socket,
    "take its lock": _take_lock,
    "litter the spool": _litter,
    "start two": _start_two,
}
KILLS = ("kill keeper", "kill hook", "kill both")


def main() -> int:
    """Tells what was lost; nothing may be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="keeper it's ä ") as home:
        story = Story(Path(home), chance)
        try:
            while sum(story.done[kill] for kill in KILLS) < given.kills:
                others = [deed for deed in DEEDS if deed not in KILLS]
                story.round(chance.choice(KILLS if chance.random() < 0.8 else others))
            story.end()
            problems = story.judge()
        finally:
            asking.stop(story.data)
    for problem in problems:
        print(problem)
    print("nothing that was acknowledged is lost" if not problems else "NOT as promised")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
