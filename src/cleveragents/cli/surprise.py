"""A surprise: an error that nobody foresaw, kept with all that is needed to look into it."""

import os
import platform
import re
import shlex
import sqlite3
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from cleveragents import __version__
from cleveragents.errors import CleverAgentsError, Unforeseen
from cleveragents.ids import new_id, now
from cleveragents.masking import MASK, Masking
from cleveragents.sandbox import git
from cleveragents.storage.privacy import LOG

KEPT = 10  # log files; the oldest go
# What may be a secret: the value of NAME=VALUE.
_VALUE = re.compile(r"^(?!--(?:format|project|data-dir|config-path)=)([^=\s]+=)(.+)$", re.DOTALL)


def told(problem: BaseException, arguments: Sequence[str], data: Path) -> Unforeseen:
    """Keeps what is known of a surprise; returns what the user is told."""
    what = f"{type(problem).__name__}: {problem}".rstrip(": ")
    text = _report(problem, arguments)
    path = _kept(text, data)
    if path is None:
        sys.stderr.write(text)
    where = "what is known of it stands above" if path is None else f"what is known of it: {path}"
    return Unforeseen(
        f"something went wrong that should not have: {without_secrets(what, arguments)}",
        detail=[where],
        hints=["look whether all is well: agents doctor", "report it with what is known of it"],
    )


def keeping(arguments: Sequence[str], data: Path) -> Callable[[Exception], None]:
    """Returns what keeps a surprise for later, where there is nobody to be told of it."""

    def keep(problem: Exception) -> None:
        _kept(_report(problem, arguments), data)

    return keep


def without_secrets(text: str, arguments: Sequence[str]) -> str:
    """Masks secrets in a text, and what the command line says in values."""
    masking = Masking()
    masking.learn(match[2] for word in arguments if (match := _VALUE.match(word)))
    return masking.text(text)


def _report(problem: BaseException, arguments: Sequence[str]) -> str:
    line = shlex.join([_VALUE.sub(rf"\1{MASK}", word) for word in arguments])
    facts = {
        "at": now().isoformat(),
        "command": f"agents {line}",
        "cleveragents": __version__,
        "Python": sys.version,
        "SQLite": sqlite3.sqlite_version,
        "git": _git_version(),
        "system": platform.platform(),
    }
    lines = [f"{name}: {value}\n" for name, value in facts.items()]
    text = "".join([*lines, "\n", *traceback.format_exception(problem)])
    return without_secrets(text, arguments)


def _git_version() -> str:
    try:
        return git.version() or "none"
    except (CleverAgentsError, OSError, UnicodeDecodeError) as error:
        return f"unknown ({error})"  # whatever it is, the surprise must be told


def _kept(text: str, data: Path) -> Path | None:
    """Writes a log file at the first place that takes it; None if none does."""
    for place in _places(data):
        with suppress(OSError):
            return _written(text, place)
    return None


def _places(data: Path) -> Iterator[Path]:
    """Beside what the command worked on, if that is ours to write to, else among what goes."""
    kept = data.absolute()
    with suppress(OSError):
        if kept.stat().st_uid == os.geteuid():
            yield kept / LOG
    yield Path(tempfile.gettempdir()) / f"cleveragents-{os.geteuid()}"


def _written(text: str, place: Path) -> Path:
    place.mkdir(mode=0o700, exist_ok=True)
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"not a directory of ours: {place}")
    path = place / f"{new_id()}.log"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    for old in sorted(place.glob("*.log"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path
