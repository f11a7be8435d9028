"""The entries of the table: plain tuples, which cost next to nothing to make."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Union


class Argument(NamedTuple):
    """A word that is known by its place."""

    shown: str  # what stands for it
    to: str  # the parameter of the function
    help: str
    needed: bool = True
    many: bool = False  # takes all words that are left
    make: Callable[[str], object] = str

    @property
    def usage(self) -> str:
        """How it stands in a usage line: in brackets if it may be left out."""
        return self.shown if self.needed else f"[{self.shown}]"


class Option(NamedTuple):
    """A word that is known by its name, with a value or without."""

    names: tuple[str, ...]  # without a value, those that begin with --no- say no
    help: str
    shown: str = ""  # what stands for the value; without, there is none
    to: str = ""  # the parameter of the function, if it is not called as the option
    needed: bool = False
    many: bool = False  # may be given several times
    make: Callable[[str], object] = str
    alone: str | None = None  # the value if none follows `=`; None: one has to follow

    @property
    def parameter(self) -> str:
        """The parameter of the function."""
        return self.to or self.names[0].strip("-").replace("-", "_")

    @property
    def usage(self) -> str:
        """How it is given, by its first name."""
        return self.with_value(self.names[0])

    def with_value(self, names: str) -> str:
        """How it is given by any of its names."""
        return f"{names} {self.shown}".rstrip() if self.alone is None else f"{names}[={self.shown}]"


class Command(NamedTuple):
    """A command, and the function that carries it out."""

    name: str
    help: str
    function: str  # that carries it out: its module in this room, and its name there
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    more: str = ""  # what else its help says


class Group(NamedTuple):
    """Commands with a word in common."""

    name: str
    help: str
    commands: tuple[Union[Command, "Group"], ...]
    options: tuple[Option, ...] = ()

    def find(self, name: str) -> Union[Command, "Group", None]:
        """Returns what is called so, if anything is."""
        return next((one for one in self.commands if one.name == name), None)


Node = Command | Group


def choices(shown: str) -> list[str]:
    """The words that may stand there; none if others may as well, which is written in capitals."""
    return shown.split("|") if shown.islower() else []


def nodes(group: Group, path: Sequence[str] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yields every group and command with the words that lead to it."""
    for inner in group.commands:
        yield (*path, inner.name), inner
        if isinstance(inner, Group):
            yield from nodes(inner, (*path, inner.name))


def leaves(group: Group) -> Iterator[tuple[tuple[str, ...], Command]]:
    """Yields every command with the words that lead to it."""
    return ((path, node) for path, node in nodes(group) if isinstance(node, Command))
