"""Printed commands, as the one who reads them can type them again.

Messages hold whole ids. People are shown the beginning of an id instead, and `@` where a command
may be typed with it; everybody the options that say where this call has found its plans.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cleveragents.cli.render import Block, Outline, Result
from cleveragents.cli.table.entries import Command, leaves
from cleveragents.cli.table.root import ROOT
from cleveragents.errors import CleverAgentsError, Failed

if TYPE_CHECKING:
    from cleveragents.cli.invocation import Invocation

Lookup = Callable[[Iterable[str]], Mapping[str, str]]
BEGUN = "agents "
ID = r"(?<![^\s`'(])[0-7][0-9A-Z]{25}(?![^\s`',;:)])"  # a word of its own: not a part of a path


class PrintedCommands:
    """Makes the commands in texts those of one call."""

    def __init__(self, where: Mapping[str, str], names: Lookup, short: Lookup) -> None:
        self._where = where  # options by name
        self._names = names  # of ids in commands
        self._short = short  # of ids anywhere else

    @classmethod
    def of(cls, call: "Invocation", *, at_work: bool = False) -> "PrintedCommands":
        """Those of a call: programs, and who wants to know more, get whole ids.

        So does who is told while it works: the database may be just then written to.
        """
        given = {
            "--data-dir": call.data_dir,
            "--project": call.project,
            "--config-path": call.config_path,
        }
        where = {name: shlex.quote(str(path)) for name, path in given.items() if path}
        app = call.opened
        if app is None or at_work or call.wants_whole_ids:
            return cls(where, _whole, _whole)
        return cls(where, app.plans.shown, app.plans.short)

    def result(self, result: Result) -> Result:
        """A result with its commands made so."""
        return result._replace(
            blocks=[self._block(block) for block in result.blocks],
            messages=self.texts(result.messages),
            next_steps=self.texts(result.next_steps),
        )

    def _block(self, block: Block) -> Block:
        """Only the commands of an outline: what others hold is the user's."""
        if not isinstance(block, Outline):
            return block
        texts = self._commands([text for _, _, text in block.lines])
        leads = [(lead, rest) for lead, rest, _ in block.lines]
        return Outline([(*both, text) for both, text in zip(leads, texts, strict=True)])

    def error(self, error: CleverAgentsError) -> CleverAgentsError:
        """An error with its texts made so; of a failure, the detail may quote what a step wrote."""
        (error.message,) = self.texts([error.message])
        error.hints = tuple(self.texts(error.hints))
        quotes = isinstance(error, Failed)
        error.detail = tuple((self._commands if quotes else self.texts)(error.detail))
        return error

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Texts of ours: with the commands in them made so, and short ids."""
        return self._commands(texts, _found(text.partition(BEGUN)[0] for text in texts))

    def _commands(self, texts: Sequence[str], told: Collection[str] = ()) -> list[str]:
        """Texts with the commands in them made so; elsewhere, only ids that are told as ours."""
        short = self._known(self._short, told)
        named = self._known(self._names, _found(text.partition(BEGUN)[2] for text in texts))
        return [self._made(text, named, short) for text in texts]

    def _known(self, lookup: Lookup, ids: Collection[str]) -> Mapping[str, str]:
        try:
            return lookup(ids) if ids else {}
        except CleverAgentsError:
            return {}  # what cannot be read is told elsewhere; a whole id does as well

    def _made(self, text: str, named: Mapping[str, str], short: Mapping[str, str]) -> str:
        before, begun, after = text.partition(BEGUN)
        told = _replaced(before, short)
        return told + self._placed(begun + _replaced(after, named)) if begun else told

    def _placed(self, text: str) -> str:
        """Says where this call has found its plans, unless the text says it by itself."""
        unsaid = {name: value for name, value in self._where.items() if name not in text}
        if not unsaid:
            return text
        commands = {" ".join(path): command for path, command in leaves(ROOT)}
        paths = sorted(commands, key=len, reverse=True)
        return re.sub(
            rf"\bagents ({'|'.join(paths)})\b",
            lambda found: _with_options(found[1], commands[found[1]], unsaid),
            text,
        )


def _with_options(path: str, command: Command, options: Mapping[str, str]) -> str:
    """A command with options; those that mean something else to it come before it."""
    own = {name for option in command.options for name in option.names}
    before = "".join(f" {name} {value}" for name, value in options.items() if name in own)
    after = "".join(f" {name} {value}" for name, value in options.items() if name not in own)
    return f"agents{before} {path}{after}"


def _found(texts: Iterable[str]) -> set[str]:
    return {one for text in texts for one in re.findall(ID, text)}


def _replaced(text: str, known: Mapping[str, str]) -> str:
    return re.sub(ID, lambda found: known.get(found[0], found[0]), text) if known else text


def _whole(_ids: Iterable[str]) -> Mapping[str, str]:
    return {}
