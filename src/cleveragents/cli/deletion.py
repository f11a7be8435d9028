"""`agents plan delete`: plans go, with all that is kept of them."""

from collections.abc import Sequence

from cleveragents.cli import previewing, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Fields, Result, Text
from cleveragents.counting import counted, size
from cleveragents.engine.care.deletion import PlanDeletion
from cleveragents.plans.lifecycle import APPLIED, written
from cleveragents.shapes.deletion import deleted_of, deletion_preview_of

FOR_EVER = "this cannot be undone"


def delete(
    call: Invocation,
    plans: Sequence[str],
    discard: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Delete plans with all that is kept of them; this cannot be undone."""
    app = call.app()
    ids = dict.fromkeys(views.meant(call, app, text).plan_id for text in plans)
    acts = [app.undertakings.delete_plan(plan_id, discard=discard) for plan_id in ids]
    again = f"agents plan delete {' '.join(ids)}{' --discard' if discard else ''}"
    if dry_run:
        would = [previewing.dry_run(call, act).would for act in acts]
        messages = [f"{previewing.DRY_RUN}; {FOR_EVER}"]
        return Result(deletion_preview_of(would), _blocks(would), messages=messages)
    would = [act.foresee() for act in acts]
    digests: list[str | None] = [None for _ in acts]
    if not yes:
        question = f"Delete {counted(len(acts), 'plan')} for ever?"
        previewing.asked(call, would[-1], again=again, show=_blocks(would), question=question)
        digests = [one.digest for one in would]
    done = [act.carry_out(digest) for act, digest in zip(acts, digests, strict=True)]
    return Result(deleted_of(done), [Text([f"deleted {one.plan.name}" for one in done])])


def _blocks(found: Sequence[PlanDeletion]) -> list[Block]:
    return [Fields(f"Would delete {one.plan.name}", _facts(one)) for one in found]


def _facts(one: PlanDeletion) -> list[tuple[str, str]]:
    plan = one.plan
    work = [("Work", "never applied: it is lost")] if one.has_work else []
    if plan.stage == APPLIED:
        work = [("Applied", "its result stays in your project and cannot be unapplied any more")]
    places = [views.place(sandbox.path) for sandbox in one.sandboxes]
    return [
        ("Plan", f"{plan.plan_id} ({written(plan.stage)})"),
        *work,
        ("Subplans", previewing.some("subplan", [child.name for child in one.subplans]) or "none"),
        ("Checkpoints", f"{one.checkpoints}, {size(one.stored_bytes)}"),
        ("Sandbox", f"{', '.join(places)}, {size(one.sandbox_bytes)}" if places else "none"),
    ]
