"""Steps about finding plans, files and their versions."""

import shlex

from behave import then


@then("the list of plans is")
def list_is(context):
    for row in context.table:
        options = shlex.split(row["options"])
        names = row["names"].split(", ") if row["names"] else []
        listed = context.world.agents("plan", "list", *options, "--format", "json").data["plans"]
        assert [plan["name"] for plan in listed] == names, (row["options"], listed)
        shown = context.world.agents("plan", "list", *options, "--format", "plain").out
        rows = shown.splitlines()[1:]
        assert len(rows) == len(names), shown
        assert all(map(str.endswith, rows, names)), shown
