"""Writes what can be had of a stored tree to a new directory."""

import stat
from pathlib import Path

from cleveragents.snapshots.store.traverse import intact
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.content import Read
from cleveragents.snapshots.tree.manifest import Change, Entry
from cleveragents.snapshots.write.restore import place
from cleveragents.storage.scratch import scratch_directory


def extract(root: Entry, target: Path, read: Read) -> None:
    """Makes the directory, and leaves out what is damaged."""
    target.mkdir(parents=True)
    found = [*intact(b"", root, read)]
    there = {path for path, _ in found}
    empty = Entry(stat.S_IFDIR | 0o700)
    changes = [
        Change(path, None if path else empty, entry)
        for path, entry in found
        if entry.link in (b"", path) or entry.link in there
    ]
    with (
        scratch_directory(target.parent, prefix=".extracting-") as staging,
        beneath.root_directory(staging) as staging_fd,
    ):
        place(target, staging_fd, changes, read)
