"""Makes text safe to show: nothing in it acts on a terminal, and every terminal can show it."""

import codecs
import io
import unicodedata
from typing import TextIO, cast

# What stands for our own signs where the terminal's encoding has none.
SIGNS = {
    "✓": "+",
    "✗": "x",
    "→": "->",
    "↶": "<-",
    "⇐": "<=",
    "↻": "<>",
    "…": "...",
    "·": ".",
    "─": "-",
    "│": "|",
    "├": "|",
    "└": "`",
}
_HANDLER = "cleveragents.signs"


def safe(text: str) -> str:
    """Escapes whatever could act on a terminal, and bytes that are no text."""
    return "".join(_safe(char) for char in text)


def safe_cell(text: str) -> str:
    """The same for a cell of a table, whose columns a tab would shift."""
    return safe(text).replace("\t", "\\t")


def show_every_sign(stream: TextIO) -> None:
    """Lets a stream write what its encoding lacks: signs of ours in ASCII, all else escaped."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_HANDLER)


def encoded(text: str, stream: TextIO) -> bytes:
    """Returns text as a stream would write it."""
    return text.encode(stream.encoding or "utf-8", _HANDLER)


def _safe(char: str) -> str:
    if char == "\t" or char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is no UTF-8, as the file system gave it
        return f"\\x{ord(char) - 0xDC00:02x}"
    if unicodedata.category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    found = cast("UnicodeEncodeError", error)  # nothing is ever read with it
    escaped = (
        SIGNS.get(char) or char.encode("ascii", "backslashreplace").decode()
        for char in found.object[found.start : found.end]
    )
    return "".join(escaped), found.end


codecs.register_error(_HANDLER, _stand_in)
