"""Checkpoints of chats: rows without a sandbox, of the user's directory as it was."""

import json
from typing import Any

from cleveragents.chats.chat import Chat
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository, state_hash
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.chat.place import LivePlace
from cleveragents.ids import CheckpointId, new_id, now
from cleveragents.plans.document import PlanDocument
from cleveragents.records import frozen, replace
from cleveragents.sandbox import git_state
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.tree.diff import alike, compare
from cleveragents.storage.connection import Connection

# The plan half of every checkpoint of a chat: what counts of a chat follows from its moments.
DOCUMENT = PlanDocument("0", (), ())


@frozen
class SavedState:
    """The state of a directory, with the checkpoint that has it."""

    checkpoint: Checkpoint
    is_new: bool  # its row is not recorded yet
    is_restated: bool = False  # the repository stands elsewhere than its row says


def saved(
    place: LivePlace,
    chat: Chat,
    capture: Capture,
    latest: Checkpoint | None,
    kind: CheckpointType,
    reason: str,
    turn: int,
) -> SavedState:
    """Makes what was captured durable, unless the latest checkpoint has it; its row comes next.

    An act goes on from the captured directories themselves: they are stored, times and all.
    """
    with_times = kind is CheckpointType.SAFETY
    noted = noted_git(place)
    if (
        latest is not None
        and (noted or "git" not in latest.metadata)  # one that is gone is told of a row of its own
        and is_same(place, capture, latest, with_times=with_times)
    ):
        capture.settle(place.archive.load(latest.sandbox_ref))
        there = {**latest.metadata, **noted}
        restated = replace(latest, metadata=there)
        return SavedState(restated, is_new=False, is_restated=there != latest.metadata)
    wanted = CheckpointRequest(kind, reason)
    return SavedState(made(place, chat, capture, latest, wanted, turn), is_new=True)


def made(
    place: LivePlace,
    chat: Chat,
    capture: Capture,
    latest: Checkpoint | None,
    wanted: CheckpointRequest,
    turn: int,
) -> Checkpoint:
    """Makes what was captured durable, whatever the latest checkpoint has; its row comes next."""
    row: dict[str, Any] = {
        "checkpoint_id": CheckpointId(new_id()),
        "plan_id": chat.plan_id,
        "seq": (latest.seq if latest else 0) + 1,
        "decision_id": None,
        "checkpoint_type": wanted.kind,
        "resource_id": None,
        "filesystem_path": str(place.root),
        "label": wanted.label,
        "step_index": turn,
        "state_hash": state_hash(capture.roots, DOCUMENT),
        "parent_id": latest.checkpoint_id if latest else None,
        "pinned": wanted.pinned,
    }
    told = {"client": chat.client, "session": chat.client_session, "inode": chat.root_inode}
    reference = capture.commit({**row, "document": DOCUMENT.to_record(), "chat": told})
    metadata = {
        "reason": wanted.reason,
        "filter": list(capture.filter.patterns),
        "files": capture.files,
        "not_captured": list(capture.not_captured),
        **noted_git(place),
    }
    return Checkpoint(
        **row,
        sandbox_ref=reference,
        size_bytes=capture.size_bytes,
        created_at=now(),
        metadata=metadata,
    )


def record(connection: Connection, state: SavedState) -> None:
    """Adds the row of a state, or lets the one that has it say where the repository stands now.

    What is to come begins from there; where it stood when the files became this, nobody asks.
    """
    if state.is_new:
        CheckpointRepository(connection).add(state.checkpoint)
    elif state.is_restated:
        where = {"checkpoint_id": state.checkpoint.checkpoint_id}
        told = json.dumps(dict(state.checkpoint.metadata))
        connection.update("checkpoints", where, metadata_json=told)


def noted_git(place: LivePlace) -> dict[str, object]:
    """Where the repository around a directory stands, as checkpoints note it."""
    found = git_state.look(place.root)
    return {} if found is None else {"git": found.to_record()}


def is_same(place: LivePlace, capture: Capture, latest: Checkpoint, *, with_times: bool) -> bool:
    """Whether a checkpoint holds these very files, whenever they were written."""
    was = place.archive.load(latest.sandbox_ref)
    if was.filter != capture.filter:
        return False
    if with_times:
        return was.roots == capture.roots
    read = place.archive.seen(capture).through.read
    changes = compare(was.roots[MAIN], capture.roots[MAIN], read)
    return all(alike(change.before, change.after) for change in changes)
