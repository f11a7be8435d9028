"""Previews that somebody agreed to: a digest tells each from any other."""

import hashlib
from collections.abc import Iterable

from cleveragents.errors import Refused
from cleveragents.snapshots.tree.manifest import Change


def digest_of(changes: Iterable[Change], *others: object) -> str:
    """Tells two acts apart: by what each path was and shall be, and by all else they touch."""
    digest = hashlib.sha256(repr(others).encode())
    for change in changes:
        sides = [
            b"" if entry is None else entry.content + repr((entry.mode, entry.xattrs)).encode()
            for entry in (change.before, change.after)
        ]
        digest.update(b"\0".join([change.path, *sides]))
    return digest.hexdigest()


def refuse_other(shown: str | None, now: str, again: str) -> None:
    """Refuses to do anything else than what was shown; who was shown nothing wants it as it is."""
    if shown not in (None, now):
        raise Refused(
            "what it would do has changed since you were shown this; it was not done",
            hints=[f"look again: {again}"],
        )
