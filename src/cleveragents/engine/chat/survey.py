"""Counts what lies below a directory, without reading a file of it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from cleveragents.snapshots.tree import giving_up, tree_path
from cleveragents.snapshots.tree.filter import NEVER, Filter


class Counted:
    """One directory, with everything below it."""

    __slots__ = ("directories", "files", "is_repository", "own", "parent", "path", "size")

    def __init__(self, path: bytes, parent: "Counted | None") -> None:
        self.path = path
        self.parent = parent
        self.own: dict[bytes, int] = {}  # the sizes of the files that are directly in it, by path
        self.directories: list[Counted] = []
        self.files = self.size = 0  # of all of it; known when all of it is
        self.is_repository = False  # whether it is the top of one

    def all(self) -> "Iterator[Counted]":
        """Yields it and every directory below it, parents first."""
        waiting: list[Counted] = [self]
        while waiting:
            one = waiting.pop()
            waiting.extend(one.directories)
            yield one

    def add_up(self) -> None:
        """Counts all of it."""
        for one in reversed([*self.all()]):
            one.files = len(one.own) + sum(inner.files for inner in one.directories)
            inner_size = sum(inner.size for inner in one.directories)
            one.size = sum(one.own.values()) + inner_size

    def take_out(self, files: int, size: int) -> None:
        """Counts something of it no longer, here and above."""
        above: Counted | None = self
        while above is not None:
            above.files -= files
            above.size -= size
            above = above.parent


class Survey:
    """Everything below a root that a capture would meet, and what it would not."""

    def __init__(self) -> None:
        self.top = Counted(b"", None)
        self.excluded: dict[bytes, Counted] = {}  # by the filter, with all in it
        self.elsewhere: list[bytes] = []  # directories on other file systems


def survey(root: Path, filter_: Filter) -> Survey:
    """Counts; what cannot be entered counts as empty."""
    device = root.stat().st_dev
    found = Survey()
    waiting = [found.top]
    while waiting:
        giving_up.look()
        one = waiting.pop()
        for name, there in _entries(root, one):
            path = tree_path.joined(one.path, name)
            into = one
            if filter_.excludes(path):
                into = found.excluded[path] = Counted(path, None)
            if stat.S_ISREG(there.st_mode):
                into.own[path] = there.st_size
            elif stat.S_ISDIR(there.st_mode) and there.st_dev == device:
                inner = Counted(path, into)
                into.directories.append(inner)
                waiting.append(inner)
            elif stat.S_ISDIR(there.st_mode):
                found.elsewhere.append(path)
    for each in (found.top, *found.excluded.values()):
        each.add_up()
    return found


def _entries(root: Path, one: Counted) -> Iterator[tuple[bytes, os.stat_result]]:
    """Yields what a directory has, but for what nobody captures, and what is gone meanwhile."""
    try:
        listed = [*os.scandir(os.path.join(os.fsencode(root), one.path))]
    except OSError:  # closed, or gone: a capture says so
        return
    for entry in listed:
        one.is_repository |= entry.name == b".git"
        if not NEVER.excludes(entry.name):
            try:
                there = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield entry.name, there
