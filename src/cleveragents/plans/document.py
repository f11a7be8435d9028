"""The plan document: the plan half of a checkpoint.

It holds the cursor and the ids of what counts at that moment. Going to a checkpoint makes exactly
the listed rows count and marks all others; so taking a rollback back is the same act.
"""

from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from typing import Any, cast

from cleveragents.ids import CauseId, DecisionId, PlanId, SnapshotId, StepRunId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.conflict import ConflictRepository
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step_run import SUCCEEDED, StepRunRepository
from cleveragents.records import field, frozen
from cleveragents.sandbox.sandbox import SandboxRepository
from cleveragents.storage.connection import Connection

# Asked at every checkpoint, so asked as one: kind, identity, and what else is told of it. Of the
# calls, which grow with the plan, all that ended alike are one row.
_PARTS = """
    SELECT 'runs', status, group_concat(step_run_id, ' ') FROM step_runs
    WHERE plan_id = :plan_id AND superseded_by IS NULL GROUP BY status
    UNION ALL SELECT 'decisions', decision_id, NULL FROM decisions
    WHERE plan_id = :plan_id AND superseded_by IS NULL
    UNION ALL SELECT 'children', plan_id, merged_ref FROM plans
    WHERE parent_plan_id = :plan_id AND superseded_by IS NULL
    UNION ALL SELECT 'conflicts', conflict_id, NULL FROM conflicts
    WHERE plan_id = :plan_id AND closed_by IS NULL
    UNION ALL SELECT 'base', sandbox_id, refreshed_ref FROM sandboxes WHERE plan_id = :plan_id
"""


@frozen
class PlanDocument:
    """The part of a plan that counts at one moment, without phase, state, attempts and times."""

    cursor: str
    step_runs: tuple[StepRunId, ...]
    decisions: tuple[DecisionId, ...]
    # those that count, each with the snapshot that was merged
    children: Mapping[PlanId, SnapshotId | None] = field(
        default_factory=dict[PlanId, SnapshotId | None]
    )
    # calls that count though they failed; no part of the state's hash
    tried: tuple[StepRunId, ...] = ()
    conflicts: tuple[str, ...] = ()  # those that nobody has resolved
    definition: int = 0  # which of its actions the plan follows
    # what a refresh last merged in; None: what the sandbox started from
    base: SnapshotId | None = None

    @property
    def counting(self) -> tuple[StepRunId, ...]:
        """Every call that counts, whatever came of it."""
        return (*self.step_runs, *self.tried)

    @property
    def hashed(self) -> dict[str, object]:
        """The part of its JSON data that tells states apart."""
        return {key: value for key, value in self.to_record().items() if key != "tried"}

    def to_record(self) -> dict[str, object]:
        """Returns it as JSON data, in a fixed form."""
        return {
            "cursor": self.cursor,
            "step_runs": sorted(self.step_runs),
            "decisions": sorted(self.decisions),
            "children": dict(sorted(self.children.items())),
            "tried": sorted(self.tried),
            "conflicts": sorted(self.conflicts),
            **({"definition": self.definition} if self.definition else {}),
            **({} if self.base is None else {"base": self.base}),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "PlanDocument":
        """Reads it back."""
        return cls(
            record["cursor"],
            tuple(record["step_runs"]),
            tuple(record["decisions"]),
            record["children"],
            tuple(record.get("tried", ())),
            tuple(record["conflicts"]),
            record.get("definition", 0),
            record.get("base"),
        )


@frozen
class SupersededCounts:
    """Rows that stopped counting when a document was made the present."""

    tool_calls: int
    decisions: int
    children: int


def current_document(connection: Connection, plan: Plan) -> PlanDocument:
    """Returns the document of the present."""
    found: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
    for kind, identity, more in connection.tuples(_PARTS, plan_id=plan.plan_id):
        found[kind][identity] = more
    runs = {status: _ids(text) for status, text in found["runs"].items()}
    return PlanDocument(
        plan.cursor,
        runs.pop(SUCCEEDED, ()),
        tuple(found["decisions"]),
        found["children"],
        tuple(chain.from_iterable(runs.values())),
        tuple(found["conflicts"]),
        plan.definition,
        next(iter(found["base"].values()), None),
    )


def _ids(text: str) -> tuple[StepRunId, ...]:
    return tuple(cast("list[StepRunId]", text.split()))


def make_current(
    connection: Connection, plan_id: PlanId, document: PlanDocument, cause: CauseId
) -> SupersededCounts:
    """Makes the document the present, in the name of what takes the rest back."""
    PlanRepository(connection).set_cursor(plan_id, document.cursor)
    PlanRepository(connection).set_definition(plan_id, document.definition)
    ConflictRepository(connection).make_open(plan_id, document.conflicts, cause)
    SandboxRepository(connection).set_refreshed(plan_id, document.base)
    return SupersededCounts(
        StepRunRepository(connection).make_active(plan_id, document.counting, cause),
        DecisionRepository(connection).make_active(plan_id, document.decisions, cause),
        len(ChildRepository(connection).make_active(plan_id, document.children, cause)),
    )
