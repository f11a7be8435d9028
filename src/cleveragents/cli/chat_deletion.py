"""`agents chat delete`: what is kept of chats goes."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from cleveragents.app import App
from cleveragents.chats.chat import Chat
from cleveragents.cli import previewing, views
from cleveragents.cli.deletion import FOR_EVER
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Fields, Result, Text
from cleveragents.counting import counted, size
from cleveragents.engine.care.deletion import PlanDeletion
from cleveragents.errors import InvalidInput
from cleveragents.ids import PlanId, now
from cleveragents.shapes.chat_deletion import chat_deletion_preview_of, deleted_chats_of

NOTHING = "no chat here was silent for so long; nothing was deleted"
Going = Mapping[PlanId, tuple[Chat, PlanDeletion]]


def delete(
    call: Invocation,
    chats: Sequence[str] = (),
    older_than: timedelta | None = None,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Delete what is kept of chats; this cannot be undone."""
    app = call.app()
    meant = _meant(app, chats, older_than)
    acts = {chat.plan_id: app.undertakings.delete_chat(chat.plan_id) for chat in meant}
    if dry_run:
        would = {
            chat.plan_id: (chat, previewing.dry_run(call, acts[chat.plan_id]).would)
            for chat in meant
        }
        messages = [f"{previewing.DRY_RUN}; {FOR_EVER}" if meant else NOTHING]
        return Result(chat_deletion_preview_of(would), _blocks(would), messages=messages)
    if not meant:
        return Result(deleted_chats_of({}), [], messages=[NOTHING])
    would = {chat.plan_id: (chat, acts[chat.plan_id].foresee()) for chat in meant}
    digests: dict[PlanId, str | None] = dict.fromkeys(acts)
    if not yes:
        again = f"agents chat delete {' '.join(acts)}"
        question = f"Delete {counted(len(acts), 'chat')} for ever?"
        last = would[meant[-1].plan_id][1]
        previewing.asked(call, last, again=again, show=_blocks(would), question=question)
        digests = {plan_id: one.digest for plan_id, (_, one) in would.items()}
    done = {
        chat.plan_id: (chat, acts[chat.plan_id].carry_out(digests[chat.plan_id])) for chat in meant
    }
    told = [f"deleted {chat.client} {chat.plan_id}" for chat in meant]
    return Result(deleted_chats_of(done), [Text(told)])


def _meant(app: App, named: Sequence[str], older_than: timedelta | None) -> list[Chat]:
    """The chats that are named, or that were silent for so long; each once."""
    if bool(named) == (older_than is not None):
        raise InvalidInput(
            "say which: chats, or --older-than AGE", hints=["see them: agents timeline"]
        )
    past = app.chats.reads.past()
    known: Sequence[Chat] = [] if past is None else past.chats
    if older_than is not None:
        limit = now() - older_than
        return [chat for chat in known if chat.last_event_at < limit]
    ids = dict.fromkeys(views.find_chat(app, text).plan_id for text in named)
    by_id = {chat.plan_id: chat for chat in known}
    return [by_id[plan_id] for plan_id in ids]


def _blocks(found: Going) -> list[Block]:
    return [
        Fields(
            f"Would delete a chat with {chat.client}",
            [
                ("Chat", f"{chat.plan_id} ({chat.client_session})"),
                ("Last event", views.ago(chat.last_event_at)),
                ("Checkpoints", f"{one.checkpoints}, {size(one.stored_bytes)}"),
                ("Then", "nothing of it can be taken back; your files stay as they are"),
            ],
        )
        for chat, one in found.values()
    ]
