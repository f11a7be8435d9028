"""The only place that prints: one result becomes text, a table, JSON or YAML.

Everything shown to a person passes through `safe`, so that no file name, label or output of a
step can move the cursor, hide text or forge a line.
"""

import base64
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TextIO

import yaml
from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.panel import Panel as RichPanel
from rich.table import Table as RichTable

from cleveragents.config.environment import caller_environment
from cleveragents.errors import CleverAgentsError

PAGER = "less"
COPIED = 2  # leading columns of a table that hold ids and numbers


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


Block = Fields | Grid | Text


@dataclass(frozen=True)
class Result:
    """What a command has to say, for programs and for people."""

    data: object
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
        _show_paged(result.blocks, form)
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
        for block in blocks:
            _print_block(block, form, _console(form, stream))


def _show_paged(blocks: Sequence[Block], form: Format) -> None:
    """Writes blocks through the user's pager, or as they are if there is none."""
    chosen = shlex.split(caller_environment().get("PAGER", PAGER))
    if not chosen or shutil.which(chosen[0]) is None:
        show_blocks(blocks, form, sys.stdout)
        return
    styled = form in (Format.RICH, Format.COLOR)
    written = io.StringIO()
    console = _Console(
        file=written, force_terminal=styled, highlight=False, width=_console(form, sys.stdout).width
    )
    for block in blocks:
        _print_block(block, form, console)
    # -F leaves at once what fits on a screen, -R lets colours through, -X leaves it there.
    environment = {"LESS": "FRX", **caller_environment()}
    subprocess.run(chosen, input=written.getvalue().encode(), env=environment, check=False)


def show_error(
    error: CleverAgentsError,
    form: Format,
    command: str,
    timing: Timing,
    messages: Sequence[str],
) -> None:
    """Writes an error: for programs on standard output, for people on standard error."""
    if form in (Format.JSON, Format.YAML):
        problem = {
            "code": error.code,
            "message": error.message,
            "detail": list(error.detail),
            "suggestions": list(error.hints),
        }
        envelope: dict[str, object] = {
            "command": command,
            "status": "error",
            "exit_code": error.exit_code,
            "error": problem,
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


def safe(text: str) -> str:
    """Escapes whatever could act on a terminal, and bytes that are no text."""
    return "".join(_safe(char) for char in text)


def name_fields(key: str, name: str) -> dict[str, str]:
    """Returns a file name for JSON; one that is not UTF-8 is escaped, with its bytes beside."""
    raw = os.fsencode(name)
    try:
        raw.decode()
    except UnicodeDecodeError:
        return {key: safe(name), f"{key}_base64": base64.b64encode(raw).decode()}
    return {key: name}


def _safe(char: str) -> str:
    if char == "\t" or char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8, as the file system gave it
        return f"\\x{ord(char) - 0xDC00:02x}"
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")


def _write_data(envelope: object, form: Format) -> None:
    if form is Format.JSON:
        text = json.dumps(envelope, indent=2) + "\n"
    else:
        text = yaml.safe_dump(json.loads(json.dumps(envelope)), sort_keys=False)
    sys.stdout.write(text)


class _Console(Console):
    """A console that leaves it to the boundary what a reader who has left means."""

    def on_broken_pipe(self) -> None:
        """Raises it again; rich would end the process as failed."""
        raise BrokenPipeError


def _console(form: Format, stream: TextIO) -> Console:
    colored = form in (Format.RICH, Format.COLOR)
    # What is not a terminal gets whole lines: nothing may be cut off or wrapped for a width
    # that nobody looks at.
    width = None if stream.isatty() else 200
    terminal = None if colored else False  # what is plain has no style at all
    return _Console(file=stream, force_terminal=terminal, highlight=False, width=width)


def _print_block(block: Block, form: Format, console: Console) -> None:
    if isinstance(block, Text):
        for line in block.lines:
            console.print(_patch_style(line, form), soft_wrap=True)
    elif form in (Format.PLAIN, Format.COLOR):
        _print_plain(block, console)
    elif isinstance(block, Fields):
        console.print(_panel(block, form))
    else:
        console.print(_table(block, form))


def _print_plain(block: Fields | Grid, console: Console) -> None:
    if block.title:
        console.print(f"[bold]{escape(safe(block.title))}[/]")
    if isinstance(block, Fields):
        width = max((len(name) for name, _ in block.rows), default=0)
        for name, value in block.rows:
            console.print(f"  {name:<{width}}  {escape(safe(value))}", soft_wrap=True)
        return
    rows = [block.columns, *block.rows]
    widths = [max(len(safe(row[i])) for row in rows) for i in range(len(block.columns))]
    for row in rows:
        cells = [f"{safe(cell):<{width}}" for cell, width in zip(row, widths, strict=True)]
        console.print(escape("  ".join(cells).rstrip()), soft_wrap=True)


def _panel(block: Fields, form: Format) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in block.rows:
        grid.add_row(name, escape(safe(value)))
    frame = box.ROUNDED if form is Format.RICH else box.ASCII
    return RichPanel(
        Group(grid), title=escape(safe(block.title)), title_align="left", box=frame, expand=False
    )


def _table(block: Grid, form: Format) -> RenderableType:
    frame = box.SIMPLE_HEAD if form is Format.RICH else box.ASCII
    title = escape(safe(block.title)) or None
    table = RichTable(box=frame, title=title, title_justify="left", title_style="bold")
    for index, column in enumerate(block.columns):
        # What is for copying is never folded.
        table.add_column(column, no_wrap=index < COPIED, overflow="fold")
    for row in block.rows:
        table.add_row(*(escape(safe(cell)) for cell in row))
    return table


def _patch_style(line: str, form: Format) -> str:
    text = escape(safe(line))
    if form is Format.PLAIN or form is Format.TABLE:
        return text
    styles = {"+": "green", "-": "red", "@": "cyan"}
    style = styles.get(line[:1])
    return f"[{style}]{text}[/]" if style else text
