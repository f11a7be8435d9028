"""Makes lost rows again from the records in the store, which say all that a row needs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cleveragents.chats.chat import ChatRepository
from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.checkpoints.stored import ACTION
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.care.facts import Orphan
from cleveragents.ids import PlanId, ProjectId, SnapshotId, made_at, now
from cleveragents.plans.action import Action
from cleveragents.plans.lifecycle import ERRORED
from cleveragents.plans.plan import PlanError, PlanRepository
from cleveragents.sandbox.project import find, inode_of
from cleveragents.sandbox.sandbox import FillResult, SandboxRepository
from cleveragents.storage.connection import Connection

_PROJECT = "SELECT path FROM projects WHERE project_id = :project_id"
_NUMBERS = "SELECT number FROM plans WHERE project_id = :project_id"

REBUILT = "(rebuilt)"  # after the name of a session that went on under another id
WHY = PlanError(
    "the plan was rebuilt from its checkpoints", files="as they were when the plan was rebuilt"
)


def add_project(connection: Connection, project_id: ProjectId, path: str) -> None:
    """Records a project again, unless another plan of it was first."""
    if connection.value(_PROJECT, project_id=project_id) is None:
        moment = made_at(project_id)
        connection.insert("projects", project_id=project_id, path=path, created_at=moment)


def add_plan(connection: Connection, project_id: ProjectId, base: Orphan, cursor: str) -> None:
    """Records a plan again as one that stopped: what it goes on from is its latest checkpoint."""
    about: Mapping[str, Any] = base.about
    action = Action.model_validate(about["definition"])
    connection.insert(
        "plans",
        plan_id=base.plan_id,
        project_id=project_id,
        number=_free_number(connection, project_id, int(about["number"])),
        name=about["name"],
        phase=ERRORED[0],
        state=ERRORED[1],
        attempt=1,
        cursor=cursor,
        definition_json=action.model_dump_json(by_alias=True),
        error_json=json.dumps(vars(WHY)),
        created_at=made_at(base.plan_id),
        updated_at=now(),
    )


def add_chat(connection: Connection, project_id: ProjectId, newest: Orphan) -> None:
    """Records a chat again, as its checkpoints describe it.

    Its moments are nowhere else. A conversation that went on meanwhile is another chat by now.
    """
    about: Mapping[str, Any] = newest.about
    told = about["chat"]
    chats = ChatRepository(connection)
    client, session = told["client"], told["session"]
    if chats.of_session(project_id, client, session) is not None:
        session = f"{session} {REBUILT}"
    chats.add(project_id, client, session, about["filesystem_path"], told["inode"], newest.plan_id)


def _free_number(connection: Connection, project_id: ProjectId, number: int) -> int:
    taken = set(connection.column(_NUMBERS, project_id=project_id))
    return max(taken) + 1 if number in taken else number


def add_sandbox(
    connection: Connection, project_id: ProjectId, newest: Orphan, base_ref: SnapshotId
) -> None:
    """Records a sandbox again, as its checkpoints describe it."""
    about: Mapping[str, Any] = newest.about
    has_git = len(newest.snapshot.roots) > 1
    repository = SandboxRepository(connection)
    strategy = "git_worktree" if has_git else "filesystem_copy"
    path = Path(about["filesystem_path"])
    repository.add(about["resource_id"], newest.plan_id, strategy, path)
    project = find(connection, project_id)
    inode = inode_of(project) if project.path.is_dir() else ""
    branch = f"cleveragents/plan-{newest.plan_id}" if has_git else None
    repository.ready(about["resource_id"], FillResult(base_ref, branch, 0, ()), inode)


def add_definitions(
    connection: Connection, plan_id: PlanId, orphans: Sequence[Orphan], *, newest: bool
) -> None:
    """Records the actions again that the plan has had; what nothing tells of one, its first does.

    The `newest` of them counts, where nobody else says which one does.
    """
    plans = PlanRepository(connection)
    first = plans.get(plan_id).action
    found = {_definition(one): one.about.get(ACTION) for one in orphans}
    for number in range(plans.newest_definition(plan_id) + 1, max(found) + 1):
        text = found.get(number)
        plans.redefine(
            plan_id, number, first if text is None else Action.model_validate_json(str(text))
        )
    if newest:
        plans.set_definition(plan_id, _definition(orphans[-1]))


def _definition(orphan: Orphan) -> int:
    document: Mapping[str, Any] = orphan.snapshot.about["document"]
    return document.get("definition", 0)


def add_checkpoints(connection: Connection, orphans: Sequence[Orphan]) -> None:
    """Records checkpoints again, each under its own number."""
    for orphan in orphans:
        CheckpointRepository(connection).add(_row(orphan))


def _row(orphan: Orphan) -> Checkpoint:
    about: dict[str, Any] = dict(orphan.about)
    del about["document"]
    about.pop(ACTION, None)
    about.pop("chat", None)
    about["decision_id"] = None  # decisions are not in the store
    kind = CheckpointType(about.pop("checkpoint_type"))
    metadata = {
        "reason": f"{kind}, rebuilt from the store",
        "filter": list(orphan.snapshot.filter.patterns),
        "not_captured": list(orphan.snapshot.not_captured),
    }
    return Checkpoint(
        **about,
        checkpoint_type=kind,
        sandbox_ref=orphan.snapshot_id,
        size_bytes=orphan.size_bytes,
        created_at=made_at(about["checkpoint_id"]),
        metadata=metadata,
    )
