"""What hooks, the keeper and an undo in a live directory cost: bar, value, whether it is met.

python -m benchmarks.hooks [--files 1000 10000 100000] [--events 200] [--idle 60] [--turns 5]

Hooks are called as coding agents call them, the `sh -c` counted, in turn with a bare interpreter.
CPU is the least of several rounds, time that passes the median: what else the machine does hits
both. What the keeper takes is told by the kernel, over all events. At last a real agent makes turns
of five calls, with hooks and without; none, where it cannot be installed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clients_lab.installs import NotInstalled

from benchmarks.client_turn import CLIENT, added_per_event
from benchmarks.ratios import Bar
from benchmarks.trials.costs import (
    GIT,
    ROUNDS,
    Cost,
    agents,
    changed,
    command,
    cost,
    cpu,
    least,
    project,
)
from cleveragents.app import App
from cleveragents.clients.command import command_for
from cleveragents.hooks import asking, spool
from cleveragents.hooks.keeper import QUIET
from cleveragents.snapshots.tree.scan import RACY_NS

PYTHON = os.path.realpath(sys.executable)
BARE = [PYTHON, "-I", "-S", "-c", "pass"]
FEW, MANY = 1000, 100_000
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
PRIVATE = "cp .git/index ../index; GIT_INDEX_FILE=../index sh -c 'git add -A && git write-tree'"
STASH = "git add -A && git stash -q && git stash drop -q"


class Chat:
    """A protected directory of so many files, and an agent that works in it."""

    def __init__(self, home: Path, files: int) -> None:
        self.files = files
        self.project = project(home / "project", files)
        self.data = home / "data"
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(home), "HOME": str(home)}
        self.payload = home / "payload"
        self._calls = 0
        time.sleep(RACY_NS / 1e9)  # a project is hardly ever as young as what one look distrusts
        with App(self.project, data_dir=self.data) as app:
            app.chats.launcher.install()
            app.chats.protection.add(app.project)
        self.tell("UserPromptSubmit")
        self.settle()

    def tell(self, event: str) -> None:
        """Calls the hook of an event, as an agent does."""
        self.prepare(event)
        self.call(event)

    def prepare(self, event: str) -> None:
        self._calls += event != "PostToolUse"
        told = {
            "session_id": "bench",
            "cwd": str(self.project),
            "prompt_id": f"p{self._calls}",
            "prompt": "do it",
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "tool_use_id": f"t{self._calls}",
        }
        self.payload.write_text(json.dumps(told))

    def call(self, event: str) -> None:
        line = command_for(self.data, "claude", event)
        with self.payload.open("rb") as stdin:
            subprocess.run(
                ["sh", "-c", line],
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                env=self.environment,
                check=True,
            )

    def settle(self) -> None:
        """Waits until all is recorded: the first look may take longer than a hook waits."""
        while (told := asking.status(self.data)) is None or told["waiting"]:
            time.sleep(0.05)
            if told is None:  # it could not start, or has died of something
                self.tell("Stop")
        while spool.waiting(str(self.data)):
            self.tell("Stop")

    def turn(self) -> None:
        """A prompt, and a call that changes ten files."""
        self.tell("UserPromptSubmit")
        self.tell("PreToolUse")
        changed(self.project, self.files, 10, "of a turn")
        self.tell("PostToolUse")
        self.tell("Stop")

    @property
    def keeper(self) -> int:
        told = asking.status(self.data)
        assert told is not None
        return int(told["pid"])

    def used(self) -> float:
        """Milliseconds of CPU that the keeper has taken so far."""
        fields = Path(f"/proc/{self.keeper}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_MS

    def memory(self) -> float:
        """The most memory that the keeper ever had, in MB."""
        lines = Path(f"/proc/{self.keeper}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[FEW, 10_000, MANY])
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument(
        "--idle", type=float, default=60.0, help="seconds to look at a quiet keeper"
    )
    parser.add_argument("--turns", type=int, default=5, help="of a real agent; 0: none")
    options = parser.parse_args()
    print(f"{'':<66}{'bar':>8}{'value':>12}")
    for files in options.files:
        with tempfile.TemporaryDirectory(prefix="hooks-") as home:
            chat = Chat(Path(home), files)
            try:
                of_hooks(chat, options.events)
                of_keeper(chat, options.events, options.idle)
                of_undo(chat)
            finally:
                asking.stop(chat.data)
    if options.turns:
        of_client(options.turns)


def show(chat: Chat, name: str, value: float, bar: Bar | None) -> None:
    tell(f"{chat.files:>7,}", name, value, bar)


def tell(of: str, name: str, value: float, bar: Bar | None) -> None:
    verdict = "" if bar is None else "met" if bar.is_met(value) else "MISSED"
    told, unit = ("", "") if bar is None else (bar.told(), bar.unit)
    print(f"{of}: {name:<57}{told:>8}{value:>9.2f}{unit:<3} {verdict}", flush=True)


def of_hooks(chat: Chat, events: int) -> None:
    """The client, by what it takes and by how long an agent waits for it."""
    bare = command(BARE, chat.project)
    hooks: list[Cost] = []
    beside: list[Cost] = []
    for number in range(events):
        event = ("PreToolUse", "PostToolUse")[number % 2]
        chat.prepare(event)
        hooks.append(cost(lambda event=event: chat.call(event)))
        beside.append(cost(bare))
    for name, pick, bar in (
        ("CPU of a hook / bare Python", least_cpu, Bar(1.5)),
        ("time of a hook, median / bare Python", median_wall, Bar(3)),
    ):
        show(chat, name, pick(hooks) / pick(beside), bar)


def least_cpu(costs: list[Cost]) -> float:
    """A tenth of them may have been luckier still."""
    return statistics.quantiles([one.cpu for one in costs], n=10)[0]


def median_wall(costs: list[Cost]) -> float:
    return statistics.median(one.wall for one in costs)


def of_keeper(chat: Chat, events: int, idle: float) -> None:
    """The keeper at work, each second event after a change, and at rest."""
    before = chat.used()
    for number in range(events // 2):
        chat.tell("PreToolUse")
        (chat.project / "changing").write_text(f"{number}\n")
        chat.tell("PostToolUse")
    show(chat, "CPU of the keeper per event", (chat.used() - before) / events, Bar(5, unit=" ms"))
    git = least(ROUNDS, command(["sh", "-c", PRIVATE], chat.project))[0] * 1000
    show(chat, "beside: git add -A && git write-tree, private index, ms", git, None)
    time.sleep(QUIET + 2)  # then it frees space, once
    before = chat.used()
    time.sleep(idle)
    show(
        chat,
        f"CPU of the keeper in {idle:g} quiet seconds",
        chat.used() - before,
        Bar(0, unit=" ms"),
    )
    show(chat, "memory of the keeper", chat.memory(), Bar(150, unit=" MB"))


def of_undo(chat: Chat) -> None:
    """An undo of ten files, as a user types it."""
    undo = agents(chat.data, chat.project, "undo", "--yes")
    stash = command(["sh", "-c", STASH], chat.project, GIT_CONFIG_GLOBAL=os.devnull)
    undos: list[float] = []
    stashes: list[float] = []
    bare: list[float] = []
    subprocess.run([*GIT, "add", "-A"], cwd=chat.project, check=True)
    subprocess.run([*GIT, "commit", "-qm", "all"], cwd=chat.project, check=True)
    for _ in range(ROUNDS):
        chat.turn()
        undos.append(cpu(undo))
        bare.append(cpu(command(BARE, chat.project)))
        changed(chat.project, chat.files, 10, "to be stashed")
        stashes.append(cpu(stash))
    few = Bar(12) if chat.files <= FEW else None
    many = Bar(0.5) if chat.files >= MANY else None
    show(chat, "agents undo --yes of ten files / bare Python", min(undos) / min(bare), few)
    show(chat, "agents undo --yes of ten files / git stash", min(undos) / min(stashes), many)


def of_client(turns: int) -> None:
    """A turn of five calls of a real agent."""
    try:
        added = added_per_event(turns)
    except NotInstalled as why:
        print(f"{CLIENT:>7}: skipped: {why}")
    else:
        tell(f"{CLIENT:>7}", "CPU that hooks add to a turn, per event", added, Bar(25, unit=" ms"))


if __name__ == "__main__":
    main()
