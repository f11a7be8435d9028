"""JSON as a text: what stands where, with comments and trailing commas as some clients allow them.

`json` tells what a text says and not where; to change a part and keep every other byte takes both.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from cleveragents.records import frozen

BLANK = " \t\r\n"
BOM = "\ufeff"
_NOTHING = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_PLAIN = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|[-+.0-9A-Za-z]+')
MOST_DEPTH = 100  # of settings; what is deeper is none


@frozen
class Part:
    """An entry of an object or an array."""

    name: str  # in an array: empty
    start: int  # of its name, or of itself
    value: "Value"
    comma: int | None  # where the comma after it stands

    @property
    def end(self) -> int:
        """Where it ends, without its comma."""
        return self.value.end


@frozen
class Value:
    """A value, and where it stands."""

    start: int
    end: int
    data: Any  # what it says
    parts: tuple[Part, ...] = ()

    @property
    def is_object(self) -> bool:
        """Whether it has entries with names."""
        return isinstance(self.data, dict)

    def find(self, name: str) -> Part | None:
        """The entry of a name; of several the last, which is the one that counts."""
        return next((part for part in reversed(self.parts) if part.name == name), None)


def parse(text: str) -> Value:
    """Reads a text; raises ValueError with the line where it is no JSON."""
    reader = _Reader(text)
    start = reader.skip(len(BOM) if text.startswith(BOM) else 0)
    value = reader.value(start, 0)
    if reader.skip(value.end) != len(text):
        raise reader.wrong(reader.skip(value.end))
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """Goes past blanks and comments."""
        found = _NOTHING.match(self._text, at)
        return found.end() if found else at

    def wrong(self, at: int) -> ValueError:
        line = self._text.count("\n", 0, at) + 1
        return ValueError(f"line {line} is no JSON")

    def value(self, at: int, depth: int) -> Value:
        if depth > MOST_DEPTH:
            raise self.wrong(at)
        sign = self._text[at : at + 1]
        if sign == "{":
            parts, end = self._parts(at, "}", lambda place: self._member(place, depth))
            return Value(at, end, {part.name: part.value.data for part in parts}, parts)
        if sign == "[":
            parts, end = self._parts(at, "]", lambda place: self._item(place, depth))
            return Value(at, end, [part.value.data for part in parts], parts)
        return self._plain(at)

    def _plain(self, at: int) -> Value:
        found = _PLAIN.match(self._text, at)
        try:
            return Value(at, at + len(found[0]), json.loads(found[0])) if found else self._none(at)
        except ValueError as error:
            raise self.wrong(at) from error

    def _none(self, at: int) -> Value:
        raise self.wrong(at)

    def _member(self, at: int, depth: int) -> Part:
        name = self._plain(at)
        colon = self.skip(name.end)
        if not isinstance(name.data, str) or self._text[colon : colon + 1] != ":":
            raise self.wrong(at)
        return Part(name.data, at, self.value(self.skip(colon + 1), depth + 1), None)

    def _item(self, at: int, depth: int) -> Part:
        return Part("", at, self.value(at, depth + 1), None)

    def _parts(
        self, at: int, closing: str, read: Callable[[int], Part]
    ) -> tuple[tuple[Part, ...], int]:
        parts: list[Part] = []
        place = self.skip(at + 1)
        while self._text[place : place + 1] != closing:
            part = read(place)
            place = self.skip(part.end)
            comma = place if self._text[place : place + 1] == "," else None
            parts.append(Part(part.name, part.start, part.value, comma))
            if comma is not None:
                place = self.skip(comma + 1)
            elif self._text[place : place + 1] != closing:
                raise self.wrong(place)
        return tuple(parts), place + 1
