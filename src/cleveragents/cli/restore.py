"""`agents plan restore`: takes single files or directories back from a checkpoint."""

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.cli import changes, chat_undo, previewing, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.on_chats import is_chat
from cleveragents.cli.render import Block, Result, Text
from cleveragents.engine.back.restore import PathRestoration, RestoreProposal
from cleveragents.quoting import quoted
from cleveragents.records import replace
from cleveragents.shapes.restore import restoration_of, restore_preview_of


def restore(
    call: Invocation,
    plan: str,
    checkpoint: str,
    path: list[str],
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Take single files or directories back from a checkpoint; all else stays as it is."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    if is_chat(found):
        asked = chat_undo.since(call, app, found, checkpoint, tuple(path))
        return chat_undo.retrace(replace(asked, yes=yes, dry_run=dry_run))
    act = app.undertakings.restore(found.plan_id, checkpoint, path)
    if dry_run:
        looked = previewing.dry_run(call, act)
        return Result(
            restore_preview_of(looked.would, moving=looked.is_moving),
            _blocks(looked.would),
            messages=[previewing.DRY_RUN],
            next_steps=[_line(looked.would.source, looked.would.paths)],
        )
    would, digest = act.foresee(), None
    if not yes:
        again = _line(would.source, would.paths)
        question = f"Take this back from {would.source.name}?"
        digest = previewing.asked(call, would, again=again, show=_blocks(would), question=question)
    return _done(would, act.carry_out(digest))


def _blocks(proposed: RestoreProposal) -> list[Block]:
    gone = [f"not in {proposed.source.name}, so it goes: {name}" for name in proposed.absent]
    return [changes.panel("Would change", proposed.changes), Text(gone)]


def _done(proposed: RestoreProposal, done: PathRestoration | None) -> Result:
    data = restoration_of(proposed, done)
    if done is None:
        messages = [f"this is as in {proposed.source.name} already; there was nothing to do"]
        return Result(data, messages=messages)
    return Result(
        data,
        [changes.panel(f"Taken back from {done.source.name}", done.changes)],
        "Restored",
        messages=[f"kept, because it holds excluded files: {path}" for path in done.kept],
        next_steps=[
            f"agents plan diff {done.source.plan_id}",
            f"{_line(done.safety, proposed.tops)}    # takes this one back",
        ],
    )


def _line(source: Checkpoint, paths: tuple[str, ...]) -> str:
    """The command line that takes paths back from a checkpoint."""
    named = " ".join(f"--path {quoted(path)}" for path in paths)
    return f"agents plan restore {source.plan_id} {source.seq} {named}"
