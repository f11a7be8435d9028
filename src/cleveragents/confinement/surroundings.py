"""Where on this machine the estate of a step lies: seen through the caller's environment."""

import codecs
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cleveragents.confinement.estate import Estate, is_within, resolved
from cleveragents.confinement.level import KEEPING_WRITES, Level
from cleveragents.confinement.usual import AGENTS, CACHES, DESKTOP, SECRETS, SOCKETS
from cleveragents.once import once
from cleveragents.records import frozen
from cleveragents.storage import address

OF_SYSTEM = ("/proc", "/sys")
OF_EACH_STEP = ("/dev/null", "/bin/sh")
SOCKET_TABLE = Path("/proc/net/unix")


@frozen
class Neighbours:
    """The project of a plan, and what is around it."""

    own: Path | None  # None: it has none yet
    others: Sequence[Path]
    history: Path | None  # the repository that sandboxes of it borrow objects from


@frozen
class Given:
    """What is known before there is a step."""

    data: Path
    project: Path
    settings: Path  # the directory of the user's settings; made, so that no step makes it
    settings_file: Path  # the file that is read, wherever it lies
    home: Path
    caller: Mapping[str, str]
    writable: Sequence[str]  # further directories, as the user names them
    hidden: Sequence[str]


class Surroundings:
    """Finds paths once; each step adds its own."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def estate(self, level: Level, directory: Path, around: Neighbours) -> Estate:
        """The estate of a step that works in a directory, for a project among others."""
        given, project = self._given, around.own
        own = () if not is_within(str(directory), str(given.data)) else (directory, _git(directory))
        given.settings.mkdir(parents=True, mode=0o700, exist_ok=True)
        ours = (given.data, given.settings, given.settings_file)
        theirs = () if project is None else (project, *repositories(project))
        protected = _outermost(resolved((*theirs, *ours)))
        if level not in KEEPING_WRITES:  # the rest matters where most is forbidden
            return Estate(os.path.realpath(directory), resolved(own), protected, self._listening)
        hidden = [
            path for path in resolved((*self._secrets, *around.others)) if path not in protected
        ]
        concealed = [*hidden, *(_sockets() if level is Level.STRICT else ())]
        caches = _apart(self._caches, protected)
        return Estate(
            directory=os.path.realpath(directory),
            own=resolved(own),
            protected=protected,
            listening=self._listening,
            caches=caches,
            layered=_apart(self._agents, (*protected, *caches)),
            hidden=tuple(path for path in hidden if os.path.isdir(path)),
            concealed=tuple(path for path in concealed if not os.path.isdir(path)),
            needed=self._needed,
            closed=os.path.realpath(given.data),
            lent=resolved(filter(None, [around.history])),
        )

    @property
    def wrong(self) -> Sequence[str]:
        """What of the writable places cannot be one, and why."""
        return [f"{one}: {why}" for one in self._given.writable if (why := self._unwritable(one))]

    @property
    def unhidden(self) -> Sequence[str]:
        """What of the places to hide is not hidden, and why."""
        return [f"{one}: {why}" for one in self._given.hidden if (why := self._unhideable(one))]

    def _unwritable(self, named: str) -> str | None:
        given, path = self._given, self._expanded(named)
        if not path.exists():
            return "it is not there"
        for what, paths in (
            ("the data directory", [given.data]),
            ("your settings", [given.settings, given.settings_file]),
            ("the project", [given.project, *repositories(given.project)]),
        ):
            if _touches(os.path.realpath(path), resolved(paths)):
                return f"it holds {what}, or lies in it"
        return None

    def _unhideable(self, named: str) -> str | None:
        given, path = self._given, self._expanded(named)
        if not path.exists():
            return "it is not there"
        place = os.path.realpath(path)
        kept = (*resolved([given.data, given.project]), *self._needed, *self._caches)
        if any(is_within(one, place) for one in kept):
            return "it holds what steps need, and stays in reach"
        if _is_of_system(place):
            return "it belongs to the system, and stays as it is"
        if is_within(place, os.path.realpath(given.project)):
            return "it lies in the project, of which steps have a copy"
        return None

    @once
    def _listening(self) -> tuple[str, ...]:
        """Where keepers listen; made if need be, since one may start after a step."""
        caller = self._given.caller
        passed = (name.decode() for name in address.PASSED_ON)
        environment = {name.encode(): os.fsencode(caller.get(name, "")) for name in passed}
        return resolved([*address.made(environment), *self._keeper()])

    def _keeper(self) -> Iterator[str]:
        """Where the keeper that runs says that it listens: it may have seen other variables."""
        try:
            told = json.loads((self._given.data / address.LOCK).read_bytes())
        except (OSError, ValueError):
            return
        socket = told.get("socket")
        if isinstance(socket, str) and socket:
            yield os.path.dirname(socket)

    @once
    def _caches(self) -> tuple[str, ...]:
        named = [self._expanded(one) for one in self._given.writable]
        return resolved((*self._usual(CACHES), *named))

    @once
    def _agents(self) -> tuple[str, ...]:
        return resolved(self._usual(AGENTS))

    def _usual(self, places: Mapping[str, str]) -> Iterator[Path]:
        """Yields usual places; that of a program that is installed is made if need be."""
        import shutil  # noqa: PLC0415 - slow to import, and not needed below `write`

        path = self._given.caller.get("PATH", os.defpath)
        for name, program in places.items():
            place = self._given.home / name
            # What leads nowhere, as to a disk that is not mounted, is left as it is.
            if not os.path.lexists(place) and (not program or shutil.which(program, path=path)):
                place.mkdir(parents=True, mode=0o700, exist_ok=True)
            yield place

    @once
    def _secrets(self) -> tuple[str, ...]:
        home, caller = self._given.home, self._given.caller
        runtime = (caller.get("XDG_RUNTIME_DIR"), f"/run/user/{os.geteuid()}")
        agent = caller.get("SSH_AUTH_SOCK")
        bus = caller.get("DBUS_SESSION_BUS_ADDRESS", "")
        bus = bus.partition("unix:path=")[2].partition(",")[0]
        named = map(self._expanded, self._given.hidden)
        own = (home / name for name in SECRETS)
        found = resolved(filter(None, (*own, *named, *SOCKETS, *DESKTOP, *runtime, agent, bus)))
        return tuple(path for path in found if not _is_of_system(path))

    @once
    def _needed(self) -> tuple[str, ...]:
        python = (sys.prefix, sys.base_prefix, sys.executable)
        return resolved((self._given.home, *python, *OF_EACH_STEP))

    def _expanded(self, named: str) -> Path:
        if named == "~" or named.startswith("~/"):
            return self._given.home / named[2:]
        return Path(named)


def _git(directory: Path) -> Path:
    """The git directory of a sandbox lies beside its files."""
    return directory.with_name("git")


def repositories(project: Path) -> Iterator[Path]:
    """Yields the git directories that a project needs, and those of repositories around it.

    That of a linked work tree lies elsewhere, `.git` may be a link, and objects may be borrowed.
    """
    for place in (project, *project.parents):
        link = place / ".git"
        if os.path.lexists(link):
            for found in _git_directories(link):
                yield found
                yield from _borrowed(found / "objects", set())


def _git_directories(link: Path) -> Iterator[Path]:
    yield link  # with what it leads to, if it is a link of the file system
    own = link
    if link.is_file():
        named = link.read_text(errors="surrogateescape").removeprefix("gitdir:").strip()
        own = link.parent / named
        yield own
    common = own / "commondir"
    if common.is_file():
        yield own / common.read_text(errors="surrogateescape").strip()


def _borrowed(objects: Path, known: set[Path]) -> Iterator[Path]:
    """Yields the repositories that a store of objects borrows from, and those that they do."""
    try:
        lines = (objects / "info" / "alternates").read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        quoted = line.startswith(b'"')
        named = codecs.escape_decode(line.strip(b'"'))[0] if quoted else line
        place = objects / os.fsdecode(named)
        if line and not line.startswith(b"#") and place not in known:
            known.add(place)
            is_of_git = place.name == "objects" and (place.parent / "HEAD").exists()
            yield place.parent if is_of_git else place
            yield from _borrowed(place, known)


def _sockets() -> tuple[str, ...]:
    """Whoever listens somewhere, known or not."""
    lines = SOCKET_TABLE.read_text(errors="surrogateescape").splitlines()[1:]
    paths = (line.split(maxsplit=7)[7:] for line in lines)
    return resolved(path for found in paths for path in found if path.startswith("/"))


def _is_of_system(path: str) -> bool:
    return any(is_within(path, one) for one in OF_SYSTEM)


def _outermost(places: Sequence[str]) -> tuple[str, ...]:
    """The places that lie in no other of them."""
    return tuple(
        path for path in places if not any(path != one and is_within(path, one) for one in places)
    )


def _apart(places: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The places that touch no others."""
    return tuple(path for path in places if not _touches(path, others))


def _touches(path: str, others: Sequence[str]) -> bool:
    """Whether a path holds one of the others, or lies in one."""
    return any(is_within(path, other) or is_within(other, path) for other in others)
