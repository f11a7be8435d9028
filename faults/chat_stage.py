"""The stage of chats: a directory in which an agent and a user have worked, and what is typed."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracle import differences, picture

from cleveragents.app import App
from cleveragents.chats.event import EventKind, HookEvent
from cleveragents.cli.main import run
from cleveragents.hooks import plain_json, spool
from faults.room import Program, Room
from faults.story import Picture

LINES = [f"line {number}" for number in range(1, 30)]
ACTS = ("undo", "redo")


class ChatProgram:
    """`agents undo` and `redo`, and events of an agent as command lines of their own."""

    def run(self, arguments: Sequence[str]) -> int:
        """Does one of them; returns 0 if it says that it is done."""
        _, data, word, *rest = arguments
        if word == "record":
            with App(Path.cwd(), data_dir=Path(data)) as app:
                return int(app.chats.record(_event(*rest)).is_late)
        if word == "spool":
            told = {"root": os.getcwd(), "event": dict(_event(*rest).to_record())}
            spool.put(data, time.time_ns(), plain_json.written(told).encode())
            return 0
        return run([*arguments, *(["--yes"] if word in ACTS else [])])

    def extract(self, project: Path, data: Path, plan: str, wanted: Mapping[int, Path]) -> None:
        """Writes checkpoints beside."""
        raise NotImplementedError


def _event(kind: str, key: str, call: str = "") -> HookEvent:
    return HookEvent(
        client="claude",
        session="chat",
        kind=EventKind(kind),
        cwd=os.getcwd(),
        turn=key if kind == "prompt" else "",
        call=call,
        tool="Bash" if call else "",
        may_write=bool(call),
        digest=key,
    )


@dataclass(frozen=True)
class ChatOperation:
    """One command line, the state it starts from, and the trees that it leads from and to."""

    name: str
    line: str
    before: str
    after: str
    prompts: int = 1  # there are once it is done, and again once the line is typed again


FIRST_PROMPT, NEXT_PROMPT = "record prompt p1", "record prompt p2"
UNDO = ChatOperation("undo chat", "undo", "worked", "undone")
REDO = ChatOperation("redo chat", "redo", "undone", "worked")
EVENTS = (
    ChatOperation("record", NEXT_PROMPT, "worked", "worked", prompts=2),
    ChatOperation("first look", FIRST_PROMPT, "new", "new"),
    ChatOperation("spool", "spool prompt p2", "worked", "worked", prompts=2),
    ChatOperation("take in", "timeline", "spooled", "worked", prompts=2),
)
OPERATIONS = (UNDO, REDO, *EVENTS)


class ChatStage:
    """A directory in which an agent and a user have worked, undone or not."""

    def __init__(self, home: Path, room: Callable[[Path, Program], Room] = Room) -> None:
        self.room = room(home, ChatProgram())
        self.room.clear()
        self.trees: dict[str, Picture] = {}
        _lay_out(self.room.project)
        self.keep("new")
        self.work()
        _work_as_user(self.room.project)
        self.keep("worked")
        self.room.must("undo")
        self.keep("undone")
        self.room.put_back("worked")
        self.room.must("spool prompt p2")
        self.keep("spooled")
        del self.trees["spooled"]  # the same as when it was worked on

    def work(self) -> None:
        """Lets an agent work through one turn."""
        for line in (FIRST_PROMPT, "record before b1 c1"):
            self.room.must(line)
        _work_as_agent(self.room.project)
        for line in ("record after a1 c1", "record turn-end e1"):
            self.room.must(line)

    def keep(self, name: str) -> None:
        """Remembers all as it is."""
        self.trees[name] = tree(self.room.project)
        self.room.keep(name)

    def name(self, seen: Picture) -> str:
        """The name of a tree, or how it differs from each that there may be."""
        told = [f"{name}: {differences(known, seen)[:4]}" for name, known in self.trees.items()]
        return next((name for name, known in self.trees.items() if known == seen), "; ".join(told))


def tree(project: Path) -> Picture:
    """A directory without times, which an undo sets anew."""
    return {path: replace(one, mtime=None) for path, one in picture(project).items()}


def _lay_out(project: Path) -> None:
    (project / "text").write_text("\n".join(LINES) + "\n")
    for name in ("overwritten", "doomed", "mode", "users"):
        (project / name).write_text(f"{name}\n")
    (project / "link").symlink_to("text")
    (project / "dir").mkdir()
    (project / "dir" / "inside").write_text("inside\n")


def _work_as_agent(project: Path) -> None:
    _edit(project / "text", 2, "by the agent")
    (project / "overwritten").write_text("by the agent\n")
    (project / "doomed").unlink()
    (project / "mode").chmod(0o600)
    (project / "link").unlink()
    (project / "link").symlink_to("mode")
    (project / "dir" / "inside").unlink()
    (project / "dir").rmdir()
    (project / "made" / "deep").mkdir(parents=True)
    (project / "made" / "deep" / "file").write_text("made\n")


def _work_as_user(project: Path) -> None:
    _edit(project / "text", 25, "by the user")
    (project / "users").write_text("by the user\n")
    (project / "made" / "mine").write_text("mine\n")


def _edit(path: Path, line: int, text: str) -> None:
    lines = path.read_text().splitlines()
    lines[line] = text
    path.write_text("\n".join(lines) + "\n")
