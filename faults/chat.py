"""Undo where you chat: faults at every system call of it, power cuts, and a damaged store.

The user's own directory is no sandbox: others write there, and nothing may be left in it. So what
is asked here is asked of the directory itself: each file is as before the act or as after it, at
any time; after the next command all of them are, and nothing that was acknowledged is lost.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from faults import damage
from faults.campaign import Extent, Trial
from faults.chat_stage import (
    FIRST_PROMPT,
    NEXT_PROMPT,
    OPERATIONS,
    REDO,
    UNDO,
    ChatOperation,
    ChatStage,
    tree,
)
from faults.errors import SAID_BY
from faults.judge import LOST, TORN, UNTRUE, Problem
from faults.power import PoweredRoom
from faults.room import Program, Room, import_everything
from faults.tracing import Injection, SystemCall

DAMAGED = "damaged store"
OURS = b".cleveragents-"  # how names begin that an undo builds files under
CHECKS = ("doctor", "plan checkpoint verify @chat")

Choose = Callable[[Sequence[SystemCall]], Sequence[Injection | None]]


# --- faults at system calls, and power cuts ---


def run_faults(extent: Extent) -> list[Trial]:
    """Kills each operation wherever it changes something, and makes such calls fail."""
    return _run("chat ", Room, lambda calls: _injections(calls, extent), extent)


def run_power(extent: Extent) -> list[Trial]:
    """Kills each and cuts the power at once; also right after it reported success."""

    def choose(calls: Sequence[SystemCall]) -> list[Injection | None]:
        changing = [call for call in calls if call.changes]
        return [None, *(Injection(call, "signal=SIGKILL") for call in extent.of(changing))]

    return _run("power ", PoweredChatRoom, choose, extent)


class PoweredChatRoom(PoweredRoom):
    """A room whose data directory and project are each on a disk of their own."""

    def __init__(self, home: Path, program: Program) -> None:
        super().__init__(home, program)
        self.disks = {self.data: home / "data.img", self.project: home / "project.img"}


def _run(
    prefix: str, room: Callable[[Path, Program], Room], choose: Choose, extent: Extent
) -> list[Trial]:
    chosen = [one for one in OPERATIONS if not extent.names or one.name in extent.names]
    if not chosen:
        return []
    import_everything()
    with tempfile.TemporaryDirectory(prefix=prefix) as home:
        stage = ChatStage(Path(home), room)
        try:
            return [tried for one in chosen for tried in _faults(stage, one, choose, extent)]
        finally:
            stage.room.remove()


def _faults(
    stage: ChatStage, operation: ChatOperation, choose: Choose, extent: Extent
) -> Iterator[Trial]:
    stage.room.put_back(operation.before)
    calls = stage.room.calls(operation.line)
    yield from _after_its_end(stage, operation)
    for turn, injection in enumerate(choose(calls)):
        stage.room.put_back(operation.before)
        code = stage.room.trace(operation.line, injection)
        happened = injection is None or code < 0 or stage.room.was_injected
        stage.room.settle()
        problems = tuple(_problems(stage, operation, turn, code))
        fault = f"{operation.name}: {injection or 'after its end'}"
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
    if code == 0 and (seen := tree(stage.room.project)) != stage.trees[operation.after]:
        yield Problem(UNTRUE, f"success was reported: {stage.name(seen)}")
    yield from _not_whole(stage, operation)
    if operation in (UNDO, REDO):
        yield from _problems_of_act(stage, operation, turn)
    else:
        yield from _problems_of_event(stage, operation, code)
    for line in CHECKS:
        if stage.room.run(line):
            yield Problem(TORN, f"after all {line!r} says: {stage.room.said}")


def _not_whole(stage: ChatStage, operation: ChatOperation) -> Iterator[Problem]:
    """Files that are neither as before nor as after; those of the user are as they were left."""
    seen = tree(stage.room.project)
    known = [
        stage.trees[name] for name in (operation.before, operation.after) if name in stage.trees
    ]
    for path in known[0].keys() | known[-1].keys() | seen.keys():
        if OURS in path or (stage.room.project / path.decode()).is_dir():
            continue  # modes of directories are settled last
        if seen.get(path) not in [one.get(path) for one in known]:
            yield Problem(TORN, f"{path!r} is neither as before nor as after: {seen.get(path)}")


def _problems_of_act(stage: ChatStage, operation: ChatOperation, turn: int) -> Iterator[Problem]:
    room = stage.room
    other = "redo" if operation is UNDO else "undo"
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


def _problems_of_event(stage: ChatStage, operation: ChatOperation, code: int) -> Iterator[Problem]:
    """It comes again, as hooks at two levels send it; then the turn is taken back."""
    room = stage.room
    if code == 0 or operation.before == "spooled":  # it was acknowledged
        room.run("timeline")
        if (found := _prompts(room)) != operation.prompts:
            yield Problem(LOST, f"{found} prompts of {operation.prompts}: {room.said}")
    again = FIRST_PROMPT if operation.before == "new" else NEXT_PROMPT
    if room.run(again):
        yield Problem(TORN, f"it cannot be recorded: {room.said}")
    if (found := _prompts(room)) != operation.prompts:
        yield Problem(TORN, f"{found} prompts")
    if operation.before == "new":
        stage.work()
    room.run("undo")
    wanted = "new" if operation.before == "new" else "undone"
    if (seen := stage.name(tree(room.project))) != wanted:
        yield Problem(LOST, f"undo leads to {seen!r}: {room.said}")


def _prompts(room: Room) -> int:
    return room.sql("SELECT count(*) FROM moments WHERE kind = 'prompt'")[0][0]


# --- a damaged store ---


def run_damages(extent: Extent) -> list[Trial]:
    """Lets an undo and a redo meet a store in which something is not what was written."""
    chosen = [one for one in (UNDO, REDO) if not extent.names or DAMAGED in extent.names]
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
