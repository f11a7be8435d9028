"""`agents plan checkpoint create|pin|unpin|delete`: what is kept, and what is not."""

from cleveragents.checkpoints.reads import CheckpointDeletion
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.on_chats import is_chat, refuse_unfinished
from cleveragents.cli.render import Result, Text
from cleveragents.shapes.checkpoint import checkpoint_of, deletion_of, deletion_preview_of


def create(
    call: Invocation,
    plan: str = "@",
    label: str | None = None,
    pinned: bool = True,
) -> Result:
    """Save the present state of a plan under a name; it is kept until you delete it."""
    app = call.app(looks_once=True)
    found = views.find(call, app, plan)
    call.messages += app.cautions(found)
    wanted = CheckpointRequest(CheckpointType.MANUAL, "made by hand", label=label, pinned=pinned)
    if is_chat(found):
        refuse_unfinished(app, found)
        row = app.chats.keeping.create(found, wanted)
    else:
        row = app.checkpoints.create_checkpoint(found.plan_id, wanted)
        app.tidy(found.plan_id)
    short = views.short_ids(call, app, [row.checkpoint_id])
    return Result(
        checkpoint_of(row),
        [Text([f"{row.name}  {short[row.checkpoint_id]}"])],
        next_steps=[f"agents plan rollback {found.plan_id} {row.seq}"],
    )


def pin(call: Invocation, plan: str, checkpoint: str) -> Result:
    """Keep a checkpoint until you delete it, however many there are."""
    return _pinned(call, plan, checkpoint, pinned=True)


def unpin(call: Invocation, plan: str, checkpoint: str) -> Result:
    """Let the limit remove a checkpoint, as it removes others."""
    return _pinned(call, plan, checkpoint, pinned=False)


def _pinned(call: Invocation, plan: str, checkpoint: str, *, pinned: bool) -> Result:
    app = call.app()
    found = views.find(call, app, plan)
    refuse_unfinished(app, found)
    row = app.checkpoints.get_checkpoint(found.plan_id, checkpoint)
    already = row.pinned == pinned
    row = app.checkpoints.pin_checkpoint(found.plan_id, row, pinned=pinned)
    state, other = ("pinned", "unpin") if pinned else ("not pinned", "pin")
    undo = f"agents plan checkpoint {other} {found.plan_id} {row.seq}    # takes it back"
    return Result(
        checkpoint_of(row),
        [Text([f"{row.name} is {state}{' already' if already else ''}"])],
        next_steps=[] if already else [undo],
    )


def delete(
    call: Invocation,
    plan: str,
    checkpoint: str,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Delete a checkpoint; this cannot be undone."""
    from cleveragents.cli import previewing  # no other command here has a dry run

    app = call.app()
    found = views.find(call, app, plan)
    refuse_unfinished(app, found)
    act = app.undertakings.delete(found.plan_id, checkpoint)
    if dry_run:
        looked = previewing.dry_run(call, act)
        text = f"dry run: {_doomed(looked.would)} would be deleted for ever"
        data = deletion_preview_of(looked.would.target, moving=looked.is_moving)
        return Result(data, messages=[text])
    row = previewing.undertake(
        call,
        act,
        yes=yes,
        again=f"agents plan checkpoint delete {found.plan_id} {checkpoint}",
        show=lambda _: [],
        question=lambda would: f"Delete {_doomed(would)} for ever?",
    ).target
    return Result(deletion_of(row), [Text([f"deleted {row.name}"])])


def _doomed(would: CheckpointDeletion) -> str:
    """A checkpoint that is to go, and what would be missed."""
    row = would.target
    return f"{row.name} ({row.label or row.reason}{f'; {would.needed}' if would.needed else ''})"
