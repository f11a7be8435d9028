"""The filter of a snapshot: paths that it leaves out, in capture and restore alike."""

import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from cleveragents.records import frozen
from cleveragents.snapshots.tree import tree_path

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
        if text in self._paths or self._by_name.match(name):
            return True
        return bool(self._by_path.match(text))

    def covers(self, path: bytes) -> bool:
        """Tells whether a path is captured: neither it nor a directory that it is in is left out.

        Of one that is not, a snapshot says nothing, not even that it is not there.
        """
        return not any(map(self.excludes, tree_path.and_above(path)))

    @cached_property
    def single(self) -> "Filter":
        """The part of it that names single paths: erased, or in the way of a capture."""
        return Filter(tuple(filter(_is_only, self.patterns)))

    def without(self, paths: Iterable[bytes]) -> "Filter":
        """Returns the same with paths that are left out from now on, and no other by it."""
        return self.and_patterns(map(only, paths))

    def and_patterns(self, patterns: Iterable[str]) -> "Filter":
        """Returns one that leaves out what these patterns match as well."""
        return Filter(tuple(dict.fromkeys([*self.patterns, *patterns])))

    @cached_property
    def _by_name(self) -> re.Pattern[str]:
        return _any_of([pattern for pattern in self.patterns if "/" not in pattern])

    @cached_property
    def _by_path(self) -> re.Pattern[str]:
        return _any_of([one for one in self.patterns if "/" in one and _single_path(one) is None])

    @cached_property
    def _paths(self) -> frozenset[str]:  # there may be thousands: a glob for each would be slow
        return frozenset(filter(None, map(_single_path, self.patterns)))


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


def _single_path(pattern: str) -> str | None:
    """Returns the path that a pattern made by `only` names; None if it was not."""
    if not _is_only(pattern):
        return None
    first = pattern[1] if pattern.startswith("[]") else pattern[2]
    text = first + re.sub(r"\[([*?[])\]", r"\1", pattern[4:])
    return text if only(os.fsencode(text)) == pattern else None


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")


# Never part of a live directory's captures, and told by nobody: repositories, and what an undo is
# building beside its place.
NEVER = Filter((".git", ".hg", ".jj", ".svn", ".cleveragents-*"))
