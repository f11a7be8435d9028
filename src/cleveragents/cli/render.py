"""The only place that prints: one result becomes text, a table, JSON or YAML.

Everything shown to a person passes through `safe`, so that no file name, label or output of a
step can move the cursor, hide text or forge a line.
"""

import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape

from cleveragents.cli.console import PatientConsole
from cleveragents.cli.layout import Branches, Columns, NamedValues
from cleveragents.cli.pager import chosen, page
from cleveragents.config.environment import caller_environment
from cleveragents.errors import CleverAgentsError
from cleveragents.escaping import safe, safe_cell

UNBOUNDED = 10_000  # columns


class Format(StrEnum):
    """How a result is written."""

    RICH = "rich"
    COLOR = "color"
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    YAML = "yaml"


@dataclass(frozen=True)
class Fields:
    """A titled list of names and values."""

    title: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Grid:
    """A titled table."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Text:
    """Lines as they are."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Outline:
    """Lines of a tree: what leads to each, what leads to the rest of it if it is long, its text."""

    lines: Sequence[tuple[str, str, str]]


Block = Fields | Grid | Text | Outline


@dataclass(frozen=True)
class Result:
    """What a command has to say, for programs and for people."""

    data: Mapping[str, object]  # a shape
    blocks: Sequence[Block] = ()
    footer: str = ""
    status: str = "ok"  # ok | warn
    exit_code: int = 0
    messages: Sequence[str] = ()
    next_steps: Sequence[str] = field(default=())
    paged: bool = False  # whether it may be longer than a screen


@dataclass(frozen=True)
class Timing:
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
            "timing": vars(timing),
            "messages": list(result.messages),
        }
        _write_data(envelope, form)
        return
    if result.paged and sys.stdout.isatty():
        show_paged(result.blocks, form)
    else:
        show_blocks(result.blocks, form, sys.stdout)
    if result.footer:
        _console(form, sys.stdout).print(f"[green]✓ OK[/] {escape(safe(result.footer))}")
    notes = _console(form, sys.stderr)
    _print_messages(result.messages, notes)
    if result.next_steps:
        notes.print("next:", style="dim")
    for step in result.next_steps:
        notes.print(f"  {escape(safe(step))}", soft_wrap=True)


def show_blocks(blocks: Sequence[Block], form: Format, stream: TextIO) -> None:
    """Writes blocks for people; programs are told once, at the end."""
    if form not in (Format.JSON, Format.YAML):
        _print_blocks(blocks, form, _console(form, stream))


def show_paged(blocks: Sequence[Block], form: Format) -> None:
    """Writes blocks through the user's pager if there is one and they exceed the screen."""
    screen = _console(form, sys.stdout)
    written = io.StringIO()
    console = PatientConsole(
        file=written,
        force_terminal=form in (Format.RICH, Format.COLOR),
        highlight=False,
        width=screen.width,
    )
    _print_blocks(blocks, form, console)
    text = written.getvalue()
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
            "timing": vars(timing),
            "messages": list(messages),
        }
        _write_data(envelope, form)
        return
    console = _console(form, sys.stderr)
    console.print(f"[red]error:[/] {escape(safe(error.message))}", soft_wrap=True)
    for line in error.detail:
        console.print(f"  {escape(safe(line))}", soft_wrap=True)
    _print_messages(messages, console)
    for hint in error.hints:
        console.print(f"[cyan]hint:[/] {escape(safe(hint))}", soft_wrap=True)


def _print_messages(messages: Sequence[str], console: Console) -> None:
    for message in messages:
        console.print(f"[yellow]note:[/] {escape(safe(message))}", soft_wrap=True)


def _write_data(envelope: object, form: Format) -> None:
    if form is Format.JSON:
        text = json.dumps(envelope, indent=2) + "\n"
    else:
        import yaml

        text = yaml.safe_dump(json.loads(json.dumps(envelope)), sort_keys=False)
    sys.stdout.write(text)


def _console(form: Format, stream: TextIO) -> Console:
    colored = form in (Format.RICH, Format.COLOR)
    # What is not a terminal gets whole lines: nothing is folded for a width that nobody looks at.
    width = None if stream.isatty() or caller_environment().get("COLUMNS") else UNBOUNDED
    terminal = None if colored else False  # what is plain has no style at all
    return PatientConsole(file=stream, force_terminal=terminal, highlight=False, width=width)


def _print_blocks(blocks: Sequence[Block], form: Format, console: Console) -> None:
    """Prints blocks one below the other, a table apart from what is above it."""
    for index, block in enumerate(blocks):
        if index and isinstance(block, Grid):
            console.print()
        _print_block(block, form, console)


def _print_block(block: Block, form: Format, console: Console) -> None:
    if isinstance(block, Text):
        for line in block.lines:
            console.print(_patch_style(line, form), soft_wrap=True)
    elif isinstance(block, Outline):
        _print_outline(block, form, console)
    elif form in (Format.PLAIN, Format.COLOR):
        _print_plain(block, console)
    elif isinstance(block, Fields):
        console.print(NamedValues(block.title, block.rows, framed=form is Format.TABLE))
    else:
        framed = form is Format.TABLE
        console.print(Columns(block.title, block.columns, block.rows, framed=framed))


def _print_outline(block: Outline, form: Format, console: Console) -> None:
    if form in (Format.RICH, Format.TABLE):
        console.print(Branches(block.lines))
        return
    for lead, _, text in block.lines:
        console.print(escape(lead + safe(text)), soft_wrap=True)


def _print_plain(block: Fields | Grid, console: Console) -> None:
    if block.title:
        console.print(f"[bold]{escape(safe(block.title))}[/]")
    if isinstance(block, Fields):
        width = max((len(name) for name, _ in block.rows), default=0)
        for name, value in block.rows:
            console.print(f"  {name:<{width}}  {escape(safe(value))}", soft_wrap=True)
        return
    cells = [[safe_cell(cell) for cell in row] for row in (block.columns, *block.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for index, row in enumerate(cells):
        padded = [set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)]
        style = None if index else "bold"
        console.print(escape("  ".join(padded).rstrip()), style=style, soft_wrap=True)


def _patch_style(line: str, form: Format) -> str:
    text = escape(safe(line))
    if form is Format.PLAIN or form is Format.TABLE:
        return text
    styles = {"+": "green", "-": "red", "@": "cyan"}
    style = styles.get(line[:1])
    return f"[{style}]{text}[/]" if style else text
