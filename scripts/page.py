"""Writes a page that is made from the code, or checks that it is up to date."""

import sys
from pathlib import Path


def settle(script: str, pages: dict[Path, str]) -> None:
    """Writes pages; with --check on the command line, fails if one differs instead."""
    for path, text in pages.items():
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path} is out of date; run: python {script}")
