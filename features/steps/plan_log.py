"""Steps about the history of plans."""

import json
import re

from behave import then


@then("the story is")
def check_story(context):
    found = story(context)
    assert found == context.text.splitlines(), "\n".join(found)


@then("the story says")
def check_story_part(context):
    """The lines come in this order; others may stand between them."""
    found = story(context)
    rest = iter(found)
    missing = [line for line in context.text.splitlines() if line not in rest]
    assert not missing, f"{missing} in\n" + "\n".join(found)


def story(context):
    """The lines for people, without their times."""
    done = context.world.agents("plan", "log", "@", "--format=plain")
    assert done.code == 0, done.err
    _, *lines = done.out.splitlines()
    return [told(line) for line in lines]


def told(line):
    rest = re.sub(r"^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d +", "", line)
    what, _, text = re.sub(r"\b\d+\.\d s\b|\b\d+(?= bytes freed)", counted, rest).partition("  ")
    return f"{what:<10} {text.strip()}"


def counted(match):
    return "N s" if match[0].endswith("s") else "N"


@then("the numbers of the events are 1 and up")
def check_numbers(context):
    found = [event["seq"] for event in context.world.done.data["events"]]
    assert found == list(range(1, len(found) + 1)), found


@then("the facts of the last event of each kind are")
def check_facts(context):
    last = {event["kind"]: event for event in context.world.done.data["events"]}
    for row in context.table:
        found = last[row["kind"]][row["fact"]]
        assert found == json.loads(row["value"]), f"{row['kind']} {row['fact']}: {found!r}"
