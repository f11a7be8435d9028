"""What the walls kept a command from, as far as what it printed tells."""

import re
from collections.abc import Iterator

from cleveragents.confinement.cell import Cell
from cleveragents.confinement.estate import is_within
from cleveragents.confinement.level import Way
from cleveragents.confinement.walls import Walls

_READ_ONLY = r"Read-only file system|\bEROFS\b"
_CLOSED = r"Permission denied|\bEACCES\b"
_ABSENT = r"No such file or directory|\bENOENT\b"
_NO_NETWORK = re.compile(
    r"[Cc]ould ?n[o']t resolve|[Nn]ame resolution|[Nn]ame or service not known|[Nn]etwork is "
    r"unreachable|Connection refused|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH"
)
# In quotes of any kind, plain ones or those that programs print in UTF-8; no apostrophe is one;
# else in front of it, if it looks like a name.
_QUOTED = re.compile("(?<!\\w)['\"\u2018\u201c](.+?)['\"\u2019\u201d](?!\\w)")
_PLAIN = re.compile(rf"((?<!\S)/(?:(?!: ).)*|\S*[/.]\S*): (?:{_READ_ONLY}|{_CLOSED}|{_ABSENT})")
MOST = 3  # paths that are named


def refused(cell: Cell, printed: str) -> str | None:
    """Tells it, for the failure of a step; None: nothing of that kind is told."""
    if (walls := cell.walls) is None:
        return None
    level = f"(confined: {walls.level})"
    if paths := _unwritten(walls, cell.confined.way, printed):
        return f"not allowed to write {_named(paths)} {level}"
    if not walls.is_strict:
        return None
    if paths := list(_hidden(walls, printed)):
        return f"not allowed to read {_named(paths)} {level}"
    if not walls.network and _NO_NETWORK.search(printed):
        return f"it has no network, as its tool does not declare one {level}"
    return None


def _unwritten(walls: Walls, way: Way | None, printed: str) -> list[str]:
    """What was not to be written; a name without its directory is taken for one of them."""
    said = _CLOSED if way is Way.LANDLOCK else _READ_ONLY
    lines = _lines(said, printed)
    found = [path for line in lines for path in _paths(line)]
    kept = [path for path in found if _may_be_closed(walls, path)]
    if way is Way.LANDLOCK:  # many other things are not permitted
        kept = [path for path in kept if path.startswith("/")]
    return kept or ([] if found or not lines or way is Way.LANDLOCK else ["outside the sandbox"])


def _may_be_closed(walls: Walls, path: str) -> bool:
    is_known = path.startswith("/") and not walls.keeps_writes
    return not is_known or any(is_within(path, place) for place in walls.estate.protected)


def _hidden(walls: Walls, printed: str) -> Iterator[str]:
    estate = walls.estate
    places = [*estate.hidden, *estate.concealed, *filter(None, [estate.closed])]
    for line in _lines(f"{_CLOSED}|{_ABSENT}", printed):
        for path in _paths(line):
            if any(is_within(path, place) for place in places):
                yield path


def _lines(said: str, printed: str) -> list[str]:
    return re.findall(rf"^.*(?:{said}).*$", printed, re.MULTILINE)


def _paths(line: str) -> Iterator[str]:
    """The path that a line tells of: a quoted one, which may have blanks, or a plain one."""
    yield from (_QUOTED.findall(line) or _PLAIN.findall(line))[-1:]


def _named(paths: list[str]) -> str:
    each = list(dict.fromkeys(paths))
    return ", ".join(each[:MOST]) + (", …" if len(each) > MOST else "")
