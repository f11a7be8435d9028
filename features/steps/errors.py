"""Steps about names that are nearly right."""

from behave import then, when

ID_QUERIES = {
    "plan": "SELECT plan_id FROM plans",
    "checkpoint": "SELECT checkpoint_id FROM checkpoints ORDER BY seq DESC",
    "decision": "SELECT decision_id FROM decisions ORDER BY seq DESC",
}


@then("each of these ids with its last letter changed is asked for")
def check_ids_asked_for(context):
    for row in context.table:
        right = context.world.sql(ID_QUERIES[row["id"]])[0][0]
        words = row["line"].replace("ID", changed(right)).split()
        done = context.world.agents(*words, "--format", "json")
        assert done.code == 3, (row["line"], done.out)
        assert f"did you mean {right} (" in done.error["suggestions"][0], (row["line"], done.out)


@when("I ask for the plan by its first {count:d} letters with the last one changed")
def ask_by_prefix(context, count):
    context.plan_id = context.world.plan.plan_id
    context.world.agents("plan", "status", changed(context.plan_id[:count]), "--format", "json")


@then("the suggestions name the plan")
def check_plan_named(context):
    suggestions = context.world.done.error["suggestions"]
    assert context.plan_id in suggestions[0], suggestions


def changed(identity):
    return identity[:-1] + ("X" if identity[-1] != "X" else "Y")
