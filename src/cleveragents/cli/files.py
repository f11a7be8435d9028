"""`agents find` and `agents cat`: where a path changed, and a file as it was at a checkpoint."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Format, Grid, Result, Text
from cleveragents.counting import size
from cleveragents.engine.read.path_history import PathChange, PathStory
from cleveragents.engine.read.stored_files import StoredFile, kind_of
from cleveragents.errors import Refused
from cleveragents.plans.plan import ALL_KINDS
from cleveragents.quoting import quoted
from cleveragents.shapes.file import changes_of, content_of, written_of
from cleveragents.snapshots.tree.content import CHUNK
from cleveragents.snapshots.tree.manifest import Entry
from cleveragents.snapshots.tree.scan import shown

MARKS = {"directory": "/", "link": "@", "special file": "|"}  # as `ls -F` has them
# What a terminal acts on, but for tabs and the ends of lines and pages.
ACTING = re.compile("[\x00-\x08\x0b\x0d-\x1f\x7f-\x9f]")


def find(call: Invocation, path: str, plan: str | None = None) -> Result:
    """Tell in which checkpoints a file or directory changed, the newest of a plan first."""
    app = call.app()
    plans = app.plans.list(kind=ALL_KINDS) if plan is None else [views.find(call, app, plan)]
    story = app.paths.find(plans, path)
    rows = [_row(change) for change in story.changes]
    columns = ["PLAN", "CP", "WHEN", "CHANGE", "SIZE", "PATH", "WHY"]
    return Result(
        changes_of(story),
        [Grid("", columns, rows)] if rows else [],
        status="warn" if story.unreadable else "ok",
        messages=[*story.unreadable, *_nothing_found(story, path)],
        next_steps=_next(story.changes),
        paged=True,
    )


def _row(change: PathChange) -> list[str]:
    row = change.checkpoint
    return [
        change.plan.name,
        row.name,
        views.moment(row.created_at),
        _status(change),
        _sizes(change.before, change.after),
        _shown(change.path, change.entry),
        views.remark(row, left_behind=change.is_left_behind),
    ]


def _status(change: PathChange) -> str:
    """The change of it; another mode may be all there is."""
    before, after = change.before, change.after
    if before is None or after is None or before.mode == after.mode:
        return change.status
    return f"{change.status}, mode {before.permissions:o} → {after.permissions:o}"


def _sizes(before: Entry | None, after: Entry | None) -> str:
    """How large a file is, and was if that differs."""
    told = [size(one.size) for one in (before, after) if one is not None and one.is_file]
    return " → ".join(dict.fromkeys(told)) or "-"


def _shown(path: bytes, entry: Entry) -> str:
    return shown(path) + MARKS.get(kind_of(entry), "")


def _nothing_found(story: PathStory, path: str) -> list[str]:
    if story.changes:
        return []
    if story.unchanged_in is None:
        return [f"no checkpoint has a path like {path}"]
    return [f"{path} changed in no checkpoint; it is as it was when each plan started"]


def _next(changes: Sequence[PathChange]) -> list[str]:
    """How the newest version that is there is printed."""
    there = (one for one in changes if one.after is not None and not one.after.is_dir)
    return [
        f"agents cat {one.checkpoint.name} {quoted(os.fsdecode(one.path))}"
        f" --plan {one.plan.plan_id}"
        for one in [*there][:1]
    ]


def cat(
    call: Invocation, checkpoint: str, path: str, plan: str = "@", to: Path | None = None
) -> Result:
    """Print a file as it was at a checkpoint, byte for byte."""
    app = call.app()
    found_plan = views.find(call, app, plan)
    row = app.kept.get_checkpoint(found_plan.plan_id, checkpoint)
    found = app.files.look(found_plan, row, path)
    if to is not None:
        found.write(to)
        told = f"{shown(found.path)} of {row.name} is now {to}"
        return Result(written_of(found, str(to)), [Text([told])])
    if call.form in (Format.JSON, Format.YAML):
        _refuse_large(found, "in one answer")
        return Result(content_of(found))
    if found.entry.is_dir:
        return Result(content_of(found), [_listing(found)], paged=True)
    if found.kind == "link":
        return _target(found)
    if sys.stdout.isatty():
        _refuse_binary(found)
    return Result({}, content=found.pieces())


def _target(found: StoredFile) -> Result:
    """Where a link leads; what is no terminal gets it as it is."""
    note = f"{shown(found.path)} is a link; this is where it leads"
    target = b"".join(found.pieces())
    if sys.stdout.isatty():
        return Result({}, [Text([os.fsdecode(target)])], messages=[note])
    return Result({}, messages=[note], content=[target, b"\n"])


def _listing(found: StoredFile) -> Grid:
    rows = [
        [f"{entry.permissions:04o}", _sizes(None, entry), _shown(name, entry)]
        for name, entry in found.listing().items()
    ]
    return Grid("", ["MODE", "SIZE", "NAME"], rows)


def _refuse_large(found: StoredFile, where: str) -> None:
    if found.entry.size > CHUNK:
        large = f"{shown(found.path)} is too large to be shown {where}: {size(found.entry.size)}"
        raise Refused(large, hints=[_to(found)])


def _refuse_binary(found: StoredFile) -> None:
    """Refuses what a terminal would not show as it is, or act on."""
    _refuse_large(found, "on a terminal")
    if not _is_text(b"".join(found.pieces())):
        raise Refused(f"{shown(found.path)} is no text that a terminal shows", hints=[_to(found)])


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        return False
    return ACTING.search(text) is None


def _to(found: StoredFile) -> str:
    path, row = quoted(os.fsdecode(found.path)), found.checkpoint
    return f"write it to a file: agents cat {row.name} {path} --plan {row.plan_id} --to FILE"
