"""Reads a command line by the table: which command it is, its arguments and its options."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from cleveragents.cli.table.entries import Argument, Command, Group, Node, Option, choices, nodes
from cleveragents.cli.table.root import ROOT
from cleveragents.cli.table.words import EVERYWHERE, FORMAT, HELP, VERSION
from cleveragents.errors import InvalidInput

# What people look for at a place where it is not.
INSTEAD = {"chat list": "agents timeline", "chat show": "agents timeline"}


class CommandLine:
    """The words of one call, followed through the table.

    What was read before something turns out to be wrong can be told all the same.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._left = list(reversed(words))
        self._path: list[str] = []
        self._places: list[str] = []  # words that are known by their place
        self._only_words = False  # after --
        self._until_dashes: int | None = None  # how many of them stand before it
        self.node: Node = ROOT
        self.asked: Option | None = None  # that is answered instead of carrying out anything
        self.everywhere: dict[str, Any] = {}  # options that all commands have
        self.given: dict[str, Any] = {}  # what is handed to the function

    @property
    def command(self) -> str:
        """The command without options and arguments, as the envelope names it."""
        return " ".join(self._path)

    @property
    def format_unread(self) -> str | None:
        """The format that is named where nothing was read any more."""
        for word, following in pairwise([*reversed(self._left), ""]):
            given = following if word == "--format" else word.removeprefix("--format=")
            if word.startswith("--format") and given in choices(FORMAT.shown):
                return given
        return None

    def read(self) -> None:
        """Reads all of it; a group alone asks for help."""
        while self._left and self.asked is None:
            word = self._left.pop()
            if self._only_words or word == "-" or not word.startswith("-"):
                self._take_word(word)
            elif word == "--":
                self._only_words, self._until_dashes = True, len(self._places)
            else:
                self._take_option(word)
        if self.asked is None and isinstance(self.node, Command):
            self._settle(self.node)
        elif self.asked is None:
            self.asked = HELP

    def _take_word(self, word: str) -> None:
        if isinstance(self.node, Command):
            self._places.append(word)
            return
        inner = self.node.find(word)
        if inner is None:
            raise self._no_command(word, self.node)
        self._path.append(word)
        self.node, self._only_words = inner, False

    def _no_command(self, word: str, group: Group) -> InvalidInput:
        known = INSTEAD.get(" ".join([*self._path, word]))
        meant = [f"did you mean: {known}"] if known else _command_meant(word, group)
        error = self._misuse(f"No such command {word!r}.", *meant)
        if self._path:
            self._path.append(word)
        return error

    def _take_option(self, word: str) -> None:
        """Takes an option, with its value after = or in the next word; or several letters."""
        if not word.startswith("--"):
            for letter in word[1:]:
                self._take(f"-{letter}", None)
            return
        name, separator, value = word.partition("=")
        self._take(name, value if separator else None)

    def _take(self, name: str, value: str | None) -> None:
        option = self._option(name)
        if value is not None and not option.shown:
            raise self._misuse(f"Option '{name}' does not take a value.")
        if option in (HELP, VERSION):
            self.asked = option
            return
        into = self.everywhere if option in EVERYWHERE else self.given
        if not option.shown:
            into[option.parameter] = not name.startswith("--no-")
        elif option.many:
            into.setdefault(option.parameter, []).append(self._value(name, option, value))
        else:
            into[option.parameter] = self._value(name, option, value)

    def _value(self, name: str, option: Option, value: str | None) -> object:
        """The value of an option: what follows =, or the next word, whatever that is."""
        if value is None and option.alone is not None:
            return option.alone
        if value is None and not self._left:
            raise self._misuse(f"Option '{name}' requires an argument.")
        return self._made(name, option, self._left.pop() if value is None else value)

    def _option(self, name: str) -> Option:
        known = options_of(self.node)
        if name not in known:
            near = [hint.replace("'", "") for hint in _meant(name, list(known))]
            raise self._misuse(f"No such option: {name}", *near)
        return known[name]

    def _settle(self, command: Command) -> None:
        """Gives each argument its words, and asks for what is missing."""
        takes_all = any(argument.many for argument in command.arguments)
        dashes = self._until_dashes if takes_all else None
        left, after = self._places[:dashes], [] if dashes is None else self._places[dashes:]
        for argument in command.arguments:
            taken, left = ([*left, *after], []) if argument.many else (left[:1], left[1:])
            if taken:
                made = [self._made(argument.to, argument, word) for word in taken]
                self.given[argument.to] = made if argument.many else made[0]
            elif argument.needed:
                raise self._misuse(f"Missing argument '{argument.shown}'.")
        if left:
            what = "argument" if len(left) == 1 else "arguments"
            raise self._misuse(f"Got unexpected extra {what} ({' '.join(left)})")
        for option in command.options:
            if option.needed and option.parameter not in self.given:
                raise self._misuse(f"Missing option '{option.names[0]}'.")

    def _made(self, name: str, entry: Argument | Option, value: str) -> object:
        possible = choices(entry.shown)
        if possible and value not in possible:
            listed = ", ".join(map(repr, possible))
            raise self._misuse(
                f"Invalid value for '{name}': {value!r} is not one of {listed}.",
                *_meant(value, possible),
            )
        try:
            return entry.make(value)
        except ValueError as error:
            raise self._misuse(f"Invalid value for '{name}': {error}.") from error

    def _misuse(self, message: str, *hints: str) -> InvalidInput:
        """The error for a line that cannot be read: what may have been meant, and the help."""
        see = " ".join(["see: agents", *self._path, "--help"])
        return InvalidInput(message, hints=[*hints, see])


def options_of(node: Node) -> dict[str, Option]:
    """Every name of every option that may be given there; a command's own one counts."""
    return {name: one for one in (*EVERYWHERE, *node.options) for name in one.names}


def _command_meant(word: str, group: Group) -> list[str]:
    """The command that was meant: one of this name wherever it lives, else one that is alike."""
    every = [" ".join(path) for path, _ in nodes(ROOT)]
    elsewhere = [path for path in every if path.split()[-1] == word]
    if elsewhere:
        return [f"did you mean: agents {shortest}" for shortest in sorted(elsewhere, key=len)[:2]]
    near = _meant(word, [one.name for one in group.commands])
    return near or _meant(word, every)


def _meant(given: str, names: Sequence[str]) -> list[str]:
    from cleveragents.nearest import hints_for_name  # slow to import, and seldom needed

    return hints_for_name(given, names)
