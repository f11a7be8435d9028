"""Steps about decisions and their tree."""

from behave import then

from cleveragents.plans.decision import DecisionRepository


@then("the decisions are")
def check_decisions(context):
    """Every decision of the latest plan, in order."""
    found = decisions(context)
    by_id = {row.decision_id: str(row.seq) for row in found}
    app = context.world.app()
    rows = app.checkpoints.list_checkpoints(context.world.plan.plan_id)
    names = {row.checkpoint_id: (row.name, row.decision_id) for row in rows}
    told = []
    for row in found:
        name, owner = names.get(row.checkpoint_id, ("", None))
        assert not name or owner == row.decision_id, f"{name} is that of {owner}"
        told.append(
            [
                str(row.seq),
                row.decision_type,
                row.question,
                row.chosen,
                ", ".join(row.alternatives),
                by_id.get(row.parent_id, ""),
                name,
                row.cursor or "",
            ]
        )
    assert told == [list(row.cells) for row in context.table], told


@then('the decision {seq:d} is influenced by "{others}"')
def check_influences(context, seq, others):
    by_id = {row.decision_id: row.seq for row in decisions(context)}
    pairs = context.world.sql("SELECT decision_id, influenced_by FROM decision_influences")
    found = sorted(by_id[other] for decision, other in pairs if by_id[decision] == seq)
    assert ", ".join(map(str, found)) == others, found


@then('there is a checkpoint of type "{kind}"')
def check_kind(context, kind):
    rows = context.world.app().checkpoints.list_checkpoints(context.world.plan.plan_id)
    assert kind in [row.checkpoint_type for row in rows], rows


def decisions(context):
    app = context.world.app()
    plan = app.plans.find("@")
    with app.execute._database.unit_of_work() as connection:
        return DecisionRepository(connection).of_plan(plan.plan_id)
