"""`agents sandbox …`: what sandboxes lie around, and which of them may go."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cleveragents.app import App
from cleveragents.cli import previewing, views
from cleveragents.cli.invocation import (
    Invocation,
    confirm,
)
from cleveragents.cli.render import Grid, Result, Text, show_blocks
from cleveragents.counting import counted, size
from cleveragents.engine.back.removal import LISTED, told_why_it_stays
from cleveragents.engine.care.cleanup import PrunedSandbox, PruneProposal, SandboxFiles
from cleveragents.errors import CleverAgentsError, in_words
from cleveragents.plans.lifecycle import APPLIED, written
from cleveragents.quoting import quoted
from cleveragents.sandbox.removal import somebody_elses
from cleveragents.sandbox.sandboxes import REMOVING
from cleveragents.shapes.sandbox import SandboxPrune, list_of, prune_of
from cleveragents.storage.space import told_free


def list_sandboxes(call: Invocation) -> Result:
    """List the sandboxes of this project and how large they are."""
    app = call.app()
    found = app.cleanup.list(app.plans.list())
    hints = [] if found else ["this project has no sandbox"]
    return Result(list_of(found), _table(call, app, found), messages=hints)


def prune(
    call: Invocation,
    discard: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Remove the files of sandboxes that are not needed any more."""
    app = call.app(progress=True)
    plans = app.plans.list()
    look = app.cleanup.propose(plans, discard=discard)
    if dry_run or not look.doomed:
        return _would(call, app, look, dry_run=dry_run)
    command = f"agents sandbox prune{' --discard' if discard else ''}"
    if not yes:
        shown = [*_table(call, app, look.doomed), Text([*_notes(look), *_risks(look)])]
        show_blocks(shown, call.form, sys.stderr)
    total = size(sum(each.size_bytes for each in look.doomed))
    named = counted(len(look.doomed), "sandbox", "sandboxes")
    confirm(f"Remove the files of {named} ({total})?", yes=yes, command_line=command)
    return _removed(call, app, look, app.cleanup.prune(plans, look, None if yes else look.digest))


def _notes(look: PruneProposal) -> list[str]:
    """The sandboxes that stay, and those that go for good."""
    kept = len(look.found) - len(look.judged)
    stay = counted(kept, "sandbox with unapplied work stays", "sandboxes with unapplied work stay")
    told = [f"{stay}; --discard removes these too"] if kept else []
    about = [_about(each, paths, discard=look.discard) for each, paths in look.judged if paths]
    return [*told, *about]


def _risks(look: PruneProposal) -> list[str]:
    """The files that may go for good because there is no room."""
    return [_risk(each, paths) for each, paths in look.unsaved if paths]


def _data(look: PruneProposal, gone: Sequence[SandboxFiles], lost: Sequence[str]) -> SandboxPrune:
    unheld = [path for _, paths in look.judged for path in paths]
    return prune_of(gone, len(look.found) - len(gone), [*unheld, *lost])


def _would(call: Invocation, app: App, look: PruneProposal, *, dry_run: bool) -> Result:
    """The answer where nothing is removed."""
    doomed = look.doomed
    data = _data(look, doomed, [path for _, paths in look.unsaved for path in paths])
    if dry_run:
        plans = [each.plan for each in doomed if each.plan is not None]
        is_moving = True in {app.begin_dry_run(plan.plan_id) for plan in plans}
        previewing.tell_moving(call, is_moving=is_moving)
        data["moving"] = is_moving
    said = "dry run: nothing was removed" if dry_run else "there is nothing to remove"
    return Result(data, _table(call, app, doomed), messages=[said, *_notes(look), *_risks(look)])


