"""The only place that prints: one result becomes text, a table, JSON or YAML.

Everything shown to a person passes through `safe`, so that no file name, label or output of a
step can move the cursor, hide text or forge a line.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TextIO

from cleveragents.cli.cells import cell_len, padded
from cleveragents.cli.console import UNBOUNDED, Line, Paper
from cleveragents.cli.layout import ASCII, ROUNDED, Columns, NamedValues, outlined, titled
from cleveragents.errors import CleverAgentsError, Declined
from cleveragents.escaping import safe, safe_cell


class Format(StrEnum):
    """How a result is written."""

    RICH = "rich"
    COLOR = "color"
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    YAML = "yaml"


class Fields(NamedTuple):
    """A titled list of names and values."""

    title: str
    rows: Sequence[tuple[str, str]]


class Grid(NamedTuple):
    """A titled table."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Text(NamedTuple):
    """Lines, folded only where they would not fit."""

    lines: Sequence[str]


class Patch(NamedTuple):
    """How one file differs, line by line."""

    lines: Sequence[str]


class Outline(NamedTuple):
    """Lines of a tree: what leads to each, what leads to the rest of it if it is long, its text."""

    lines: Sequence[tuple[str, str, str]]


Block = Fields | Grid | Text | Patch | Outline


class Result(NamedTuple):
    """The answer of a command, for programs and for people."""

    data: Mapping[str, object]  # a shape
    blocks: Sequence[Block] = ()
    footer: str = ""
    status: str = "ok"  # ok | warn
    exit_code: int = 0
    messages: Sequence[str] = ()
    next_steps: Sequence[str] = ()
    paged: bool = False  # whether it may be longer than a screen
    content: Iterable[bytes] = ()  # written as it is, before all else


class Timing(NamedTuple):
    """When a command started and how long it took."""

    started: str
    duration_ms: int


def show(result: Result, form: Format, command: str, timing: Timing) -> None:
    """Writes a result: data to standard output, messages and hints to standard error."""
    if form in (Format.JSON, Format.YAML):
        envelope = {
            "command": command,
            "status": result.status,
            "exit_code": result.exit_code,
            "data": result.data,
            "timing": timing._asdict(),
            "messages": list(result.messages),
        }
        _write_data(envelope, form)
        return
    for piece in result.content:
        sys.stdout.buffer.write(piece)
    if result.paged and sys.stdout.isatty():
        show_paged(result.blocks, form)
    else:
        show_blocks(result.blocks, form, sys.stdout)
    if result.footer:
        paper_for(form, sys.stdout).line(("✓ OK", "green"), (f" {safe(result.footer)}", ""))
    notes = paper_for(form, sys.stderr)
    notes.write(_notes(result.messages))
    notes.write([(("next:", "dim"),)] if result.next_steps else [])
    notes.write(((f"  {safe(step)}", ""),) for step in result.next_steps[:1])
    notes.write(((f"  {safe(step)}", "dim"),) for step in result.next_steps[1:])


def show_blocks(blocks: Sequence[Block], form: Format, stream: TextIO) -> None:
    """Writes blocks for people; programs are told once, at the end."""
    if form not in (Format.JSON, Format.YAML):
        paper = paper_for(form, stream)
        paper.write(_drawn(blocks, form, paper))


def show_paged(blocks: Sequence[Block], form: Format) -> None:
    """Writes blocks through the user's pager if there is one and they exceed the screen."""
    from cleveragents.cli.pager import chosen, page  # of use only where somebody looks

    screen = paper_for(form, sys.stdout)
    text = screen.styled(_drawn(blocks, form, screen))
    pager = chosen() if _lines(text, screen.width) >= screen.height else []
    if pager:
        page(text, pager)
    else:
        sys.stdout.write(text)


