"""`agents plan conflicts|resolve|refresh`: what does not go together, and how it is resolved."""

import os
from collections.abc import Sequence

from cleveragents.app import App
from cleveragents.cli import changes, previewing, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Fields, Grid, Patch, Result, Text
from cleveragents.counting import counted
from cleveragents.engine.bring.conflicts import ResolvedConflict
from cleveragents.engine.bring.resolution import ResolutionProposal
from cleveragents.engine.bring.versions import BETWEEN, ConflictView, Version
from cleveragents.engine.read.next_steps import going_on, resolving
from cleveragents.errors import InvalidInput, NotFound
from cleveragents.plans.conflict import BASE, MINE, PLAN, PROJECT, Conflict
from cleveragents.plans.lifecycle import COMPLETE
from cleveragents.plans.plan import Plan
from cleveragents.quoting import quoted, typed_path
from cleveragents.records import frozen
from cleveragents.shapes.conflict import (
    detail_of,
    kind_of,
    list_of,
    resolution_of,
    resolution_preview_of,
)
from cleveragents.shapes.refresh import refresh_of, refresh_preview_of
from cleveragents.snapshots.merging import MergeResult

LISTED = 20  # paths shown to people; JSON has them all
# Whose versions they are: of a refresh, and of a merge of a subplan.
WHOSE = {True: ("your project's", "the plan's"), False: ("the plan's own", "the subplan's")}


def conflicts(call: Invocation, plan: str = "@", path: str | None = None) -> Result:
    """List the open conflicts of a plan, or show both versions of a path."""
    app = call.app()
    found, path = _meant(call, app, plan, path)
    if path is not None:
        return _shown(app.conflicts.view(found.plan_id, path))
    left = app.conflicts.open(found.plan_id)
    return Result(
        list_of(left),
        _table(left),
        messages=[] if left else ["there is no open conflict"],
        next_steps=_ways_out(left) or _bringing_in(found),
    )


def _meant(call: Invocation, app: App, plan: str, path: str | None) -> tuple[Plan, str | None]:
    """Tells plan and path; one word alone is a plan, or else a path of the latest one."""
    if path is None and plan.startswith("./"):
        plan, path = "@", plan
    try:
        return views.find(call, app, plan), path
    except NotFound as missing:
        if path is not None:
            raise
        latest = views.find(call, app, "@")
        left = app.conflicts.open(latest.plan_id)
        if os.fsencode(plan) not in [one.path for one in left]:
            raise _neither(plan, left, missing) from None
        return latest, plan


def _neither(word: str, left: Sequence[Conflict], missing: NotFound) -> NotFound:
    """The error for a word that is no plan, and no path in conflict either."""
    paths = previewing.some("path", [os.fsdecode(one.path) for one in left], LISTED)
    return NotFound(
        f"no plan and no conflicted path {word!r}",
        detail=[f"in conflict: {paths or 'nothing'}"],
        hints=missing.hints,
    )


