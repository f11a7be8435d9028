"""Makes the pictures of docs/images from what commands really show on a terminal.

python scripts/terminal_picture.py [NAME...]
"""

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pexpect
import pyte
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS, LINES = 100, 400  # more lines than any of them needs: nothing scrolls away
PICTURES = Path("docs/images")
BIN = Path(".venv/bin").absolute()
TASK = """\
name: add-taxes
steps:
  - {name: add taxes, tool: shell, with: {command: "printf 'RATE = 0.2\\n' > taxes.py"}}
  - {name: tidy up, tool: shell, with: {command: "rm -r docs; echo 'RATE = 0.19' > taxes.py"}}
  - {name: check, tool: shell, with: {command: "ls docs/plan.md"}}
rollback: {on_failure: keep}
"""
PRICES = """\
name: prices
steps:
  - {name: raise prices, tool: shell, with: {command: "sed -i s/2/3/ prices"}}
"""
KEYS = {"HOME": "\x1bOH", "DOWN": "\x1bOB", "ENTER": "\r"}


@dataclass(frozen=True)
class Picture:
    """A picture: what is done before it, what is typed, and how much of the screen is kept."""

    command: str
    before: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()  # once the screen shows this, these keys
    until: str = ""  # the last line that is kept
    lines: int = LINES  # of the terminal


ALL = {
    "demo": Picture("agents demo", until="✓ OK Rollback complete"),
    "failure": Picture("agents run task.yaml"),
    "rollback": Picture(
        "agents rollback 1", ("agents run task.yaml || true",), (("[y/N]", "y ENTER"),)
    ),
    "picker": Picture(
        "agents rollback",
        ("agents run task.yaml || true",),
        (("Would change", "HOME DOWN"), ("restored", "")),
        lines=14,
    ),
    "conflict": Picture(
        "agents plan conflicts @ prices",
        (
            "agents run prices.yaml",
            "sed -i s/2/5/ prices",
            "agents plan refresh @ --yes",
        ),
    ),
}


def main() -> None:
    """Makes the pictures that are named, or all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or ALL:
        with tempfile.TemporaryDirectory(prefix="shop-") as home:
            _draw(name, ALL[name], _shown(ALL[name], Path(home)))


def _shown(picture: Picture, home: Path) -> list[Text]:
    """Runs the commands in a small project and returns the lines on the screen."""
    project = home / "shop"
    (project / "docs").mkdir(parents=True)
    (project / "docs" / "plan.md").write_text("# Plan\n")
    (project / "prices").write_text("apples 2\n")
    (project / "task.yaml").write_text(TASK)
    (project / "prices.yaml").write_text(PRICES)
    own = {"HOME": str(home), "TMPDIR": str(home), "PATH": f"{BIN}:{os.environ['PATH']}"}
    variables = {**os.environ, **own}
    for line in picture.before:
        subprocess.run(["/bin/sh", "-c", line], cwd=project, env=variables, check=True)
    screen = pyte.Screen(COLUMNS, picture.lines)
    child = pexpect.spawn(
        "/bin/sh",
        ["-c", picture.command],
        cwd=project,
        env={**variables, "TERM": "xterm-256color"},
        dimensions=(picture.lines, COLUMNS),
        encoding="utf-8",
    )
    _type(child, pyte.Stream(screen), screen, picture)
    return [_line(screen, row, str(home)) for row in range(picture.lines)]


def _type(child: pexpect.spawn, stream: pyte.Stream, screen: pyte.Screen, picture: Picture) -> None:
    """Types the keys as the screen shows what they answer; then reads to the end, if it ends."""
    for text, keys in picture.keys:
        while not any(text in line for line in screen.display):
            stream.feed(child.read_nonblocking(4096, timeout=30))
        for key in keys.split():
            child.send(KEYS.get(key, key))
    if picture.keys and not picture.keys[-1][1]:  # a picture of the middle
        child.close(force=True)
        return
    child.expect(pexpect.EOF)
    stream.feed(str(child.before))


def _line(screen: pyte.Screen, row: int, home: str) -> Text:
    """One line of the screen with its styles; where it was made is nobody's concern."""
    text = Text()
    cells = [screen.buffer[row][column] for column in range(COLUMNS)]
    for style, run in groupby(cells, _style):
        text.append("".join(cell.data for cell in run), style)
    text.rstrip()
    found = text.plain.find(home)
    return text if found < 0 else Text(text.plain.replace(home, "~"))


def _style(cell: pyte.screens.Char) -> Style:
    color = None if cell.fg == "default" else cell.fg.replace("brown", "yellow")
    return Style(color=color, bold=cell.bold, reverse=cell.reverse)


def _draw(name: str, picture: Picture, lines: list[Text]) -> None:
    while lines and not lines[-1].plain:
        lines.pop()
    ends = [index for index, line in enumerate(lines) if picture.until in line.plain]
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(f"$ {picture.command}", style="bold")
    for line in lines[: ends[0] + 1 if picture.until else None]:
        console.print(line, soft_wrap=True)
    svg = console.export_svg(title=shlex.split(picture.command)[0], theme=MONOKAI, unique_id=name)
    # No fonts from elsewhere: the picture must not load anything.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    path = PICTURES / f"{name}.svg"
    path.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE), encoding="utf-8")


if __name__ == "__main__":
    main()
