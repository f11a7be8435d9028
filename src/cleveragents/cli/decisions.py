"""`agents plan tree` and `explain`: what was decided, why, and what followed from it."""

from collections.abc import Iterator, Mapping, Sequence

from cleveragents.app import App
from cleveragents.cli import correct, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Fields, Outline, Result
from cleveragents.engine.correct.correction import Impact
from cleveragents.engine.read.tree import DecisionNode
from cleveragents.errors import CleverAgentsError
from cleveragents.plans.decision import STRATEGY_CHOICE, Decision
from cleveragents.shapes.decision import decisions_of, explanation_of

MARKS = {"done": "✓", "failed": "✗", "running": "…", "interrupted": "!", "pending": "·"}


def tree(
    call: Invocation,
    plan: str = "@",
    show_superseded: bool = False,
) -> Result:
    """Draw the decisions of a plan with the steps, checkpoints and outcomes below each."""
    app = call.app()
    found = views.find(call, app, plan)
    roots = app.tree.read(found, superseded=show_superseded)
    attempts = app.corrections.attempts(found.plan_id)
    ids = [node.decision.decision_id for root in roots for node in _all(root)]
    short = views.short_ids(call, app, [*ids, *(row.correction_id for row in attempts)])
    lines = [line for root in roots for line in _drawn(root, short)]
    lines += [
        ("", "", f"correction {short[row.correction_id]}  {row.state}: {row.guidance}")
        for row in attempts
    ]
    data = decisions_of(found, roots, attempts)
    return Result(data, [Outline(lines)], messages=app.cautions(found), paged=True)


def explain(call: Invocation, decision: str) -> Result:
    """Tell all about a decision: why it was made, what hangs on it, what another would cost."""
    app = call.app()
    row = views.find_decision(app, decision)
    plan = app.plans.find(row.plan_id)
    node = next(
        found
        for root in app.tree.read(plan, superseded=True)
        for found in _all(root)
        if found.decision == row
    )
    facts = Fields(f"Decision {node.name}", _told(node, _own_ids(call, app, row)))
    try:
        impact = app.corrections.preview(row.plan_id, row)
    except CleverAgentsError as error:
        refusal = Fields("A correction", [("Not possible", error.message)])
        return Result(explanation_of(node, error.message), [facts, refusal])
    option = row.alternatives[0] if row.alternatives else row.chosen
    again = f"agents plan correct --mode revert --guidance TEXT --choose {option} {row.decision_id}"
    return Result(
        explanation_of(node, impact),
        [
            facts,
            Fields("Depends on it", _dependents(call, app, impact)),
            correct.impact_block("A correction would", impact),
        ],
        next_steps=[again],
    )


def _dependents(call: Invocation, app: App, impact: Impact) -> list[tuple[str, str]]:
    rows = [row for row in impact.affected if row != impact.decision]
    short = views.short_ids(call, app, [row.decision_id for row in rows])
    told = [(row.question, f"{row.chosen}  {short[row.decision_id]}") for row in rows]
    return told or [("", "nothing")]


def _own_ids(call: Invocation, app: App, row: Decision) -> Mapping[str, str]:
    """The id of a decision, and of what took it back, which nobody types."""
    by = [] if row.superseded_by is None else [row.superseded_by]
    return {**views.short_ids(call, app, [row.decision_id]), **views.short_among(call, by)}


def _told(node: DecisionNode, short: Mapping[str, str]) -> list[tuple[str, str]]:
    row = node.decision
    told = [
        ("Decision", short[row.decision_id]),
        ("Type", row.decision_type),
        ("Question", row.question),
        ("Chosen", row.chosen),
        ("Alternatives", ", ".join(row.alternatives) or "-"),
        ("Rationale", row.rationale or "-"),
        ("Confidence", "-" if row.confidence is None else f"{row.confidence:g}"),
        ("Influenced by", ", ".join(other.question for other in node.influenced_by) or "-"),
        ("Checkpoint", node.checkpoint.name if node.checkpoint else "-"),
        ("Made", views.moment(row.created_at)),
    ]
    by = row.superseded_by
    return told if by is None else [*told, ("Superseded by", short[by])]


def _all(node: DecisionNode) -> Iterator[DecisionNode]:
    yield node
    for child in node.children:
        yield from _all(child)


def _drawn(
    node: DecisionNode, short: Mapping[str, str], first: str = "", rest: str = ""
) -> Iterator[tuple[str, str, str]]:
    yield first, rest, f"{_line(node)}  {short[node.decision.decision_id]}"
    for index, item in enumerate(node.below):
        is_last = index == len(node.below) - 1
        here, there = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        if isinstance(item, DecisionNode):
            yield from _drawn(item, short, rest + here, rest + there)
        else:
            yield rest + here, rest + there, f"{MARKS[item.status]} {item.step}"


def _line(node: DecisionNode) -> str:
    row = node.decision
    asked = f"{node.name}: {row.question}" if row.decision_type == STRATEGY_CHOICE else row.question
    parts = [f"{asked} → {row.chosen}"]
    parts += [f"[{node.checkpoint.name}]"] if node.checkpoint else []
    parts += [f"because of {_names(node.influenced_by)}"] if node.influenced_by else []
    parts += ["(superseded)"] if row.superseded_by else []
    return "  ".join(parts)


def _names(rows: Sequence[Decision]) -> str:
    return ", ".join(row.chosen for row in rows)
