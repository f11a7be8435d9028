"""Lets every terminal show our signs, whatever its encoding lacks."""

import codecs
import io
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
    **dict.fromkeys("▏▎▍▌", "."),
    **dict.fromkeys("▋▊▉█", "#"),
}
_HANDLER = "cleveragents.signs"


def show_every_sign(stream: TextIO) -> None:
    """Lets a stream write what its encoding lacks: signs of ours in ASCII, all else escaped."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_HANDLER)


def encoded(text: str, stream: TextIO) -> bytes:
    """Returns text as a stream would write it."""
    return text.encode(stream.encoding or "utf-8", _HANDLER)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    found = cast("UnicodeEncodeError", error)  # nothing is ever read with it
    escaped = (
        SIGNS.get(char) or char.encode("ascii", "backslashreplace").decode()
        for char in found.object[found.start : found.end]
    )
    return "".join(escaped), found.end


codecs.register_error(_HANDLER, _stand_in)
