"""A user who saves a file between any two system calls of an undo or a redo.

The command is stopped right after a call; the user's editor saves, in place or by a new file; then
the command goes on. Whatever was saved last is in the directory afterwards, whenever that was.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oracle import differences

from faults.campaign import Extent, Trial
from faults.chat_stage import REDO, UNDO, ChatOperation, ChatStage, tree
from faults.judge import LOST, TORN, Problem
from faults.room import import_everything
from faults.tracing import CHANGING, LOOKING, Injection

SAVING = "undo while saving"
SAVED = "the user saved this"
CALLS = (*CHANGING, *LOOKING)


@dataclass(frozen=True)
class Save:
    """A way to save a file: where, and how an editor does it."""

    path: str
    is_renamed: bool  # a new file takes the place of the old one; else it is written in place

    def __str__(self) -> str:
        return f"{self.path} saved {'by a new file' if self.is_renamed else 'in place'}"

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
    """Lets the user save each file between any two calls of an undo, and of a redo."""
    if extent.names and SAVING not in extent.names:
        return []
    import_everything()
    with tempfile.TemporaryDirectory(prefix="saves ") as home:
        stage = ChatStage(Path(home))
        pairs = [(act, save) for act in (UNDO, REDO) for save in SAVES]
        first = extent.offset % len(pairs)
        chosen = (*pairs[first:], *pairs[:first])[: extent.some]
        return [tried for act, save in chosen for tried in _saves(stage, act, save, extent)]


def _saves(
    stage: ChatStage, operation: ChatOperation, save: Save, extent: Extent
) -> Iterator[Trial]:
    room = stage.room
    room.put_back(operation.before)
    calls = [call for call in room.calls(operation.line, CALLS) if str(room.project) in call.text]
    for call in extent.of(calls):
        room.put_back(operation.before)
        saved: list[Save] = []

        def stopped(saved: list[Save] = saved) -> None:
            save.do(room.project)
            saved.append(save)

        code = room.trace(operation.line, Injection(call, "signal=SIGSTOP"), CALLS, stopped)
        problems = tuple(_problems(stage, operation, save, code)) if saved else ()
        fault = f"{operation.name}: {save} after {call.name} {call.number} ({call.text})"
        yield Trial(SAVING, fault, bool(saved), problems)
        if problems and extent.first:
            return


def _problems(
    stage: ChatStage, operation: ChatOperation, save: Save, code: int
) -> Iterator[Problem]:
    """The save is there, at once and after what is typed then; the rest is done or it is not."""
    room = stage.room
    said = room.said
    wanted = operation.after if code == 0 else operation.before
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
    if left := room.sql("SELECT kind FROM operations WHERE status = 'open'"):
        yield Problem(TORN, f"still open: {left}")


def _is_about(path: str, told: str) -> bool:
    """Whether a difference is that of a path or of a directory that leads to it."""
    name = told.partition(":")[0]
    return name == path or path.startswith(f"{name}/") or name == "."
