"""The root record of a snapshot: self-describing, so that a lost row can be rebuilt from it."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleveragents.errors import Damaged
from cleveragents.records import frozen
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.filter import FORGOTTEN, Filter
from cleveragents.snapshots.tree.manifest import Entry, decode, encode

FORMAT = 1
MAIN = "tree"  # the root that filters apply to
_ROOT = b"root"
Roots = Mapping[str, Path]  # the directories of a snapshot, by the name of the root


@frozen
class Snapshot:
    """The exact content of one or more directories at one moment."""

    roots: Mapping[str, Entry]  # by the name of the root
    filter: Filter
    not_captured: tuple[str, ...]
    about: Mapping[str, Any]  # whatever its maker needs to rebuild its own row

    def covers(self, path: bytes) -> bool:
        """Tells whether it knows what stands at a path of its files, be it nothing."""
        return self.filter.covers(path)

    def why_unknown(self, path: bytes) -> str | None:
        """Tells why it does not cover a single path that it was to have; None if it is no such."""
        if self.filter.single.covers(path):
            return None
        heads = [f"{os.fsdecode(one)}: " for one in tree_path.and_above(path)]
        found = (
            line.removeprefix(head)
            for head in heads
            for line in self.not_captured
            if line.startswith(head)
        )
        why = next(found, FORGOTTEN)
        return f"it was {why}" if why == FORGOTTEN else why


def to_bytes(snapshot: Snapshot) -> bytes:
    """Returns the canonical bytes of the record."""
    record = {
        "format": FORMAT,
        # A root is an entry without a parent: it is kept as a directory that holds it alone.
        "roots": {name: encode({_ROOT: entry}).hex() for name, entry in snapshot.roots.items()},
        "filter": snapshot.filter.patterns,
        "not_captured": snapshot.not_captured,
        "about": snapshot.about,
    }
    return json.dumps(record, sort_keys=True).encode()


def from_bytes(data: bytes) -> Snapshot:
    """Reads a record back."""
    record = json.loads(data)
    if record["format"] != FORMAT:
        raise Damaged(f"the snapshot has format {record['format']}, this program reads {FORMAT}")
    return Snapshot(
        {name: decode(bytes.fromhex(text))[_ROOT] for name, text in record["roots"].items()},
        Filter(tuple(record["filter"])),
        tuple(record["not_captured"]),
        record["about"],
    )