def _lines(text: str, width: int) -> int:
    """How many lines of a screen a text takes."""
    return sum(1 + max(len(line) - 1, 0) // width for line in text.splitlines())


def show_error(
    error: CleverAgentsError,
    form: Format,
    command: str,
    timing: Timing,
    messages: Sequence[str],
) -> None:
    """Writes an error: for programs on standard output, for people on standard error."""
    if form in (Format.JSON, Format.YAML):
        from cleveragents.shapes.error import problem_of

        envelope: dict[str, object] = {
            "command": command,
            "status": "error",
            "exit_code": error.exit_code,
            "error": problem_of(error),
            "timing": timing._asdict(),
            "messages": list(messages),
        }
        _write_data(envelope, form)
        return
    paper = paper_for(form, sys.stderr)
    said = safe(error.message)
    if isinstance(error, Declined):
        paper.line((said, ""))
    else:
        paper.line(("error:", "red"), (f" {said}", ""))
    paper.write(((f"  {safe(line)}", ""),) for line in error.detail)
    paper.write(_notes(messages))
    paper.write((("hint:", "cyan"), (f" {safe(hint)}", "")) for hint in error.hints[:1])
    paper.write(((f"      {safe(hint)}", "dim"),) for hint in error.hints[1:])


def _notes(messages: Sequence[str]) -> Iterator[Line]:
    for message in messages:
        yield ("note:", "yellow"), (f" {safe(message)}", "")


def _write_data(envelope: object, form: Format) -> None:
    if form is Format.JSON:
        text = json.dumps(envelope, indent=2) + "\n"
    else:
        import yaml

        text = yaml.safe_dump(json.loads(json.dumps(envelope)), sort_keys=False)
    sys.stdout.write(text)


def paper_for(form: Format, stream: TextIO) -> Paper:
    """The paper of a format: only two of them have styles."""
    return Paper(stream, colored=form in (Format.RICH, Format.COLOR))


def _drawn(blocks: Sequence[Block], form: Format, paper: Paper) -> Iterator[Line]:
    """Yields the lines of blocks one below the other, a table apart from what is above it."""
    for index, block in enumerate(blocks):
        if index and isinstance(block, Grid):
            yield ()
        yield from _block(block, form, paper)


def _block(block: Block, form: Format, paper: Paper) -> Iterator[Line]:
    framed = form is Format.TABLE
    match block:
        case Patch():
            return _lines_of(block, paper)
        case Text() | Outline():
            lines = block.lines if isinstance(block, Outline) else _without_leads(block.lines)
            folds = form in (Format.RICH, Format.TABLE)
            return outlined(lines, paper.width if folds else UNBOUNDED)
        case _ if form in (Format.PLAIN, Format.COLOR):
            return _plain(block, paper.width)
        case Fields():
            edges = ASCII if framed or paper.has_only_ascii else ROUNDED
            return NamedValues(block.title, block.rows, edges).drawn(paper.width)
        case Grid():
            columns = Columns(block.title, block.columns, block.rows, framed=framed)
            return columns.drawn(paper.width)


def _lines_of(block: Patch, paper: Paper) -> Iterator[Line]:
    """Yields lines as they are; what changes stands out where colours are seen."""
    if paper.has_colors:
        from cleveragents.cli.words import colored  # slow to import, and only seen in colours

        return colored(block.lines)
    return (((safe(line), ""),) for line in block.lines)


def _without_leads(lines: Sequence[str]) -> list[tuple[str, str, str]]:
    return [("", "", line) for line in lines]


def _plain(block: Fields | Grid, width: int) -> Iterator[Line]:
    """Yields columns that are as wide as they need to be, however wide that is."""
    yield from titled(block.title, width)
    if isinstance(block, Fields):
        rows = [(safe_cell(name), safe(value)) for name, value in block.rows]
        names = max((cell_len(name) for name, _ in rows), default=0)
        for name, value in rows:
            yield ((f"  {padded(name, names)}  {value}", ""),)
        return
    cells = [[safe_cell(cell) for cell in row] for row in (block.columns, *block.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for index, row in enumerate(cells):
        whole = [padded(cell, width) for cell, width in zip(row, widths, strict=True)]
        yield (("  ".join(whole).rstrip(), "" if index else "bold"),)