def _removed(
    call: Invocation, app: App, look: PruneProposal, done: Sequence[PrunedSandbox]
) -> Result:
    """Tells what became of what was to go."""
    doomed = look.doomed
    pruned = [each for each in done if each.error is None]
    failed = [
        (each.lying, _told_failure(each.lying, app.cleanup.left_of(each.lying), each.error))
        for each in done
        if each.error is not None
    ]
    gone = [each.lying for each in pruned if not each.removed.kept_for]
    lost = [path for each in pruned for path in each.removed.lost]
    is_ours = any(not _is_anothers(each) for each, _ in failed)  # else this project's are all gone
    all_gone = len(gone) == len(doomed)
    count = f"removed {len(gone)} of {counted(len(doomed), 'sandbox', 'sandboxes')}"
    return Result(
        _data(look, gone, lost),
        _table(call, app, gone),
        "Removed" if all_gone else "",
        status="warn" if failed else "ok",
        exit_code=1 if is_ours else 0,
        messages=[
            *_notes(look),
            *(_stays(each) for each in pruned if each.removed.kept_for),
            *(_loss(each.lying, each.removed.lost) for each in pruned if each.removed.lost),
            *(told for _, told in failed),
            *([] if all_gone else [count]),
        ],
        next_steps=[line for each in pruned for line in _ways_back(app, each)],
    )


def _is_anothers(lying: SandboxFiles) -> bool:
    """Whether it is what an earlier removal could not take, of whatever project."""
    return lying.plan is None and somebody_elses(lying.path) is not None


def _stays(pruned: PrunedSandbox) -> str:
    return f"{_owner(pruned.lying)}{told_why_it_stays(pruned.removed.kept_for)}"


def _owner(lying: SandboxFiles) -> str:
    return "" if lying.plan is None else f"{lying.plan.name}: "


def _told_failure(
    lying: SandboxFiles, left: Path | None, error: CleverAgentsError | OSError
) -> str:
    """The state of a sandbox whose removal did not come to its end, and why."""
    kept = "could not be removed"
    ends = {None: "is removed, but then", lying.path: kept, lying.path.parent: kept}
    end = ends.get(left, f"is removed only in part, the rest is {left}")
    return f"{lying.path} {end}: {in_words(error)}{_way_out(left)}"


def _way_out(left: Path | None) -> str:
    """How that goes which another user keeps us from removing."""
    foreign = None if left is None else somebody_elses(left)
    if left is None or foreign is None:
        return ""
    if left.name.endswith(REMOVING):
        return f"; to remove it: sudo rm -r {quoted(str(left))}"
    yours = f"sudo chown -R {os.geteuid()} {quoted(str(foreign))}"
    return f"; make it yours, then try again: {yours}"


def _about(lying: SandboxFiles, unheld: Sequence[str], *, discard: bool) -> str:
    """The warning about a sandbox that holds what no checkpoint would."""
    if discard:
        return _named(lying, unheld, "gone for good with its sandbox, in no checkpoint")
    return f"{_owner(lying)}{told_why_it_stays(unheld)}"


def _risk(lying: SandboxFiles, paths: Sequence[str]) -> str:
    """The warning about a sandbox that may have to go unsaved."""
    free = told_free(lying.path)
    return f"{_named(lying, paths, 'gone for good if there is no room to save it first')} ({free})"


def _loss(lying: SandboxFiles, paths: Sequence[str]) -> str:
    return _named(lying, paths, "gone for good, there was no room to save it")


def _named(lying: SandboxFiles, paths: Sequence[str], what: str) -> str:
    listed = ", ".join([*paths[:LISTED], *(["…"] if len(paths) > LISTED else [])])
    return f"{_owner(lying)}{what}: {listed}"


def _ways_back(app: App, pruned: PrunedSandbox) -> list[str]:
    """The command that brings the files of a sandbox back, or what was edited after an apply."""
    plan, saved = pruned.lying.plan, pruned.removed.saved
    if plan is None or pruned.removed.kept_for:
        return []
    if plan.stage == APPLIED:
        if saved is None:
            return []
        return [f"agents plan rollback {plan.plan_id} {saved.seq} --to DIR    # what was edited"]
    latest = app.checkpoints.latest_checkpoint(plan.plan_id)
    if latest is None:
        return []
    return [f"agents plan rollback {plan.plan_id} {latest.seq} --rebuild"]


def _table(call: Invocation, app: App, found: Sequence[SandboxFiles]) -> list[Grid]:
    ids = [each.plan.plan_id for each in found if each.plan is not None]
    short = views.short_ids(call, app, ids)
    rows = [
        [
            "-" if each.plan is None else short[each.plan.plan_id],
            size(each.size_bytes),
            "left by an interrupted command" if each.plan is None else written(each.plan.stage),
            "" if each.plan is None else each.plan.name,
        ]
        for each in found
    ]
    return [Grid("", ["PLAN", "SIZE", "STATE", "NAME"], rows)] if rows else []
