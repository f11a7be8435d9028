"""The order of durable writes, read off the system calls of commands that succeed.

A power cut on one kind of disk proves little about another; this holds for all of them: whatever a
later write relies on was synced before it.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from faults.operations import CREATE, PRUNE, ROLLBACK, RUN
from faults.product import Product
from faults.room import Room, import_everything
from faults.stage import Stage
from faults.tracing import SystemCall

SYNCS = ("fsync", "fdatasync")
# Below the sandboxes: a cache is only a help, and a room is gone when whoever made it is.
PASSING = (".stat", ".trying")
Calls = Sequence[SystemCall]


def run() -> dict[str, list[str]]:
    """Runs commands and checks every rule on each; returns what breaks it."""
    import_everything()
    with tempfile.TemporaryDirectory(prefix="order ") as home:
        stage = Stage(Room(Path(home) / "room", Product()))
        traces = {line: _trace(stage, line, "done") for line in (CREATE, ROLLBACK, PRUNE)}
        traces[RUN] = _trace(stage, RUN, "nothing")
    return {
        text: [f"{line}: {call.text}" for line, calls in traces.items() for call in broken(calls)]
        for text, broken in RULES.items()
    }


def _trace(stage: Stage, line: str, start: str) -> Calls:
    stage.start(start)
    return [call for call in stage.room.calls(line) if call.changes]


def _packs_named_unsynced(calls: Calls) -> Iterator[SystemCall]:
    """Packs that get their name while what was written to them last is not synced."""
    unsynced = False
    for call in calls:
        if "/writing-" in call.text:
            if call.name.startswith("rename"):
                if unsynced:
                    yield call
            else:
                unsynced = call.name not in SYNCS


def _names_relied_on(calls: Calls) -> Iterator[SystemCall]:
    """Rows written, or packs removed, while a new pack's name is not durable."""
    named = False
    for call in calls:
        if call.name.startswith("rename") and ".pack" in call.text:
            named = True
        elif call.name in SYNCS and "/packs>" in call.text:
            named = False
        elif named and (_is_database(call) or (_removes(call) and ".pack" in call.text)):
            yield call


def _files_relied_on(calls: Calls) -> Iterator[SystemCall]:
    """Rows written while something that changed in the sandbox is not synced."""
    changed = False
    for call in calls:
        if call.name == "syncfs":
            changed = False
        elif "/sandboxes/" in call.text and not any(one in call.text for one in PASSING):
            changed = True
        elif changed and _is_database(call):
            yield call


def _plans_told_unsynced(calls: Calls) -> Iterator[SystemCall]:
    """The end of a run, if its files were not synced after its last checkpoint.

    Steps are other processes: what they write is not among these calls.
    """
    made = [call for call in calls if call.name.startswith("mkdir") and "/sandboxes/" in call.text]
    if any(not any(one in call.text for one in PASSING) for call in made):
        last = [call for call in calls if call.name == "syncfs" or "/writing-" in call.text][-1]
        if last.name != "syncfs":
            yield last


def _rows_told_unsynced(calls: Calls) -> Iterator[SystemCall]:
    """The last write to a file of the database, if no sync of that file follows."""
    for name in ("cleveragents.db>", "cleveragents.db-journal>", "cleveragents.db-wal>"):
        own = [call for call in calls if name in call.text and not call.name.startswith("open")]
        if own and own[-1].name not in SYNCS:
            yield own[-1]


def _is_database(call: SystemCall) -> bool:
    return "/cleveragents.db" in call.text and "write" in call.name


def _removes(call: SystemCall) -> bool:
    return call.name.startswith("unlink")


RULES: Mapping[str, Callable[[Calls], Iterator[SystemCall]]] = {
    "a pack is synced before it gets its name": _packs_named_unsynced,
    "its name is durable before a row, or an old pack's end, relies on it": _names_relied_on,
    "a restored sandbox is synced before a row relies on it": _files_relied_on,
    "the files of a run are synced before it is complete": _plans_told_unsynced,
    "what was committed last is synced before success is told": _rows_told_unsynced,
}
