"""Paths that are forgotten."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.engine.care.erasure import ErasedPath, Erasure


class ForgottenPath(TypedDict):
    """A path, and what goes of it."""

    path: str
    project: str
    versions: int  # different contents
    bytes: int  # of all versions together
    checkpoints: int  # that stay, without it
    plans: Sequence[str]  # their names


class SharedBytes(TypedDict):
    """Another path that has the same bytes, and keeps them."""

    path: str
    checkpoints: int


class Forgetting(TypedDict):
    """Paths that are gone from all checkpoints, or would be."""

    dry_run: bool
    forgotten: Sequence[ForgottenPath]  # empty: nothing is stored of the paths
    same_bytes: Sequence[SharedBytes]
    not_touched: Sequence[str]  # files that are there and stay
    bytes_freed: int | None  # on the disk; null: nothing was done


def forgetting_of(found: Erasure, bytes_freed: int | None) -> Forgetting:
    """Paths that are gone; without a number of bytes they would be."""
    return {
        "dry_run": bytes_freed is None,
        "forgotten": [_path(one) for one in found.paths],
        "same_bytes": [{"path": one.path, "checkpoints": one.checkpoints} for one in found.shared],
        "not_touched": found.left,
        "bytes_freed": bytes_freed,
    }


def _path(one: ErasedPath) -> ForgottenPath:
    return {
        "path": one.path,
        "project": str(one.project),
        "versions": one.versions,
        "bytes": one.size_bytes,
        "checkpoints": one.checkpoints,
        "plans": one.plans,
    }
