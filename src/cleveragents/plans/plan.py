"""A plan: one use of an action on a project, and where it stands."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleveragents.errors import Refused
from cleveragents.ids import PlanId, ProjectId, SnapshotId, new_id, now
from cleveragents.plans.added_step import NONE_ADDED, AddedStepRepository, AddedSteps
from cleveragents.plans.correction import CorrectionRepository
from cleveragents.plans.cursor import FIRST, step_at, top_index
from cleveragents.plans.definition import (
    Definition,
    OutlinedStep,
    action_of,
    added_of,
    definition_of,
)
from cleveragents.plans.journal import Happening, record
from cleveragents.plans.lifecycle import APPLIED, START, Phase, Stage, State, check_move, written
from cleveragents.plans.naming import no_plan
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection, Row

if TYPE_CHECKING:
    from cleveragents.plans.action import Action
    from cleveragents.plans.step import Step


PLAN = "plan"
ALL_KINDS = "all"
CHAT = "chat"  # the kind of a plan that a coding agent carries out in the user's own directory


@frozen
class PlanError:
    """Why a plan is errored."""

    message: str
    step: str | None = None
    step_index: int | None = None
    cursor: str | None = None  # of the step that failed
    detail: tuple[str, ...] = ()
    files: str = ""  # where the files are now

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "PlanError":
        """Reads it back from JSON data."""
        fields = dict(record)
        fields["detail"] = tuple(fields["detail"])
        return cls(**fields)


@frozen
class Plan:
    """One row of plans."""

    plan_id: PlanId
    project_id: ProjectId
    number: int  # order within the project
    parent_plan_id: PlanId | None
    name: str
    phase: Phase
    state: State
    attempt: int
    cursor: str  # path of the next step
    definition_json: str  # what it is to do, as stored
    definition: int  # which of the actions it has had that is
    added: AddedSteps  # to that action, one by one
    error: PlanError | None
    action_path: str | None  # the file it was made from
    action_hash: str | None  # of that file when its steps were read last
    created_at: datetime
    updated_at: datetime
    parent_step: str | None  # the step of the parent that spawned it
    merged_ref: SnapshotId | None  # the snapshot that was merged into the parent
    superseded_by: str | None  # the operation that took it back
    kind: str = PLAN

    @cached_property
    def _definition(self) -> Definition:
        return definition_of(self.plan_id, self.definition_json, self.added)

    @property
    def action(self) -> "Action":
        """As it was when the plan was made, arguments filled in; read when it is asked for."""
        return self._definition.action

    @property
    def step_count(self) -> int:
        """How many steps it has at the top."""
        return self._definition.step_count

    @property
    def outline(self) -> Mapping[str, Any]:
        """The action as it is stored, for readers that want no more than a number of it."""
        return self._definition.outline

    @property
    def outlined_steps(self) -> Sequence[OutlinedStep]:
        """The steps of the action, for whoever only tells of them."""
        return self._definition.steps

    @property
    def is_chat(self) -> bool:
        """Whether a coding agent carries it out, in the user's own directory."""
        return self.kind == CHAT

    @property
    def called(self) -> str:
        """What it is, by its id."""
        return f"{self.kind} {self.plan_id}"

    @property
    def stage(self) -> Stage:
        """Phase and state together."""
        return self.phase, self.state

    @property
    def is_action_changed(self) -> bool:
        """Whether the file it was made from holds something else since its steps were read."""
        if self.action_path is None:
            return False
        present = file_hash(Path(self.action_path))
        return present is not None and present != self.action_hash

    @property
    def keeps_checkpoints(self) -> bool:
        """Whether it can be taken back: its action says so, and checkpoints are made of it."""
        return self._definition.keeps_checkpoints

    @property
    def runs_bare(self) -> bool:
        """The contrary."""
        return not self.keeps_checkpoints

    @property
    def step_index(self) -> int:
        """The top-level index of the cursor."""
        return top_index(self.cursor)

    @property
    def step(self) -> "Step | None":
        """The step that comes next; None at the end."""
        return step_at(self.action.steps, self.cursor)


