"""`agents plan rollback`: shows what would change, asks, and tells what was done."""

from pathlib import Path

from cleveragents.app import App
from cleveragents.checkpoints.checkpoint import Checkpoint, forgotten_paths
from cleveragents.checkpoints.reads import RollbackForesight
from cleveragents.checkpoints.rollback import RollbackResult
from cleveragents.cli import changes, chat_undo, previewing, views
from cleveragents.cli.invocation import (
    Invocation,
    require_answer,
)
from cleveragents.cli.on_chats import is_chat
from cleveragents.cli.render import Block, Fields, Result, Text
from cleveragents.counting import counted
from cleveragents.engine.read.next_steps import going_on
from cleveragents.errors import Failed, InvalidInput
from cleveragents.plans.plan import Plan
from cleveragents.records import replace
from cleveragents.shapes.rollback import (
    extraction_of,
    rebuild_preview_of,
    rollback_of,
    rollback_preview_of,
)
from cleveragents.undertakings import DryRunResult, Undertaking


def rollback(
    call: Invocation,
    plan: str = "@",
    checkpoint: str | None = None,
    *,
    yes: bool = False,
    dry_run: bool = False,
    take_over: bool = False,
    rebuild: bool = False,
    to: Path | None = None,
) -> Result:
    """Roll a plan back to a checkpoint."""
    if to is not None and dry_run:
        raise InvalidInput("--to changes no plan, it only writes a new directory: leave one out")
    views.refuse_plans(call, checkpoint)
    app = call.app(progress=True, take_over=take_over and not dry_run)
    found = views.find(call, app, plan)
    call.messages += app.cautions(found)
    if is_chat(found) and to is None:
        if take_over or rebuild:
            raise InvalidInput("--take-over and --rebuild are about plans, this is a chat")
        asked = chat_undo.since(call, app, found, _named(app, found, checkpoint))
        return chat_undo.retrace(replace(asked, yes=yes, dry_run=dry_run))
    if to is not None:
        target = app.checkpoints.get_checkpoint(found.plan_id, _named(app, found, checkpoint))
        return _extracted(app, found, target, to)
    if dry_run:
        act = app.undertakings.rollback(
            found.plan_id, _named(app, found, checkpoint), rebuild=rebuild
        )
        return _preview(found, previewing.dry_run(call, act), rebuild=rebuild)
    if checkpoint is None:
        _refuse_unnamed(app, found)
    if take_over:
        line = f"agents plan rollback {found.plan_id} {checkpoint} --take-over"
        require_answer(yes=yes, command_line=line)
        app.ownership.take_over(found.plan_id)
    if checkpoint is None:
        app.recover(found.plan_id)  # it may make one to choose from
    act = app.undertakings.rollback(found.plan_id, _named(app, found, checkpoint), rebuild=rebuild)
    done = _undertaken(call, act, found, yes=yes, rebuild=rebuild)
    short = views.short_ids(call, app, [found.plan_id])
    return _done(done, short[found.plan_id], was_shown=not yes)


def _undertaken(
    call: Invocation,
    act: Undertaking[RollbackForesight, RollbackResult],
    plan: Plan,
    *,
    yes: bool,
    rebuild: bool,
) -> RollbackResult:
    """Shows what would be taken back, asks, and takes exactly that back."""
    if yes:
        return act.carry_out()
    would = act.foresee()
    target = would.target
    again = f"agents plan rollback {plan.plan_id} {target.seq}{' --rebuild' if rebuild else ''}"
    what = f"Rebuild the sandbox from {target.name}?" if rebuild else f"Roll back to {target.name}?"
    show = previewing.blocks(would.besides) if rebuild else _blocks(would)
    return act.carry_out(previewing.asked(call, would, again=again, show=show, question=what))


def _named(app: App, plan: Plan, text: str | None) -> str:
    """The name of the checkpoint; without one, the user chooses."""
    if text is not None:
        return text
    _refuse_unnamed(app, plan)
    from cleveragents.cli import menu  # of use only where one is chosen on a terminal

    rows = app.checkpoints.list_checkpoints(plan.plan_id)
    return menu.choose(app, plan, rows).checkpoint_id


def _refuse_unnamed(app: App, plan: Plan) -> None:
    """Refuses where there is no checkpoint to choose, or nobody who could."""
    from cleveragents.cli.picker import can_pick  # as above

    rows = app.checkpoints.list_checkpoints(plan.plan_id)
    if not rows:
        raise Failed("the plan has no checkpoint yet", hints=["run it: agents plan execute @"])
    if not can_pick():
        lines = [f"{row.seq:>4}  {row.checkpoint_id}  {row.label or row.reason}" for row in rows]
        raise InvalidInput(
            "which checkpoint? name one of these",
            detail=lines,
            hints=[f"agents plan rollback {plan.plan_id} NUMBER"],
        )


