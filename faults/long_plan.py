"""A plan of fifty steps whose whole process group is killed thirty times, resumed until done."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oracle import differences, picture

from faults import story
from faults.facts import read
from faults.product import Product
from faults.room import Room, import_everything

STEPS = 50
KILLS = 30
EFFECT_EVERY = 7  # every so many steps one has an effect outside the sandbox
LOOK_SECONDS = 0.01
WAIT_SECONDS = 60
REFUSED = 4


@dataclass(frozen=True)
class Lived:
    """What the plan went through, and what is wrong with what came out."""

    kills: int
    refusals: int  # to repeat an effect that had perhaps happened
    problems: tuple[str, ...]


def run(seed: int) -> Lived:
    """Kills and resumes the plan, and compares it with one that nobody disturbed."""
    import_everything()
    with tempfile.TemporaryDirectory(prefix="long plan ") as home:
        calm, killed = (_Life(Path(home) / name, seed) for name in ("calm", "killed"))
        calm.finish()
        for number in range(KILLS):
            killed.run_and_die(number * STEPS // KILLS)
        killed.finish()
        return Lived(killed.kills, len(killed.ordered), (*_problems(calm, killed),))


class _Life:
    """One plan from its first start to its end."""

    def __init__(self, home: Path, seed: int) -> None:
        self.room = Room(home, Product())
        self.effects = home / "effects"
        self.effects.touch()
        self._chance = random.Random(seed)
        self.kills = 0
        self.ordered: list[str] = []  # effects that were repeated because we said so
        story.shell(story.settled(story.PIECES), self.room.project)
        story.action(self.room).write_text(json.dumps(_action()))
        self.room.must("plan use ../action.yaml")
        self._log = self.room.data / "no sandbox yet"

    def run_and_die(self, steps: int) -> None:
        """Starts the plan as users do and kills it some time after so many steps are done."""
        process = self._started()
        deadline = time.monotonic() + WAIT_SECONDS
        while process.poll() is None and self._done < steps and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
        time.sleep(self._chance.uniform(0, 0.4))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            self.kills += 1
        elif process.returncode == REFUSED:
            self._order_repetition()
        process.wait()

    def finish(self) -> None:
        """Lets the plan come to its end."""
        process = self._started()
        if process.wait() == REFUSED:
            self._order_repetition()
            self._started().wait()

    def _started(self, *options: str) -> "subprocess.Popen[bytes]":
        words = ("--data-dir", str(self.room.data), "plan", "resume", "@", *options)
        with self._said.open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "cleveragents", *words],
                cwd=self.room.project,
                env={**os.environ, "EFFECTS": str(self.effects)},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def _order_repetition(self) -> None:
        """Has the step run again that had perhaps had its effect: it may happen twice, only here.

        Users would look first whether it did.
        """
        named = re.findall(r"step s(\d+) \(", self._said.read_text())[-1]
        self.ordered.append(named)
        process = self._started("--retry-unsafe")
        while process.poll() is None and self._done <= int(named):
            time.sleep(LOOK_SECONDS)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            self.kills += 1
        process.wait()

    @property
    def last_words(self) -> str:
        """What the plan printed last."""
        return self._said.read_text()[-1000:]

    @property
    def _said(self) -> Path:
        return self.room.home / "said"

    @property
    def _done(self) -> int:
        """The last step that has left its line in the sandbox."""
        try:
            if not self._log.exists():
                self._log = self.room.sandbox / "log.txt"
            return int(self._log.read_text().split()[-1])
        except (OSError, IndexError, ValueError):
            return 0


def _action() -> dict[str, object]:
    notify = {
        "name": "notify",
        "command": 'echo "$NUMBER" >> "$EFFECTS"; ' + _work("$NUMBER"),
        "side_effects": ["a line in a file outside"],
        "checkpointable": True,
        "pass_env": ["EFFECTS"],
    }
    steps = [
        {"name": f"s{number}", "tool": "notify", "env": {"NUMBER": str(number)}}
        if number % EFFECT_EVERY == 0
        else {"name": f"s{number}", "tool": "shell", "with": {"command": _work(str(number))}}
        for number in range(1, STEPS + 1)
    ]
    return {"name": "long", "tools": [notify], "steps": steps}


def _work(number: str) -> str:
    """What a step does; done twice, or on files of another step, it would show."""
    change = f"mkdir -p d{number}; echo {number} >> f; mv f d{number}/g; cp d{number}/g f"
    return story.settled(f"{change}; sleep 0.05; echo {number} >> log.txt")


def _problems(calm: _Life, killed: _Life) -> Iterator[str]:
    facts = read(killed.room)
    if facts.plan != read(calm.room).plan:
        yield f"the plan ended as {facts.plan}: {killed.last_words}"
        return
    yield from differences(picture(calm.room.sandbox), picture(killed.room.sandbox))
    happened = Counter(killed.effects.read_text().split())
    for number in calm.effects.read_text().split():
        if happened[number] not in {1, 1 + (number in killed.ordered)}:
            yield f"the effect of step {number} happened {happened[number]} times"
    if facts.unfinished:
        yield f"unfinished: {facts.unfinished}"
    if killed.room.run("plan checkpoint verify @"):
        yield f"a checkpoint cannot be read back: {killed.room.said}"