def resolve(
    call: Invocation,
    plan: str,
    path: str,
    take: str | None = None,
    tool: str | None = None,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Resolve a conflict: the version you take goes into the sandbox."""
    if (take is None) == (tool is None):
        raise InvalidInput("say what to take: --take mine|plan|FILE, or --tool")
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    if take is not None:
        return _resolve(call, app, found, path, Choice(take, take), yes=yes, dry_run=dry_run)
    if dry_run:
        raise InvalidInput(
            "what a merge tool will make is not known before",
            hints=[f"see both versions: agents plan conflicts {found.plan_id} {quoted(path)}"],
        )
    from cleveragents.cli.merge_tool import merged_by  # only who uses a tool needs it

    with merged_by(tool or "", app, found.plan_id, path) as merged:
        made = Choice(str(merged), "what the merge tool made")
        return _resolve(call, app, found, path, made, yes=yes)


@frozen
class Choice:
    """The version that shall stand at a path."""

    take: str  # a side, or a file
    called: str  # what people read


def _resolve(
    call: Invocation,
    app: App,
    plan: Plan,
    path: str,
    choice: Choice,
    *,
    yes: bool,
    dry_run: bool = False,
) -> Result:
    again = f"agents plan resolve {plan.plan_id} {quoted(path)} --take {quoted(choice.take)}"
    act = app.undertakings.resolve(plan.plan_id, path, choice.take)
    if dry_run:
        looked = previewing.dry_run(call, act)
        data = resolution_preview_of(path, looked.would, moving=looked.is_moving)
        shown = _replaced(looked.would)
        return Result(data, shown, messages=[previewing.DRY_RUN], next_steps=[again])
    would, digest = act.foresee(), None
    if would.made and not yes:
        question = f"Replace what you made by hand with {choice.called}?"
        digest = previewing.asked(
            call, would, again=again, show=_replaced(would), question=question
        )
    resolved = act.carry_out(digest)
    return _resolved(plan, path, choice, resolved, app.conflicts.open(plan.plan_id))


def _replaced(proposed: ResolutionProposal) -> list[Block]:
    made = map(os.fsdecode, proposed.made)
    by_hand = [f"made by hand, in neither version: {path}" for path in made]
    return [changes.panel("Would change", proposed.changes), Text(by_hand)]


def _resolved(
    plan: Plan, path: str, choice: Choice, resolved: ResolvedConflict, left: Sequence[Conflict]
) -> Result:
    back = []
    if resolved.before is not None:
        line = f"agents plan rollback {plan.plan_id} {resolved.before.seq}"
        back = [f"{line}    # takes this one back"]
    return Result(
        resolution_of(path, choice.take, resolved, len(left)),
        [Text([f"{path}: took {choice.called} ({resolved.conflict.reason})"])],
        next_steps=[*(_ways_out(left) or _after(plan)), *back],
    )


def _shown(view: ConflictView) -> Result:
    """Both versions of a path, and what they came from."""
    conflict = view.conflict
    mine, other = WHOSE[conflict.source == PROJECT]
    rows = [
        ("Why", conflict.reason),
        (BASE, _in_words(view.versions[BASE])),
        (MINE, f"{_in_words(view.versions[MINE])} ({mine})"),
        (PLAN, f"{_in_words(view.versions[PLAN])} ({other})"),
    ]
    compared = [block for name in view.diffs for block in _compared(name, view)]
    return Result(
        detail_of(view),
        [Fields(f"Conflict in {os.fsdecode(conflict.path)}", rows), *compared],
        next_steps=[
            resolving(conflict),
            *([f"{_merging(conflict)}    # git's merge.tool"] if view.is_mergeable else []),
        ],
        paged=True,
    )


def _in_words(version: Version | None) -> str:
    if version is None:
        return "no such file"
    entry, kind = version.entry, kind_of(version.entry)
    if kind == "link":
        return f"a link to {os.fsdecode(version.content or b'')}"
    if kind != "file":
        return f"a {kind}"
    told = f"a file of {counted(entry.size, 'byte')}, mode {entry.permissions:o}"
    if version.text is not None or version.content is None:
        return told
    return f"{told}, binary, sha256 {entry.content.hex()[:12]}"


def _compared(name: str, view: ConflictView) -> list[Block]:
    """How one side differs, with a line above that says from what."""
    if name != BETWEEN and view.versions[name] is None:
        return []  # that it was deleted is told
    diff = view.diffs[name]
    head = "mine → plan:" if name == BETWEEN else f"base → {name}:"
    told = Patch(diff.patch[2:]) if diff.patch else Text([f"{diff.status} ({diff.remark})"])
    return [Text(["", head]), told]


def refresh(call: Invocation, plan: str = "@", yes: bool = False, dry_run: bool = False) -> Result:
    """Merge your later changes of the project into a plan's sandbox."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    act = app.undertakings.refresh(found.plan_id)
    if dry_run:
        looked = previewing.dry_run(call, act)
        return _preview(found, looked.would.merge, is_moving=looked.is_moving)
    done = previewing.undertake(
        call,
        act,
        yes=yes,
        again=f"agents plan refresh {found.plan_id}",
        show=lambda would: [_proposed(would.merge)],
        question=lambda _: "Merge this into the sandbox?",
    )
    back = []
    if done.before is not None:
        again = f"agents plan rollback {found.plan_id} {done.before.seq}"
        back = [f"{again}    # takes the refresh back"]
    return Result(
        refresh_of(found.plan_id, done),
        [Text([f"{counted(done.files, 'path')} merged into the sandbox"]), *_table(done.conflicts)],
        status="warn" if done.conflicts else "ok",
        next_steps=[
            *(_ways_out(done.conflicts) or _after(found)),
            *back,
        ],
    )


def _preview(plan: Plan, would: MergeResult, *, is_moving: bool) -> Result:
    return Result(
        refresh_preview_of(plan.plan_id, would, moving=is_moving),
        [_proposed(would)],
        messages=[previewing.DRY_RUN],
        next_steps=[f"agents plan refresh {plan.plan_id}"],
    )


def _proposed(would: MergeResult) -> Grid:
    rows = [["conflict", os.fsdecode(c.path), c.reason] for c in would.conflicts]
    rows += [["merge", os.fsdecode(change.path), ""] for change in would.changes[:LISTED]]
    if len(would.changes) > LISTED:
        rows.append(["…", f"and {len(would.changes) - LISTED} more", ""])
    return Grid("Would merge into the sandbox", ["", "PATH", "WHY"], rows or [["", "nothing", ""]])


def _table(left: Sequence[Conflict]) -> list[Grid]:
    rows = [[conflict.reason, os.fsdecode(conflict.path), conflict.source] for conflict in left]
    return [Grid("Conflicts", ["WHY", "PATH", "WITH"], rows)] if rows else []


def _bringing_in(plan: Plan) -> list[str]:
    """Tells of conflicts with the user's own changes: known here only once those are brought in."""
    if plan.stage != COMPLETE or plan.parent_plan_id is not None:
        return []
    return [f"agents plan apply {plan.plan_id} --dry-run    # lists what is in its way"]


def _after(plan: Plan) -> list[str]:
    """The next command once nothing is in conflict: a plan that is not complete runs on first."""
    if plan.stage != COMPLETE:
        return [going_on(plan)]
    if plan.parent_plan_id is not None:
        return [f"agents plan execute {plan.parent_plan_id}    # merges it, and goes on"]
    return [f"agents plan apply {plan.plan_id}"]


def _ways_out(left: Sequence[Conflict]) -> list[str]:
    shown = [f"{_showing(one)}    # shows both versions" for one in left[:1]]
    return [*shown, *map(resolving, left[:1])]


def _showing(conflict: Conflict) -> str:
    return f"agents plan conflicts {conflict.plan_id} {typed_path(conflict.path)}"


def _merging(conflict: Conflict) -> str:
    return f"agents plan resolve {conflict.plan_id} {typed_path(conflict.path)} --tool"
