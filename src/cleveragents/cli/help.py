"""`--help`: what the table says of a command or a group, laid out for the width there is."""

import textwrap
from collections.abc import Iterator, Sequence

from cleveragents.cli.console import Paper
from cleveragents.cli.table.entries import Argument, Command, Group, Node, Option
from cleveragents.cli.table.words import EVERYWHERE

NARROWEST, WIDEST = 40, 100  # columns that text is laid out for
NAMES = 28  # columns at most before what a name means; longer ones stand on a line of their own
Row = tuple[str, str]


def show_help(path: Sequence[str], node: Node, paper: Paper) -> None:
    """Writes the help of a command, or of a group."""
    width = max(NARROWEST, min(paper.width, WIDEST))
    paper.line(("Usage:", "bold"), (f" {usage(path, node)}", ""))
    paper.line()
    for line in _folded(node.help, width):
        paper.line((line, ""))
    if isinstance(node, Command):
        _show_command(node, width, paper)
    else:
        _show_rows("Commands", [(one.name, one.help) for one in node.commands], width, paper)
    _show_rows("Options", list(map(_option_row, node.options)), width, paper)
    _show_rows("Options of every command", list(map(_option_row, EVERYWHERE)), width, paper)


def usage(path: Sequence[str], node: Node) -> str:
    """The line that tells how a command is called."""
    words = ["agents", *path, *(["[OPTIONS]"] if isinstance(node, Group) or node.options else [])]
    if isinstance(node, Group):
        return " ".join([*words, "COMMAND", "..."])
    words += [one.usage for one in node.options if one.needed]
    return " ".join([*words, *(argument.usage for argument in node.arguments)])


def _show_command(command: Command, width: int, paper: Paper) -> None:
    paper.line()
    paper.line(("Examples:", "bold"))
    for example in command.examples:
        paper.line((f"  {example}", ""))
    if command.more:
        paper.line()
    for line in _folded(command.more, width):
        paper.line((line, ""))
    _show_rows("Arguments", list(map(_argument_row, command.arguments)), width, paper)


def _show_rows(title: str, rows: Sequence[Row], width: int, paper: Paper) -> None:
    """Names and what they mean, in two columns."""
    if not rows:
        return
    paper.line()
    paper.line((f"{title}:", "bold"))
    room = max((len(name) for name, _ in rows if len(name) <= NAMES), default=0)
    for name, text in rows:
        for line in _row(name, text, room, width):
            paper.line((line, ""))


def _row(name: str, text: str, room: int, width: int) -> Iterator[str]:
    lines = _folded(text, width - room - 4)
    if len(name) > room:
        yield f"  {name}"
        name = ""
    for index, line in enumerate(lines):
        yield f"  {'' if index else name:<{room}}  {line}"


def _argument_row(argument: Argument) -> Row:
    return argument.usage, argument.help


def _option_row(option: Option) -> Row:
    names = ", ".join(sorted(option.names, key=len))
    return option.with_value(names), option.help + (" Needed." if option.needed else "")


def _folded(text: str, width: int) -> list[str]:
    """Breaks lines between words only; what is longer stays whole."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
