"""`agents project move`: the plans of a project that was moved follow it."""

import sys
from pathlib import Path

from cleveragents.cli import previewing, views
from cleveragents.cli.invocation import Invocation, confirm
from cleveragents.cli.on_chats import is_chat
from cleveragents.cli.render import Fields, Result, show_blocks
from cleveragents.counting import counted
from cleveragents.engine.care.relocation import Relocation
from cleveragents.quoting import quoted
from cleveragents.shapes.relocation import move_of


def move(
    call: Invocation, was: Path | None = None, yes: bool = False, dry_run: bool = False
) -> Result:
    """Let the plans of a project that was moved follow it."""
    app = call.app()
    old = None if was is None else was.resolve()
    found = app.relocations.propose(app.project, old)
    if dry_run:
        messages = [previewing.DRY_RUN]
        return Result(move_of(found, dry_run=True), [_shown(found)], messages=messages)
    if not yes:
        show_blocks([_shown(found)], call.form, sys.stderr)
    again = "agents project move" + ("" if old is None else f" --from {quoted(str(old))}")
    confirm(f"Let {counted(len(found.plans), 'plan')} follow?", yes=yes, command_line=again)
    done = app.relocations.move(app.project, old, shown_digest=None if yes else found.digest)
    if app.chats.protection.is_protected(app.project):  # it is the same directory by another path
        app.chats.protection.add(app.project)
    data = move_of(done, dry_run=False)
    return Result(data, [_shown(done)], "Moved", next_steps=_next(done))


def _next(done: Relocation) -> list[str]:
    """Where what has followed is seen: plans, chats, or both."""
    kinds = [is_chat(plan) for plan in done.plans]
    ways = [(False, "agents plan list"), (True, "agents timeline")]
    return [way for kind, way in ways if kind in kinds]


def _shown(found: Relocation) -> Fields:
    names = previewing.some("plan", [plan.name for plan in found.plans])
    rows = [("From", views.place(found.old)), ("To", views.place(found.new)), ("With", names)]
    return Fields("Moved project", rows)
