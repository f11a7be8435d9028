"""What the walls of a step stand around: what is its own, and what is not."""

import os
from collections.abc import Iterable, Iterator

from cleveragents.records import frozen


@frozen
class Estate:
    """Paths, each resolved and there; texts, because walls are made of them for every step."""

    directory: str  # where the command works
    own: tuple[str, ...]  # the files of its sandbox, and their git directory
    protected: tuple[str, ...]  # the project, the data directory, the settings of the user
    listening: tuple[str, ...]  # directories in which keepers listen
    caches: tuple[str, ...] = ()  # may be written to from `write` on
    layered: tuple[str, ...] = ()  # may be changed from `write` on, and are not
    hidden: tuple[str, ...] = ()  # directories that `strict` empties
    concealed: tuple[str, ...] = ()  # files and sockets that `strict` hides
    needed: tuple[str, ...] = ()  # stays in reach whatever is covered
    closed: str = ""  # the directory of which `strict` leaves only what is own and lent
    lent: tuple[str, ...] = ()  # what of that may be read

    def holds(self, place: str) -> bool:
        """Whether a place has something in it that the step needs."""
        kept = (self.directory, *self.own, *self.protected, *self.caches, *self.needed)
        return any(is_within(path, place) for path in kept)


def is_within(path: str, above: str) -> bool:
    """Tells whether a path is a directory or lies in it."""
    return above in (path, "/") or path.startswith(f"{above}/")


def resolved(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """The places that are there, by their own names, each once, those above others first."""
    found = {os.path.realpath(path) for path in paths if os.path.exists(path)}
    return tuple(sorted(found, key=lambda path: (path.count("/"), path)))


def above(paths: Iterable[str]) -> Iterator[str]:
    """Yields every directory above these, top down, but for the topmost."""
    found = {parent for path in paths for parent in _parents(path)}
    yield from sorted(found, key=lambda path: (path.count("/"), path))


def _parents(path: str) -> Iterator[str]:
    while (path := os.path.dirname(path)) != "/":
        yield path
