"""Printed commands, as the one who reads them can type them again.

Messages name commands with the whole id of a plan. People are shown `@` or the beginning of the id
instead, and everybody the options that say where this call has found its plans.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cleveragents.cli.render import Block, Format, Outline, Result
from cleveragents.cli.table.entries import leaves
from cleveragents.cli.table.root import ROOT
from cleveragents.errors import CleverAgentsError

if TYPE_CHECKING:
    from cleveragents.cli.invocation import Invocation

Lookup = Callable[[Iterable[str]], Mapping[str, str]]
BEGUN = "agents "
ID = r"(?<![^\s`'(])[0-7][0-9A-Z]{25}(?![^\s`',;:)])"  # a word of its own: not a part of a path


class PrintedCommands:
    """Makes the commands in texts those of one call."""

    def __init__(self, where: Mapping[str, str], names: Lookup) -> None:
        self._where = where  # options by name
        self._names = names

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
        whole = at_work or call.verbose or call.form in (Format.JSON, Format.YAML)
        return cls(where, _whole if app is None or whole else app.plans.shown)

    def result(self, result: Result) -> Result:
        """A result with its commands made so."""
        return result._replace(
            blocks=[self._block(block) for block in result.blocks],
            messages=self.texts(result.messages),
            next_steps=self.texts(result.next_steps),
        )

    def _block(self, block: Block) -> Block:
        """Only of an outline: what others hold is the user's."""
        if not isinstance(block, Outline):
            return block
        texts = self.texts([text for _, _, text in block.lines])
        leads = [(lead, rest) for lead, rest, _ in block.lines]
        return Outline([(*both, text) for both, text in zip(leads, texts, strict=True)])

    def error(self, error: CleverAgentsError) -> CleverAgentsError:
        """An error with its commands made so."""
        error.hints, error.detail = tuple(self.texts(error.hints)), tuple(self.texts(error.detail))
        return error

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Texts with the commands in them made so."""
        ids = {one for text in texts if BEGUN in text for one in re.findall(ID, text)}
        known = self._known(ids)
        return [self._made(text, known) if BEGUN in text else text for text in texts]

    def _known(self, ids: Collection[str]) -> Mapping[str, str]:
        try:
            return self._names(ids) if ids else {}
        except CleverAgentsError:
            return {}  # what cannot be read is told elsewhere; a whole id does as well

    def _made(self, text: str, known: Mapping[str, str]) -> str:
        """One text: an id counts only after a command, so that data stays as it is."""
        before, begun, after = text.partition(BEGUN)
        named = re.sub(ID, lambda found: known.get(found[0], found[0]), after) if known else after
        return before + self._placed(begun + named)

    def _placed(self, text: str) -> str:
        """Says where this call has found its plans, unless the text says it by itself."""
        unsaid = [f" {name} {value}" for name, value in self._where.items() if name not in text]
        if not unsaid:
            return text
        paths = sorted((" ".join(path) for path, _ in leaves(ROOT)), key=len, reverse=True)
        return re.sub(
            rf"\bagents (?:{'|'.join(paths)})\b", lambda found: found[0] + "".join(unsaid), text
        )


def _whole(_ids: Iterable[str]) -> Mapping[str, str]:
    return {}
