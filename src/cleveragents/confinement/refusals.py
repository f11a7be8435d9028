"""What a confined command was not allowed to write, as far as what it printed tells."""

import re
from collections.abc import Iterator

from cleveragents.confinement.level import Confined, Level

_REFUSED = re.compile(r"^.*(?:Read-only file system|\bEROFS\b).*$", re.MULTILINE)
# In quotes of any kind, plain ones or those that programs print in UTF-8; no apostrophe is one;
# else in front of it, if it looks like a name.
_QUOTED = re.compile("(?<!\\w)['\"\u2018\u201c](.+?)['\"\u2019\u201d](?!\\w)")
_PLAIN = re.compile(r"(\S*[/.]\S*): Read-only file system")
MOST = 3  # paths that are named


def refused_writes(confined: Confined, printed: str) -> str | None:
    """Names what was refused, for the failure of a step; None: nothing of that kind is told."""
    if confined.level is Level.NONE:
        return None
    lines = _REFUSED.findall(printed)
    if not lines:
        return None
    paths = list(dict.fromkeys(path for line in lines for path in _paths(line)))
    what = ", ".join(paths[:MOST]) + (", …" if len(paths) > MOST else "")
    return f"not allowed to write {what or 'outside the sandbox'} (confined: {confined.level})"


def _paths(line: str) -> Iterator[str]:
    """The path that a line tells of: a quoted one, which may have blanks, or a plain one."""
    yield from (_QUOTED.findall(line) or _PLAIN.findall(line))[-1:]
