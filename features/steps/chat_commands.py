"""Steps about the commands of chats."""

import json
import os

from behave import given, then, when
from chat_undo import chats
from played_chat import state_of

from cleveragents.cli.on_chats import ON_CHATS
from cleveragents.cli.table.entries import leaves
from cleveragents.cli.table.root import ROOT

REFUSED = 4


@given("the client of this chat has started us")
def be_started(context):
    """Whoever started the tests is taken for the client."""
    chats(context).pid = os.getppid()


@when("the process dies before it has closed that")
def die(context):
    """As if it had been killed with all files in place and nothing of that recorded."""
    world = context.world
    ((operation, record),) = world.sql(
        "SELECT operation_id, json_extract(intent_json, '$.record') FROM operations"
        " ORDER BY operation_id DESC LIMIT 1"
    )
    world.sql("DELETE FROM moments WHERE key = ?", f"act:{operation}:end")
    world.sql("DELETE FROM checkpoints WHERE checkpoint_id = ?", record)
    world.sql(
        "UPDATE operations SET status = 'open', closed_at = NULL, outcome_json = NULL"
        " WHERE operation_id = ?",
        operation,
    )


@when("I undo each chat here by its id and the beginning of it")
def undo_by_id(context):
    ids = [one for (one,) in context.world.sql("SELECT plan_id FROM chats")]
    names = [*ids, *(f"{one[:-1]}".lower() for one in ids)]
    context.found = [
        context.world.agents("undo", "--chat", name, "--dry-run", "--format", "json").data["chat"]
        for name in names
    ]
    context.wanted = [*ids, *ids]


@then("each is found")
def check_found(context):
    assert context.found == context.wanted, context.found


@then("what would be undone next is the {which} of the acts")
def check_next(context, which):
    data = context.world.done.data
    assert data["next_undo"] == data["acts"][["first", "second"].index(which)]["id"], data


@given("a new project beside it")
def leave(context):
    context.world.project = context.world.home / "another"
    context.world.project.mkdir()


@then('each command that takes a plan does with the chat "{chat}" what the table of chats says')
def check_table(context, chat):
    """Runs all of them; what a command needs besides is made up, what it asks stays unanswered."""
    taking = {" ".join(path): node for path, node in leaves(ROOT) if takes_plan(node)}
    assert taking.keys() == ON_CHATS.keys(), taking.keys() ^ ON_CHATS.keys()
    before = state_of(context.world.project)
    for command, (why, fitting) in ON_CHATS.items():
        done = context.world.agents(*line_of(command, taking[command], chat))
        assert (done.code == REFUSED) == bool(fitting), (command, done)
        hint = f"{why}: {fitting.partition('{}')[0]}"
        assert not fitting or f"hint: {hint}" in done.err, (command, done.err)
        assert "agents" not in fitting or is_typed(fitting), fitting
    assert state_of(context.world.project) == before


def takes_plan(node):
    shown = [argument.shown for argument in node.arguments]
    shown += [option.shown for option in node.options]
    return any(one.startswith("PLAN") for one in shown) or node.name == "correct"


def line_of(command, node, chat):
    """A command line that names the chat, with the first values that come to mind."""
    checkpoint = "spare" if node.name == "delete" else "1"  # those that tell of a turn stay
    made = {"CHECKPOINT": checkpoint, "PATH": "b.txt", "COMMAND...": "true", "DECISION": chat}
    given = [
        chat if argument.shown.startswith("PLAN") else made[argument.shown]
        for argument in node.arguments
        if argument.needed or argument.shown.startswith("PLAN")
    ]
    named = [] if any(one.shown.startswith("PLAN") for one in node.arguments) else ["--plan", chat]
    named = [] if node.name == "correct" else named
    needed = [word for option in node.options if option.needed for word in (option.names[0], "b")]
    needed += ["--take", "mine"] if node.name == "resolve" else []
    dry = [name for option in node.options for name in option.names if name == "--dry-run"]
    return [*command.split(), *given, *named, *needed, *dry]


def is_typed(fitting):
    """Whether a command that is named can be typed."""
    command = fitting.split("{")[0].split("--")[0].removeprefix("agents ").strip()
    return command in {" ".join(path) for path, _ in leaves(ROOT)}


@then("typed to undo, each of these paths means just these files")
def typed_paths(context):
    """PROJECT stands for where the project is, and linked for a link to that."""
    for row in context.table:
        typed = row["typed"].replace("PROJECT", str(context.world.project))
        line = ["undo", "--path", typed, "--dry-run", "--format", "json"]
        done = context.world.agents(*line, cwd=context.world.project / row["below"])
        found = [each["file"] for each in json.loads(done.out)["data"]["taken_back"]]
        assert ", ".join(found) == row["files"], (row, found)


@given('a prompt of {more:d} letters and a command of {less:d}, each with "{end}" at its end')
def play_long(context, more, less, end):
    name = f"c{end[:3]}"
    chats(context).play(f"prompt {'a' * more} {end}\nbegin {name} Bash: {'a' * less} {end}")
    chats(context).play(f"end {name} Bash\nstop")


@then("no text of the chats is longer than {most:d}, and none of a call than {less:d}")
def check_lengths(context, most, less):
    found = context.world.sql("SELECT kind, text FROM moments")
    longest = {kind: max(len(text) for of, text in found if of == kind) for kind, _ in found}
    assert (longest["prompt"], longest["before"]) == (most, less), longest


@then("the database holds none of")
def database_holds_none(context):
    held = b"".join(path.read_bytes() for path in context.world.data_dir.glob("cleveragents.db*"))
    for row in context.table:
        assert row["text"].encode() not in held, row["text"]


@then('the command that the undo names gives "{name}" back as "{text}"')
def run_named(context, name, text):
    world = context.world
    told = world.agents("undo", "--dry-run", "--format", "json").data["not_covered"]
    why = next(one["why"] for one in told if one["file"] == name)
    given = world.project.parent / "given back"
    world.agents(*why.rpartition("agents ")[2].split(), "--to", str(given))
    assert given.read_text() == f"{text}\n"
