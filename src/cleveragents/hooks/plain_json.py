"""JSON without the module `json`, which takes longer to import than a hook may take in all.

The interpreter's own scanner reads it, as `json` would let it; whatever that does not take, `json`
judges. What is written are records of texts, numbers, yes or no, and lists of texts.
"""

from _json import encode_basestring_ascii

TYPE_CHECKING = False  # as `typing` has it
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

    def make_scanner(_: object) -> "Callable[[str, int], tuple[object, int]]":
        """The scanner, which needs less of its context than is said of it."""
        ...


if not TYPE_CHECKING:
    from _json import make_scanner

MOST_DIGITS = 300  # of a whole number; Python refuses very long ones


def _whole(text: str) -> float:
    return int(text) if len(text) <= MOST_DIGITS else float(text)


class _AsUsual:
    """How `json.loads` lets the scanner read."""

    strict = False  # a tab in a text is no reason to lose an event
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = staticmethod(_whole)
    parse_constant = float


_scan = make_scanner(_AsUsual())


def read(text: str) -> object:
    """Reads one value; refuses what is none with a ValueError."""
    text = text.strip()
    try:
        value, end = _scan(text, 0)
    except (StopIteration, SystemError, ValueError):  # it has no words of its own for mistakes
        value, end = None, -1
    if end == len(text):
        return value
    import json  # slow to import

    return json.loads(text, strict=False, parse_int=_whole)


def read_table(text: str) -> dict[str, object]:
    """Reads a table; any other value is an empty one."""
    value = read(text)
    return value if _is_table(value) else {}


def written(value: object) -> str:
    """Writes a value on one line, in ASCII."""
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if _is_list(value):
        return "[" + ",".join([written(one) for one in value]) + "]"
    if _is_table(value):
        return "{" + ",".join([f"{written(key)}:{written(value[key])}" for key in value]) + "}"
    return repr(value)


def _is_table(value: object) -> "TypeGuard[dict[str, object]]":
    return isinstance(value, dict)


def _is_list(value: object) -> "TypeGuard[list[object]]":
    return isinstance(value, list)
