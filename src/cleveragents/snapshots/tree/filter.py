"""The filter of a snapshot: paths that it leaves out, in capture and restore alike."""

import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from cleveragents.records import frozen

FORGOTTEN = "forgotten"  # why a path is not captured any more


@frozen
class Filter:
    """Globs: one without a slash matches a name anywhere, one with a slash the whole path."""

    patterns: tuple[str, ...] = ()

    @classmethod
    def of(cls, patterns: Sequence[str]) -> "Filter":
        """Makes a filter of the patterns as a user wrote them."""
        return cls(tuple(pattern.strip("/") for pattern in patterns))

    def excludes(self, path: bytes) -> bool:
        """Tells whether a path is left out; what lies below an excluded directory is never met."""
        if not self.patterns:
            return False
        text = os.fsdecode(path)
        name = text.rpartition("/")[2]
        return bool(self._by_name.match(name) or self._by_path.match(text))

    @cached_property
    def forgotten(self) -> "Filter":
        """The part of it that names what was erased; see `only`."""
        return Filter(tuple(filter(_is_only, self.patterns)))

    def erasing(self, paths: Iterable[bytes]) -> "Filter":
        """Returns the same with paths that are left out from now on, and no other by it."""
        return Filter(tuple(dict.fromkeys([*self.patterns, *map(only, paths)])))

    @cached_property
    def _by_name(self) -> re.Pattern[str]:
        return _any_of([pattern for pattern in self.patterns if "/" not in pattern])

    @cached_property
    def _by_path(self) -> re.Pattern[str]:
        return _any_of([pattern for pattern in self.patterns if "/" in pattern])


def only(path: bytes) -> str:
    """Returns the glob that matches one path and no other, one at the top as well.

    It has a slash, so that every version takes it for a whole path: in a choice of two characters,
    of which no path begins with the slash.
    """
    text = os.fsdecode(path)
    first = "[]/]" if text[0] == "]" else f"[/{text[0]}]"
    return first + re.sub(r"([*?[])", r"[\1]", text[1:])


def _is_only(pattern: str) -> bool:
    return pattern.startswith(("[/", "[]/]"))


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")