def _extracted(app: App, plan: Plan, target: Checkpoint, to: Path) -> Result:
    lost = app.checkpoints.extract_checkpoint(plan.plan_id, target, to)
    written = sum(1 for _ in to.rglob("*"))
    data = extraction_of(target, to, written, lost)
    if not lost:
        return Result(data, [Text([f"{target.name} written to {to}"])])
    told = f"{counted(written, 'path')} written to {to}, {len(lost)} damaged and not written"
    return Result(
        data,
        [Text([f"{target.name} is damaged: {told}"])],
        status="warn",
        exit_code=1,
        messages=[f"damaged, not written: {path}" for path in lost],
        next_steps=["agents doctor --repair    # looks for intact copies"],
    )


def _preview(plan: Plan, found: DryRunResult[RollbackForesight], *, rebuild: bool) -> Result:
    would, target = found.would, found.would.target
    if rebuild:
        text = f"dry run: the sandbox would be made again from {target.name} if it is missing"
        data = rebuild_preview_of(would, moving=found.is_moving)
        return Result(data, previewing.blocks(would.besides), messages=[text])
    return Result(
        rollback_preview_of(would, moving=found.is_moving),
        _blocks(would),
        messages=[previewing.DRY_RUN],
        next_steps=[f"agents plan rollback {plan.plan_id} {target.seq}"],
    )


def _blocks(would: RollbackForesight) -> list[Block]:
    return [changes.panel("Would change", would.files), *previewing.blocks(would.besides)]


def _done(result: RollbackResult, short: str, *, was_shown: bool) -> Result:
    plan, data = result.plan, rollback_of(result)
    blocks: list[Block] = [Fields("", _lines(result, short, was_shown=was_shown))]
    if result.undo:
        rows = [(run.step, f"{run.tool}: {run.status} ({run.summary})") for run in result.undo]
        blocks.append(Fields("Undo Calls", rows))
    told = [f"kept, because it holds excluded files: {path}" for path in result.kept]
    told += [f"left as it is, it was forgotten: {path}" for path in forgotten_paths(result.target)]
    told += _about_calls(result)
    if result.safety is None:
        messages = ["the plan is in this state already; there was nothing to do"]
        return Result(data, blocks, "Rollback complete", messages=messages)
    return Result(
        data,
        blocks,
        _footer(result),
        status="warn" if result.not_undone else "ok",
        messages=told,
        next_steps=[
            going_on(plan),
            f"agents plan rollback {plan.plan_id} {result.safety.seq}    # takes this one back",
        ],
    )


def _lines(result: RollbackResult, short: str, *, was_shown: bool) -> list[tuple[str, str]]:
    """The result, a line to each heading; files that were just shown are only counted."""
    plan, target, count = result.plan, result.target, counted(len(result.changes), "file")
    label = f" ({target.label})" if target.label else ""
    listed = changes.panel("", result.changes).rows
    files = [f"{count}, as shown"] if was_shown else [f"{one:<8}  {file}" for one, file in listed]
    state = rollback_of(result)["post_rollback_state"]
    left = counted(state["checkpoints_remaining"], "checkpoint leads", "checkpoints lead")
    return [
        ("Rollback Summary", f"{plan.name} ({short}) to {target.name}{label}, {count}"),
        *((("" if index else "Changes Reverted"), file) for index, file in enumerate(files)),
        ("Impact", ", ".join(_impact(result))),
        ("Post-Rollback State", f"{state['phase']}/{state['state']}, {left} here"),
    ]


def _impact(result: RollbackResult) -> list[str]:
    """The effect on all else; where there is none, nothing is said."""
    undone = result.tool_calls - len(result.not_undone)
    found = [
        (undone, "tool call undone", "tool calls undone"),
        (result.decisions, "decision discarded", "decisions discarded"),
        (result.children, "subplan cancelled", "subplans cancelled"),
    ]
    told = [counted(count, one, several) for count, one, several in found if count]
    return [f"sandbox restored to {result.target.name}", *told]


def _footer(result: RollbackResult) -> str:
    failed = counted(len(result.not_undone), "undo call")
    return f"Rollback complete, but for {failed}" if result.not_undone else "Rollback complete"


def _about_calls(result: RollbackResult) -> list[str]:
    """Notes about calls that have effects outside the sandbox."""
    told = [run.told for run in result.not_undone]
    told += [call.told for call in result.left]
    return [*told, previewing.OUTSIDE, previewing.NOT_REDONE] if result.undo else told
