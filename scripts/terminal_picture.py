"""Makes docs/images/demo.svg from what `agents demo` really prints on a terminal.

python scripts/terminal_picture.py
"""

import io
import os
import pty
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS = 100
PICTURE = Path("docs/images/demo.svg")
LAST_LINE = "✓ OK Rollback complete"  # the first rollback by hand ends the picture


def main() -> None:
    """Runs the demo in a pseudo-terminal and draws it."""
    lines = run_on_terminal([".venv/bin/agents", "demo"]).splitlines()
    end = next(index for index, line in enumerate(lines) if LAST_LINE in plain(line))
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print("$ agents demo", style="bold")
    for line in lines[: end + 1]:
        console.print(Text.from_ansi(line), soft_wrap=True)
    svg = console.export_svg(title="agents demo", theme=MONOKAI, unique_id="demo")
    # No fonts from elsewhere: the picture must not load anything.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE), encoding="utf-8")


def run_on_terminal(command: list[str]) -> str:
    """Returns what a command prints on a terminal, without what it took back (spinners)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(COLUMNS=str(COLUMNS), TERM="xterm-256color")
        os.execv(command[0], command)  # noqa: S606 - our own command
    shown = b""
    while data := read(terminal):
        shown += data
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit(f"{' '.join(command)} failed:\n{shown.decode()}")
    text = shown.decode().replace("\r\n", "\n")
    text = re.sub(r"\x1b\[\?25[lh]", "", text)
    text = re.sub(r"[^\n]*\n?\r?(?:\x1b\[1A)?\x1b\[2K", "", text)
    return re.sub(r"/\S*/cleveragents-demo-\w+", "…", text)


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how a pseudo-terminal says that the other side has closed
        return b""


def plain(line: str) -> str:
    return Text.from_ansi(line).plain


if __name__ == "__main__":
    main()
