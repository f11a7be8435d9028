"""Reads the tree of a plan's decisions, with the steps each has led to."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint, CheckpointRepository
from cleveragents.engine.read.plans import is_interrupted
from cleveragents.engine.read.status import StepStatus, statuses
from cleveragents.ids import DecisionId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.cursor import holder, step_at
from cleveragents.plans.decision import PROMPT_DEFINITION, Decision, DecisionRepository
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import StepRunRepository, failed_for_good
from cleveragents.records import frozen
from cleveragents.storage.database import Database


@frozen
class DecisionNode:
    """A decision, what it has led to, and where a correction of it would start."""

    decision: Decision
    name: str
    checkpoint: Checkpoint | None  # the state before it
    influenced_by: tuple[Decision, ...]
    steps: tuple[StepStatus, ...]  # of the option it chose; of the root, those of the plan
    children: tuple["DecisionNode", ...]
    below: tuple["StepStatus | DecisionNode", ...]  # both, in the order of the plan


@frozen
class _Facts:
    plan: Plan
    rows: Sequence[Decision]
    pairs: Sequence[tuple[DecisionId, DecisionId]]
    before: dict[str, Checkpoint]  # by decision; the latest one
    found: dict[str, str]  # how far each step has come
    below: dict[
        str | None, tuple[DecisionNode, ...]
    ]  # of subplans, by the decision that spawned each


class DecisionTree:
    """Draws nothing and changes nothing: it knows what belongs to what."""

    def __init__(self, database: Database, is_owned: Callable[[str], bool]) -> None:
        self._database = database
        self._is_owned = is_owned

    def read(self, plan: Plan, *, superseded: bool = False) -> tuple[DecisionNode, ...]:
        """Returns the roots of the tree, with what was taken back only if that is wanted."""
        with self._database.reading() as connection:
            repository = DecisionRepository(connection)
            rows = repository.of_plan(plan.plan_id)
            pairs = repository.influences(plan.plan_id)
            checkpoints = CheckpointRepository(connection).of_plan(plan.plan_id)
            children = ChildRepository(connection).of_plan(plan.plan_id)
            runs = StepRunRepository(connection).of_plan(plan.plan_id)
        below = [
            self.read(child, superseded=superseded)
            for child in children
            if superseded or child.superseded_by is None
        ]
        counting = [row for row in rows if row.superseded_by is None]
        interrupted = is_interrupted(self._database, self._is_owned, plan)
        facts = _Facts(
            plan,
            rows if superseded else counting,
            pairs,
            {row.decision_id: row for row in checkpoints if row.decision_id},
            statuses(plan, counting, failed_for_good(runs), interrupted=interrupted),
            {roots[0].decision.parent_id: roots for roots in below},
        )
        shown = {row.decision_id for row in facts.rows}
        return tuple(_node(row, facts) for row in facts.rows if row.parent_id not in shown)

    def named(self, plan: Plan, name: str) -> Sequence[Decision]:
        """Returns the decisions of a plan that count and whose step is called so."""
        nodes = [node for root in self.read(plan) for node in _all(root)]
        return [node.decision for node in nodes if node.name == name]


def _all(node: DecisionNode) -> Iterator[DecisionNode]:
    yield node
    for child in node.children:
        yield from _all(child)


def _node(decision: Decision, facts: _Facts) -> DecisionNode:
    by_id = {row.decision_id: row for row in facts.rows}
    step = decision.cursor and step_at(facts.plan.action.steps, decision.cursor)
    children = [row for row in facts.rows if row.parent_id == decision.decision_id]
    influences = [other for mine, other in facts.pairs if mine == decision.decision_id]
    steps = _steps(decision, facts) if decision.superseded_by is None else {}
    nodes = [
        *(_node(row, facts) for row in children),
        *facts.below.get(decision.decision_id, ()),
    ]
    return DecisionNode(
        decision,
        step.title if step else decision.decision_type,
        facts.before.get(decision.decision_id),
        tuple(by_id[other] for other in influences if other in by_id),
        tuple(steps.values()),
        tuple(nodes),
        tuple(_in_order(steps, nodes)),
    )


def _in_order(
    steps: Mapping[str, StepStatus], nodes: Sequence[DecisionNode]
) -> list["StepStatus | DecisionNode"]:
    """Puts what is at the same place together: what was taken back, the step, what counts."""
    placed: list[tuple[float, int, StepStatus | DecisionNode]] = [
        (_place(cursor), 1, step) for cursor, step in steps.items()
    ]
    placed += [
        (_place(node.decision.cursor), 2 if node.decision.superseded_by is None else 0, node)
        for node in nodes
    ]
    return [item for *_, item in sorted(placed, key=lambda each: each[:2])]


def _place(cursor: str | None) -> float:
    """Where something stands among what is beside it; what has no step comes last."""
    return float("inf") if cursor is None else int(cursor.rpartition(".")[2])


def _steps(decision: Decision, facts: _Facts) -> dict[str, StepStatus]:
    """The steps right below a decision that call something, with how far each has come."""
    is_root = decision.decision_type == PROMPT_DEFINITION
    if decision.cursor is None and not is_root:
        return {}
    decided = {row.cursor for row in facts.rows if row.superseded_by is None}
    return {
        cursor: StepStatus(step.title, status)
        for cursor, status in facts.found.items()
        if holder(cursor) == decision.cursor and cursor not in decided
        for step in (step_at(facts.plan.action.steps, cursor),)
        if step is not None
    }