def refuse_applied(plan: Plan) -> None:
    """Refuses a plan whose result is in the project, and says how to take it out."""
    if plan.stage == APPLIED:
        raise Refused(
            "the plan is applied: its result is in your project",
            hints=[f"take it back first: agents plan unapply {plan.plan_id}"],
        )


_BY_ID = """SELECT plans.*,
    (SELECT step_id FROM plan_steps WHERE plan_steps.plan_id = plans.plan_id
        AND plan_steps.definition = plans.definition ORDER BY position DESC LIMIT 1) AS last_added
    FROM plans WHERE plan_id = :plan_id"""
_OF_PROJECT = """SELECT * FROM plans WHERE project_id = :project_id AND :kind IN (kind, 'all')
    ORDER BY number"""
_NEWEST = "SELECT max(number) FROM plans WHERE project_id = :project_id"
_KEPT = """SELECT definition_json FROM plan_definitions
    WHERE plan_id = :plan_id AND number = :number"""
_NEWEST_KEPT = "SELECT max(number) FROM plan_definitions WHERE plan_id = :plan_id"


class PlanRepository:
    """The rows of plans."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(
        self,
        project_id: ProjectId,
        action: "Action",
        action_file: Path | None = None,
        *,
        stage: Stage = START,
        told: Mapping[str, object] | None = None,
    ) -> Plan:
        """Records a new plan, about to be strategized unless told; the journal keeps `told`."""
        newest = self._connection.value(_NEWEST, project_id=project_id)
        plan_id, moment = PlanId(new_id()), now()
        self._connection.insert(
            "plans",
            plan_id=plan_id,
            project_id=project_id,
            number=(newest or 0) + 1,
            name=action.name,
            phase=stage[0],
            state=stage[1],
            attempt=0,
            cursor=FIRST,
            definition_json=action.model_dump_json(by_alias=True),
            action_path=None if action_file is None else str(action_file.absolute()),
            action_hash=None if action_file is None else file_hash(action_file),
            created_at=moment,
            updated_at=moment,
        )
        record(self._connection, plan_id, Happening.MADE, plan_id, told)
        return self.get(plan_id)

    def get(self, plan_id: PlanId) -> Plan:
        """Returns a plan by its whole id."""
        row = self._connection.row(_BY_ID, plan_id=plan_id)
        if row is None:
            raise no_plan(self._connection, plan_id)
        return _from_row(row, added_of(self._connection, plan_id, row))

    def of_project(self, project_id: ProjectId | None, kind: str = PLAN) -> Sequence[Plan]:
        """Returns the plans of a project that are of a kind, or all, the oldest first."""
        added = AddedStepRepository(self._connection).of_project(project_id)
        rows = self._connection.rows(_OF_PROJECT, project_id=project_id, kind=kind)
        return [_from_row(row, added.get(row["plan_id"], NONE_ADDED)) for row in rows]

    def of_any_kind(self, project_id: ProjectId) -> Sequence[Plan]:
        """Returns the plans of a project, then its chats, the oldest of each first."""
        return [*self.of_project(project_id), *self.of_project(project_id, CHAT)]

    def found(self, query: str, **values: object) -> list[Plan]:
        """Returns the plans that a query of whole rows finds."""
        added = AddedStepRepository(self._connection)
        return [
            _from_row(row, added.read(row["plan_id"], row["definition"]))
            for row in self._connection.rows(query, **values)
        ]

    def move(self, plan_id: PlanId, target: Stage, *, error: PlanError | None = None) -> Plan:
        """Moves a plan along the lifecycle; what is not in the table is refused."""
        current = self.get(plan_id)
        check_move(current.stage, target)
        starts = target == (Phase.EXECUTE, State.PROCESSING) and current.stage != target
        self._update(
            plan_id,
            phase=target[0],
            state=target[1],
            attempt=current.attempt + starts,
            error_json=None if error is None else json.dumps(vars(error)),
        )
        moved = {
            "from": written(current.stage),
            "to": written(target),
            "attempt": current.attempt + starts,
            "error": None if error is None else error.message,
        }
        record(self._connection, plan_id, Happening.MOVED, plan_id, moved)
        CorrectionRepository(self._connection).follow(plan_id, target)
        return self.get(plan_id)

    def set_action(self, plan_id: PlanId, action: "Action") -> None:
        """Records what a plan that has not begun is to do."""
        self._update(plan_id, definition_json=action.model_dump_json(by_alias=True))

    def extend(self, plan_id: PlanId, kept: int, step: "Step | None") -> None:
        """Lets a plan end after the steps that are kept, and then one more if there is one.

        The cursor is then behind those that are kept. A step that is left out goes on being part of
        the action that earlier checkpoints name, so going back to one of them brings it back.
        """
        plan = self.get(plan_id)
        if kept < len(plan.action.steps):
            number = self.newest_definition(plan_id) + 1
            shorter = plan.action.model_copy(update={"steps": plan.action.steps[:kept]})
            self.redefine(plan_id, number, shorter)
            self.set_definition(plan_id, number)
            plan = self.get(plan_id)
        if step is not None:
            added = AddedStepRepository(self._connection)
            added.add(plan_id, plan.definition, len(plan.added.texts), step)
        self.set_cursor(plan_id, str(kept))

    def redefine(self, plan_id: PlanId, number: int, action: "Action") -> None:
        """Keeps another action for a plan, beside those it has had."""
        if number == 1:
            self._keep(plan_id, 0, self.get(plan_id).definition_json)
        self._keep(plan_id, number, action.model_dump_json(by_alias=True))

    def set_action_hash(self, plan_id: PlanId, found: str | None) -> None:
        """Says that the plan has the steps of its action file as it is now."""
        self._update(plan_id, action_hash=found)

    def action_of(self, plan: Plan, number: int) -> "Action":
        """Returns one of the actions that a plan has had."""
        if plan.definition == number:
            return plan.action
        added = AddedStepRepository(self._connection).read(plan.plan_id, number)
        return action_of(self._kept(plan.plan_id, number), added)

    def newest_definition(self, plan_id: PlanId) -> int:
        """Returns the number of the newest action a plan has had; 0: the one it was made with."""
        return self._connection.value(_NEWEST_KEPT, plan_id=plan_id) or 0

    def set_definition(self, plan_id: PlanId, number: int) -> None:
        """Makes a kept action the one that counts; an older one is not what its file holds now."""
        present = self.get(plan_id)
        if present.definition != number:
            read = present.action_hash if number > present.definition else None
            kept = self._kept(plan_id, number)
            self._update(plan_id, definition=number, definition_json=kept, action_hash=read)

    def _kept(self, plan_id: PlanId, number: int) -> str:
        return self._connection.value(_KEPT, plan_id=plan_id, number=number)

    def _keep(self, plan_id: PlanId, number: int, definition: str) -> None:
        self._connection.insert(
            "plan_definitions",
            plan_id=plan_id,
            number=number,
            definition_json=definition,
            created_at=now(),
        )

    def set_cursor(self, plan_id: PlanId, cursor: str) -> None:
        """Says which step comes next."""
        self._update(plan_id, cursor=cursor)

    def _update(self, plan_id: PlanId, **values: object) -> None:
        self._connection.update("plans", {"plan_id": plan_id}, updated_at=now(), **values)


def file_hash(path: Path) -> str | None:
    """Returns the hash of a file; None if it cannot be read."""
    from hashlib import sha256  # noqa: PLC0415 - slow to import, and a list of plans hashes nothing

    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _from_row(fields: Row, added: AddedSteps) -> Plan:
    phase, state = Phase(fields.pop("phase")), State(fields.pop("state"))
    error = fields.pop("error_json")
    return Plan(
        **fields,
        phase=phase,
        state=state,
        added=added,
        error=None if error is None else PlanError.from_record(json.loads(error)),
    )
