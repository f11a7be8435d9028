"""The filter of a snapshot: paths that it leaves out, in capture and restore alike."""

import fnmatch
import os
import re
from collections.abc import Sequence
from functools import cached_property

from cleveragents.records import frozen


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
    def _by_name(self) -> re.Pattern[str]:
        return _any_of([pattern for pattern in self.patterns if "/" not in pattern])

    @cached_property
    def _by_path(self) -> re.Pattern[str]:
        return _any_of([pattern for pattern in self.patterns if "/" in pattern])


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")
