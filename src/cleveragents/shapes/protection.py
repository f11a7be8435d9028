"""Directories that are protected, and the hooks in settings of coding agents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict

from cleveragents.clients.client import HookLevel
from cleveragents.clients.installation import Proposal
from cleveragents.engine.chat.coverage import Coverage
from cleveragents.engine.chat.coverage import LeftOut as CoverageGap
from cleveragents.engine.chat.probe import ProbedClient

Fate = Literal["added", "changed", "unchanged", "removed", "refused"]


class HookFile(TypedDict):
    """A settings file of a coding agent, and what became of it."""

    client: str
    level: HookLevel
    file: str
    action: Fate
    why: str | None  # it was refused
    needs: Sequence[str]  # from the user, before its hooks run


class LeftOut(TypedDict):
    """A path that checkpoints do not cover."""

    path: str
    files: int
    bytes: int
    why: str


class ProtectionReport(TypedDict):
    """A directory that is protected now, or would be."""

    dry_run: bool
    root: str
    data_dir: str
    files: Sequence[HookFile]
    covered_files: int  # that checkpoints cover
    covered_bytes: int
    left_out: Sequence[LeftOut]


class UnprotectionReport(TypedDict):
    """The settings files that hooks were taken out of."""

    data_dir: str
    files: Sequence[HookFile]
    still_protected: Sequence[str]  # directories


class CheckedClient(TypedDict):
    """A coding agent, and whether its hooks do what they should."""

    name: str
    version: str | None
    level: HookLevel | None  # null: it has no hooks
    file: str
    command_ok: bool
    row_seen: bool  # what a made-up event left
    works: bool  # nothing that is known to be needed is missing
    last_event_at: str | None  # of a real event in this directory
    needs: Sequence[str]


class HookCheck(TypedDict):
    """All coding agents here, and whether their hooks do what they should."""

    clients: Sequence[CheckedClient]
    root: str
    data_dir: str
    keeper: int | None  # its process; null: there is none right now
    left_out: Sequence[LeftOut]


def protection_of(
    root: Path, data: Path, proposals: Sequence[Proposal], covered: Coverage, *, dry_run: bool
) -> ProtectionReport:
    """A directory that is protected."""
    return {
        "dry_run": dry_run,
        "root": str(root),
        "data_dir": str(data),
        "files": [hook_file_of(one) for one in proposals],
        "covered_files": covered.files,
        "covered_bytes": covered.bytes,
        "left_out": _left_out(covered.left_out),
    }


def unprotection_of(
    data: Path, proposals: Sequence[Proposal], roots: Sequence[Path]
) -> UnprotectionReport:
    """The files that hooks were taken out of."""
    files = [hook_file_of(one) for one in proposals]
    return {"data_dir": str(data), "files": files, "still_protected": list(map(str, roots))}


def check_of(
    root: Path,
    data: Path,
    rows: Sequence[ProbedClient],
    keeper: int | None,
    left_out: Sequence[CoverageGap],
) -> HookCheck:
    """What was found out about hooks."""
    return {
        "clients": [_checked(one) for one in rows],
        "root": str(root),
        "data_dir": str(data),
        "keeper": keeper,
        "left_out": _left_out(left_out),
    }


def _left_out(gaps: Sequence[CoverageGap]) -> list[LeftOut]:
    return [
        {"path": one.path, "files": one.files, "bytes": one.bytes, "why": one.why} for one in gaps
    ]


def hook_file_of(one: Proposal) -> HookFile:
    """A settings file, and what became of it."""
    file = one.file
    needs = file.client.needs(file.level)
    return {
        "client": file.client.name,
        "level": file.level,
        "file": str(file.path),
        "action": fate_of(one),
        "why": one.refused or None,
        "needs": [needs] if needs and one.is_in else [],
    }


def fate_of(one: Proposal) -> Fate:
    """What becomes of a file, in a word."""
    if one.change is None:
        return "refused"
    if one.change.is_nothing:
        return "unchanged"
    if one.change.after is None:
        return "removed"
    return "added" if one.change.before is None else "changed"


def _checked(one: ProbedClient) -> CheckedClient:
    last = one.last_event_at
    return {
        "name": one.client.name,
        "version": one.version,
        "level": one.level,
        "file": str(one.file),
        "command_ok": one.command_ok,
        "row_seen": one.row_seen,
        "works": one.works,
        "last_event_at": None if last is None else last.isoformat(),
        "needs": one.needs,
    }
