"""Steps about names that are nearly right."""

from behave import then

ID_QUERIES = {
    "plan": "SELECT plan_id FROM plans",
    "checkpoint": "SELECT checkpoint_id FROM checkpoints ORDER BY seq DESC",
    "decision": "SELECT decision_id FROM decisions ORDER BY seq DESC",
}


@then("each of these ids with its last letter changed leads to the right one")
def check_ids_asked_for(context):
    """Some are cut short first."""
    for row in context.table:
        right = context.world.sql(ID_QUERIES[row["id"]])[0][0]
        short = right[: int(row["letters"])]
        words = row["line"].replace("ID", changed(short)).split()
        done = context.world.agents(*words, "--format", "json")
        assert done.code == 3, (row["line"], done.out)
        assert f"did you mean {right} (" in done.error["suggestions"][0], (row["line"], done.out)


def changed(identity):
    return identity[:-1] + ("X" if identity[-1] != "X" else "Y")
