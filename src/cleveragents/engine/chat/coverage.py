"""Which of a user's directory chats cover: what is too much is left out by name, and told.

It is decided at the first look and kept, so that every capture leaves out the same. A look that
meets more that is new than a directory that git ignores may have is given up, and it is decided
anew: whatever an agent installs is left out before it is read.
"""

import json
import os
from pathlib import Path
from typing import Any

from cleveragents.counting import counted, size
from cleveragents.engine.chat.survey import Counted, Survey, survey
from cleveragents.records import as_dict, frozen
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.live_scan import Bounds
from cleveragents.storage.replacing import replace_file

MODE = 0o600
OTHER_FILE_SYSTEM = "another file system is mounted there"
NAMED = "chat.exclude names it"
NAMED_BY_PROJECT = "chat.exclude names it, in the project's own settings"


@frozen
class CoveragePolicy:
    """How much of a directory chats cover."""

    exclude: tuple[str, ...]  # globs
    of_project: tuple[str, ...]  # those of them that only the project's own settings name
    ignored_files: int  # of a directory that git ignores
    ignored_bytes: int
    max_file: int  # bytes
    max_files: int
    max_bytes: int

    @property
    def bounds(self) -> Bounds:
        """The bounds of each look."""
        return Bounds(self.max_file, self.ignored_files, self.ignored_bytes)


@frozen
class LeftOut:
    """A path that chats do not cover, or a glob of such."""

    path: str
    files: int
    bytes: int
    why: str


@frozen
class Coverage:
    """How much of a directory chats cover, and what they leave out."""

    filter: Filter
    left_out: tuple[LeftOut, ...]
    files: int
    bytes: int

    @classmethod
    def of(cls, root: Path, policy: CoveragePolicy, room: int) -> "Coverage":
        """Decides it for a directory as it is; `room` is how many bytes may be stored at most."""
        globs = Filter.of(policy.exclude)
        return _Choice(root, policy, room, survey(root, globs)).made(globs)


def why_left_out(covered: Coverage, path: bytes) -> str | None:
    """Tells why a path, or a directory that it is in, is left out; None: that was not decided."""
    heads = set(map(os.fsdecode, tree_path.and_above(path)))
    for one in covered.left_out:
        is_glob = one.why in (NAMED, NAMED_BY_PROJECT)
        if not Filter.of([one.path]).covers(path) if is_glob else one.path in heads:
            return one.why
    return None


class KeptCoverage:
    """The coverage of one directory, kept between processes."""

    def __init__(self, root: Path, path: Path, policy: CoveragePolicy) -> None:
        self._root = root
        self._path = path  # in the data directory
        self._policy = policy

    def now(self, room: int) -> Coverage:
        """Returns what was decided; decides it if nothing was, or for other settings."""
        return self.known() or self.anew(room)

    def known(self) -> Coverage | None:
        """Returns what was decided with these settings; None: nothing was."""
        try:
            return _from_record(json.loads(self._path.read_bytes()), self._policy)
        except (OSError, ValueError, KeyError, TypeError):  # there is none, or it is another's
            return None

    def anew(self, room: int) -> Coverage:
        """Decides it for the directory as it is now, and keeps that."""
        found = Coverage.of(self._root, self._policy, room)
        replace_file(self._path, json.dumps(_to_record(found, self._policy)).encode(), MODE)
        return found


