"""Writes the Python of each page as a program to build/page_programs, for type checkers.

python scripts/page_programs.py

The blocks of a page are one program, each line where it stands in the page: a problem in line 12 is
one in line 12 there. A block with a file name belongs to what that page lets people type.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from check_docs import ROOT, find_pages

PROGRAMS = ROOT / "build" / "page_programs"
BEGIN, END = re.compile(r"^```python$"), re.compile(r"^```$")


def main() -> None:
    """Writes them all anew."""
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    PROGRAMS.mkdir(parents=True)
    for page in find_pages():
        lines = list(program(page))
        if any(lines):
            name = "_".join(page.relative_to(ROOT).with_suffix(".py").parts)
            (PROGRAMS / name).write_text("\n".join([*lines, ""]), encoding="utf-8")


def program(page: Path) -> Iterator[str]:
    """Yields each line of a page that is Python, and an empty one for each that is not."""
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if inside and END.match(line):
            inside = False
        yield line if inside else ""
        if BEGIN.match(line):
            inside = True


if __name__ == "__main__":
    main()
