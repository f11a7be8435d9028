"""How many columns of a terminal a text takes, and how it is folded into fewer."""

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"\s*\S+\s*")
_JOINED = ("\u1160", "\u11ff")  # vowels and finals of Hangul stand in the cell of their initial


def cell_len(text: str) -> int:
    """How many columns a text takes: wide letters take two, marks on others none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.category(char)[0] == "M" or _JOINED[0] <= char <= _JOINED[1]:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def padded(text: str, width: int) -> str:
    """A text of exactly so many columns: cut, or filled with spaces."""
    if cell_len(text) > width:
        text = next(_chopped(text, width), "")
    return text + " " * (width - cell_len(text))


def folded(text: str, width: int) -> list[str]:
    """The lines of a text that is folded between words; only longer words are folded within."""
    lines, line = list[str](), ""
    for word in _WORD.findall(text.expandtabs()):
        size = cell_len(word.rstrip())
        if cell_len(line) + size <= width:
            line += word
            continue
        lines += [line] if line else []
        *chopped, line = _chopped(word, width) if size > width else [word]
        lines += chopped
    return [line.rstrip() for line in [*lines, line]]


def _chopped(text: str, width: int) -> Iterator[str]:
    """Yields parts of a text, each as long as fits."""
    part, taken = "", 0
    for char in text:
        size = _width(char)
        if taken + size > width:
            yield part
            part, taken = "", 0
        part, taken = part + char, taken + size
    yield part