class _Choice:
    """Leaves out one thing after the other until the rest is as little as the policy asks."""

    def __init__(self, root: Path, policy: CoveragePolicy, room: int, found: Survey) -> None:
        self._root = root
        self._policy = policy
        self._most = min(policy.max_bytes, room)
        self._found = found
        self._told: list[LeftOut] = []
        self._paths: list[bytes] = []  # those that the filter must name

    def made(self, globs: Filter) -> Coverage:
        """Returns what comes of it."""
        top, policy = self._found.top, self._policy
        self._tell_named()
        for path in self._found.elsewhere:
            self._told.append(LeftOut(os.fsdecode(path), 0, 0, OTHER_FILE_SYSTEM))
        self._leave_out_large()
        # Late: what is covered is decided once, and only that asks git.
        from cleveragents.engine.chat.ignored import ignored_directories  # noqa: PLC0415

        much = (policy.ignored_files, policy.ignored_bytes)
        for one in ignored_directories(self._root, top, *much):
            self._leave_out(one, "git ignores it, and it is large")
        most_files = counted(policy.max_files, "file")
        self._fit("files", policy.max_files, f"the largest: chats cover {most_files} at most")
        self._fit("size", self._most, self._why_most)
        for path, length in sorted(top.own.items(), key=lambda item: -item[1]):
            if top.size > self._most:
                self._leave_out_file(top, path, length, self._why_most)
                self._paths.append(path)
        left_out = tuple(sorted(self._told, key=lambda one: one.path))
        return Coverage(globs.without(sorted(self._paths)), left_out, top.files, top.size)

    @property
    def _why_most(self) -> str:
        if self._most == self._policy.max_bytes:
            return f"the largest: chats cover {size(self._most)} at most"
        return f"the largest: half of what is free for checkpoints is {size(self._most)}"

    def _tell_named(self) -> None:
        """Tells each glob once, with all that it matches."""
        left = dict(self._found.excluded)
        for pattern in self._policy.exclude:
            names = Filter.of([pattern])
            matched = [left.pop(path) for path in [*left] if names.excludes(path)]
            if matched:
                files, much = sum(one.files for one in matched), sum(one.size for one in matched)
                why = NAMED_BY_PROJECT if pattern in self._policy.of_project else NAMED
                self._told.append(LeftOut(pattern, files, much, why))

    def _leave_out_large(self) -> None:
        """Each look leaves such files out by their size, so that no filter needs to name them."""
        why = f"larger than {size(self._policy.max_file)}"
        for one in self._found.top.all():
            for path, length in [*one.own.items()]:
                if length > self._policy.max_file:
                    self._leave_out_file(one, path, length, why)

    def _leave_out_file(self, one: Counted, path: bytes, length: int, why: str) -> None:
        del one.own[path]
        one.take_out(1, length)
        self._told.append(LeftOut(os.fsdecode(path), 1, length, why))

    def _leave_out(self, one: Counted, why: str) -> None:
        self._told.append(LeftOut(os.fsdecode(one.path), one.files, one.size, why))
        self._paths.append(one.path)
        parent = one.parent or self._found.top
        parent.directories.remove(one)
        parent.take_out(one.files, one.size)

    def _fit(self, measure: str, most: int, why: str) -> None:
        """Leaves out the largest directory, or as little of it as is enough, and so on."""

        def amount(one: Counted) -> int:
            return getattr(one, measure)

        top = self._found.top
        while (excess := amount(top) - most) > 0:
            one = max(top.directories, key=amount, default=top)
            if one is top or not amount(one):
                return
            while one.directories and amount(inner := max(one.directories, key=amount)) >= excess:
                one = inner
            self._leave_out(one, why)


def _to_record(found: Coverage, policy: CoveragePolicy) -> dict[str, object]:
    return {
        "policy": _policy_record(policy),
        "patterns": found.filter.patterns,
        "left_out": [as_dict(one) for one in found.left_out],
        "files": found.files,
        "bytes": found.bytes,
    }


def _policy_record(policy: CoveragePolicy) -> dict[str, object]:
    """A policy as JSON gives it back."""
    globs = {"exclude": [*policy.exclude], "of_project": [*policy.of_project]}
    return {**as_dict(policy), **globs}


def _from_record(record: dict[str, Any], policy: CoveragePolicy) -> Coverage | None:
    if record["policy"] != _policy_record(policy):
        return None
    left_out = tuple(LeftOut(**one) for one in record["left_out"])
    return Coverage(Filter(tuple(record["patterns"])), left_out, record["files"], record["bytes"])
