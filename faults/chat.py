"""Undo where you chat: faults at every system call of it, and a user who saves between any two.

The user's own directory is no sandbox: others write there, and nothing may be left in it. So what
is asked here is asked of the directory itself: it is as before the act or as after it, and every
save is in it, whenever it came.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from oracle import differences, picture

from cleveragents.app import App
from cleveragents.chats.event import EventKind, HookEvent
from cleveragents.cli.main import run
from faults import damage
from faults.campaign import Extent, Trial
from faults.errors import SAID_BY
from faults.judge import LOST, TORN, UNTRUE, Problem
from faults.room import Room, import_everything
from faults.story import Picture
from faults.tracing import Injection, SystemCall

LINES = [f"line {number}" for number in range(1, 30)]
SAVING = "undo while saving"
DAMAGED = "damaged store"
SAVED = "the user saved this"
WRITES = "/snapshots/write/"  # what changes the user's directory
ACTS = "/engine/chat/"  # what decides about it


class ChatProgram:
    """`agents undo` and `redo`, and events of an agent as command lines of their own."""

    def __init__(
        self, between: "Between | None" = None, ended: Callable[[], object] = lambda: None
    ) -> None:
        self._between = between
        self._ended = ended

    def run(self, arguments: Sequence[str]) -> int:
        """Does one of them; returns 0 if it says that it is done."""
        _, data, word, *rest = arguments
        if word == "record":
            return _record(App(Path.cwd(), data_dir=Path(data)), *rest)
        sys.setprofile(self._between)
        try:
            return run([*arguments, "--yes"])
        finally:
            sys.setprofile(None)
            self._ended()

    def extract(self, project: Path, data: Path, plan: str, wanted: Mapping[int, Path]) -> None:
        """Writes checkpoints beside."""
        raise NotImplementedError


def _record(app: App, kind: str, key: str, call: str = "") -> int:
    event = HookEvent(
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
    return int(app.chats.record(event).is_late)


@dataclass(frozen=True)
class ChatOperation:
    """One command line, the state it starts from, and the trees that it leads from and to."""

    name: str
    line: str
    before: str
    after: str


NEXT_PROMPT = "record prompt p2"
OPERATIONS = (
    ChatOperation("undo chat", "undo", "worked", "undone"),
    ChatOperation("redo chat", "redo", "undone", "worked"),
    ChatOperation("record", NEXT_PROMPT, "worked", "worked"),
)


class ChatStage:
    """A directory in which an agent and a user have worked, undone or not."""

    def __init__(self, home: Path) -> None:
        self.room = Room(home, ChatProgram())
        self.room.clear()
        self.trees: dict[str, Picture] = {}
        _lay_out(self.room.project)
        for line in ("record prompt p1", "record before b1 c1"):
            self.room.must(line)
        _work_as_agent(self.room.project)
        for line in ("record after a1 c1", "record turn-end e1"):
            self.room.must(line)
        _work_as_user(self.room.project)
        self.keep("worked")
        self.room.must("undo")
        self.keep("undone")

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


# --- faults at system calls ---


def run_faults(extent: Extent) -> list[Trial]:
    """Kills each operation wherever it changes something, and makes such calls fail."""
    chosen = [one for one in OPERATIONS if not extent.names or one.name in extent.names]
    if not chosen:
        return []
    import_everything()
    with tempfile.TemporaryDirectory(prefix="chat ") as home:
        stage = ChatStage(Path(home))
        return [tried for one in chosen for tried in _faults(stage, one, extent)]


def _faults(stage: ChatStage, operation: ChatOperation, extent: Extent) -> Iterator[Trial]:
    stage.room.put_back(operation.before)
    calls = stage.room.calls(operation.line)
    yield from _after_its_end(stage, operation)
    for turn, injection in enumerate(_injections(calls, extent)):
        stage.room.put_back(operation.before)
        code = stage.room.trace(operation.line, injection)
        happened = code < 0 or stage.room.was_injected
        problems = tuple(_problems(stage, operation, turn, code))
        fault = f"{operation.name}: {injection}"
        yield Trial(operation.name, fault, happened, problems)
        if problems and extent.first:
            return


def _after_its_end(stage: ChatStage, operation: ChatOperation) -> Iterator[Trial]:
    """No fault at all: what is asked of everything must hold then, or nothing is shown by it."""
    problems = tuple(_problems(stage, operation, 0, 0))
    yield Trial(
        operation.name, f"{operation.name}: no fault at all", happened=True, problems=problems
    )


def _injections(calls: Sequence[SystemCall], extent: Extent) -> list[Injection]:
    changing = [call for call in calls if call.changes]
    kills = [Injection(call, "signal=SIGKILL") for call in extent.of(changing)]
    few = replace(extent, points=max(1, extent.points // len(SAID_BY)))
    return kills + [
        Injection(call, f"error={error}", lasting=bool(turn % 2))
        for error, names in SAID_BY.items()
        for turn, call in enumerate(few.of([one for one in changing if one.name in names]))
    ]


def _problems(
    stage: ChatStage, operation: ChatOperation, turn: int, code: int
) -> Iterator[Problem]:
    """What is wrong after a fault: at once, and after what a user types then."""
    room = stage.room
    if code == 0 and (seen := tree(room.project)) != stage.trees[operation.after]:
        yield Problem(UNTRUE, f"success was reported: {stage.name(seen)}")
    yield from _untouched(stage)
    if operation.name == "record":
        yield from _recorded_once(stage)
        return
    other = "redo" if operation.line == "undo" else "undo"
    # The same again, or the other way: whatever was interrupted is finished or taken back first.
    typed = (operation.line, other) if turn % 2 == 0 else (other, operation.line)
    seen = ""
    for line in (*typed, operation.line):
        room.run(line)
        seen = stage.name(tree(room.project))
        if seen not in stage.trees:
            yield Problem(TORN, f"after {line!r}: {seen}; {room.said}")
            return
    if seen != operation.after:
        yield Problem(LOST, f"{operation.line} leads to {seen!r}: {room.said}")
    if left := room.sql("SELECT kind FROM operations WHERE status = 'open'"):
        yield Problem(TORN, f"still open: {left}")
    room.run(other)
    if (seen := stage.name(tree(room.project))) != operation.before:
        yield Problem(LOST, f"{other} leads to {seen!r}: {room.said}")


def _untouched(stage: ChatStage) -> Iterator[Problem]:
    """What no undo changes is as the user left it, at any time."""
    seen, wanted = tree(stage.room.project), stage.trees["worked"]
    for path in (b"users", b"made/mine"):
        if seen.get(path) != wanted[path]:
            yield Problem(LOST, f"{path!r} is not as the user left it")


def _recorded_once(stage: ChatStage) -> Iterator[Problem]:
    """The event comes again, as hooks at two levels send it; then the turn is taken back."""
    room = stage.room
    if room.run(NEXT_PROMPT):
        yield Problem(TORN, f"it cannot be recorded: {room.said}")
    found = room.sql("SELECT count(*) FROM moments WHERE kind = 'prompt'")[0][0]
    if found != 2:
        yield Problem(TORN, f"{found} prompts")
    room.run("undo")
    if (seen := stage.name(tree(room.project))) != "undone":
        yield Problem(LOST, f"undo leads to {seen!r}: {room.said}")


# --- a damaged store ---


def run_damages(extent: Extent) -> list[Trial]:
    """Lets an undo and a redo meet a store in which something is not what was written."""
    chosen = [one for one in OPERATIONS[:2] if not extent.names or DAMAGED in extent.names]
    if not chosen:
        return []
    import_everything()
    with tempfile.TemporaryDirectory(prefix="damaged ") as home:
        stage = ChatStage(Path(home))
        return [tried for one in chosen for tried in _damages(stage, one, extent)]


def _damages(stage: ChatStage, operation: ChatOperation, extent: Extent) -> Iterator[Trial]:
    room = stage.room
    room.put_back(operation.before)
    (packs,) = room.data.glob("projects/*/store/packs")
    known = list(damage.damages(packs, set()))
    step = max(1, len(known) // extent.points)
    for one in known[extent.offset % step :: step][: extent.points]:
        room.put_back(operation.before)
        one.do(packs / one.pack)
        code = room.run(operation.line)
        problems = tuple(_problems_of_damage(stage, operation, code))
        fault = f"{operation.name}: {one.kind}, {one.what} in {one.pack}"
        yield Trial(DAMAGED, fault, happened=True, problems=problems)


def _problems_of_damage(stage: ChatStage, operation: ChatOperation, code: int) -> Iterator[Problem]:
    """It was refused and nothing is changed, or it is done and what went can be had back."""
    room, said = stage.room, stage.room.said
    if "Traceback" in said:
        yield Problem(TORN, said)
    if room.sql("SELECT kind FROM operations WHERE status = 'open'"):
        yield Problem(TORN, f"something stays open: {said}")
    seen = stage.name(tree(room.project))
    if seen != (operation.before if code else operation.after):
        yield Problem(TORN, f"ended with {code}: {seen}; {said}")
    if code:
        return
    # An undo has read back all that its redo needs; one after a redo needs the call's own states.
    refused = room.run("redo" if operation.line == "undo" else "undo") and operation.line == "redo"
    seen = stage.name(tree(room.project))
    if seen != (operation.after if refused else operation.before):
        yield Problem(LOST, f"what went does not come back: {seen}; {room.said}")


# --- a user who saves meanwhile ---


@dataclass(frozen=True)
class Save:
    """A way to save a file: where, and how an editor does it."""

    path: str
    is_renamed: bool  # a new file takes the place of the old one; else it is written in place

    def do(self, project: Path) -> None:
        """Saves it, with all that the user sees in it."""
        path = project / self.path
        text = path.read_text() if path.is_file() else ""
        lines = [*text.splitlines(), SAVED]
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.with_name("save~") if self.is_renamed else path
        target.write_text("\n".join(lines) + "\n")
        if self.is_renamed:
            target.rename(path)


SAVES = tuple(
    Save(path, is_renamed)
    for path in ("text", "overwritten", "doomed", "made/deep/file", "users", "dir/inside")
    for is_renamed in (True, False)
)


def run_saves(extent: Extent) -> list[Trial]:
    """Lets the user save a file between any two calls of an undo that changes the directory."""
    if extent.names and SAVING not in extent.names:
        return []
    import_everything()
    with tempfile.TemporaryDirectory(prefix="saves ") as home:
        stage = ChatStage(Path(home))
        first = extent.offset % len(SAVES)
        saves = (*SAVES[first:], *SAVES[:first])[: extent.some]
        return [tried for save in saves for tried in _saves(stage, save, extent)]


def _saves(stage: ChatStage, save: Save, extent: Extent) -> Iterator[Trial]:
    total = _points(stage)
    wanted = min(extent.points, total)
    for turn in range(wanted):
        at = (turn * total // wanted + extent.offset) % total
        stage.room.put_back("worked")
        code = _undo_with(stage, Between(at, lambda: save.do(stage.room.project)))
        problems = tuple(_problems_of_save(stage, save, code))
        how = "by a new file" if save.is_renamed else "in place"
        fault = f"undo chat: {save.path} saved {how} at point {at}"
        yield Trial(SAVING, fault, happened=True, problems=problems)
        if problems and extent.first:
            return


def _points(stage: ChatStage) -> int:
    """How many points there are in an undo at which somebody may come in between."""
    counted = stage.room.home / "points"
    between = Between(-1, lambda: None)
    stage.room.put_back("worked")
    stage.room.program = ChatProgram(between, lambda: counted.write_text(str(between.passed)))
    stage.room.must("undo")
    stage.room.program = ChatProgram()
    return int(counted.read_text())


def _undo_with(stage: ChatStage, between: "Between") -> int:
    stage.room.program = ChatProgram(between)
    code = stage.room.run("undo")
    stage.room.program = ChatProgram()
    return code


class Between:
    """Does something once, at a point of the code that changes the user's directory."""

    def __init__(self, at: int, act: Callable[[], None]) -> None:
        self._at = at
        self._act = act
        self.passed = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Told by the interpreter of every call that is made."""
        name = frame.f_code.co_filename
        if not (WRITES in name if event == "c_call" else event == "call" and ACTS in name):
            return
        if self.passed == self._at:
            sys.setprofile(None)
            self._act()
        self.passed += 1


def _problems_of_save(stage: ChatStage, save: Save, code: int) -> Iterator[Problem]:
    room = stage.room
    said = room.said
    wanted = "undone" if code == 0 else "worked"
    seen, known = tree(room.project), stage.trees[wanted]
    beside = [one for one in differences(known, seen) if not _is_about(save.path, one)]
    if beside:
        yield Problem(TORN, f"ended with {code}, but {beside[:4]}; {said}")
    for again in ("", "undo", "redo"):
        if again:
            room.run(again)
        path = room.project / save.path
        if not path.is_file() or SAVED not in path.read_text():
            yield Problem(LOST, f"the save of {save.path} is gone after {again or code}; {said}")
            return


def _is_about(path: str, told: str) -> bool:
    """Whether a difference is that of a path or of a directory that leads to it."""
    name = told.partition(":")[0]
    return name == path or path.startswith(f"{name}/") or name == "."
