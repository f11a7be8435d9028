"""Steps about undo and redo in the user's own directory, played without a client."""

import errno
import shlex
from datetime import UTC, datetime

from behave import given, then, when
from forked import unwatch, watch
from played_chat import PlayedChats, state_of

from cleveragents.app import App
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.errors import CleverAgentsError
from cleveragents.snapshots.write import exchange

FLAGS = {
    "--everything": "is_everything",
    "--anyway": "anyway",
    "--times": "keeps_times",
    "--with-chat": "with_chat",
}
OURS = "SELECT (SELECT count(*) FROM operations), count(*) FROM moments WHERE kind = 'act'"
LISTS = {"--path": "paths", "--mine": "mine", "--before": "before"}


def chats(context):
    """The chats that the scenario plays."""
    if "chats" not in context:
        context.chats = PlayedChats(context.world)
        context.states = {}
    return context.chats


def request(text, past=None):
    """An undo as somebody would type it."""
    fields, words = {}, shlex.split(text)
    while words:
        word = words.pop(0)
        if word in FLAGS:
            fields[FLAGS[word]] = True
        elif word in LISTS:
            fields[LISTS[word]] = (*fields.get(LISTS[word], ()), words.pop(0))
        elif word == "--since":
            fields["since"] = words.pop(0)
        elif word == "--chat":
            name = f"session-{words.pop(0)}"
            fields["chat"] = next(one.plan_id for one in past.chats if one.client_session == name)
        elif word == "--unclear":
            fields["takes_unclear"] = words.pop(0) == "take"
        else:
            fields["target"] = word
    return UndoRequest(**fields)


def undertaking(context, text, *, is_redo=False):
    """The act that somebody asks for; None: there is nothing to do."""
    app = chats(context).app
    wanted = request(text, app.chats.undos.past())
    return app.undertakings.undo_chat(wanted, is_redo=is_redo)


@given("the files")
def make_files(context):
    for row in context.table:
        path = context.world.project / row["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(row["content"].replace("|", "\n") + "\n")


@given("this chat")
@when("this chat goes on")
@given("this chat goes on")
def play(context):
    chats(context).play(context.text)


@given('this chat in "{folder}"')
def play_elsewhere(context, folder):
    """Of the same client, in a directory beside the project."""
    world = context.world
    with world.variables_set():
        app = App(world.project.parent / folder, data_dir=world.data_dir)
    others = PlayedChats(world, app)
    others.pid = chats(context).pid
    others.play(context.text)


@given('I remember the files as "{name}"')
@when('I remember the files as "{name}"')
def remember(context, name):
    chats(context)
    context.states[name] = state_of(context.world.project)


@when('I undo "{text}" here')
@when("I undo here")
def undo(context, text=""):
    act = undertaking(context, text)
    context.before = context.world.sql(OURS)
    context.result = None if act is None else act.carry_out()


@when('I redo "{text}" here')
@when("I redo here")
def redo(context, text=""):
    act = undertaking(context, text, is_redo=True)
    context.result = None if act is None else act.carry_out()


@when('I undo "{text}" here and it is refused')
@when("I undo here and it is refused")
def undo_refused(context, text=""):
    _refused(context, text, is_redo=False)


@when('I redo "{text}" here and it is refused')
@when("I redo here and it is refused")
def redo_refused(context, text=""):
    _refused(context, text, is_redo=True)


def _refused(context, text, *, is_redo):
    before = state_of(context.world.project)
    try:
        act = undertaking(context, text, is_redo=is_redo)
        act.carry_out()
    except CleverAgentsError as error:
        context.error = error
    else:
        raise AssertionError("it was not refused")
    assert state_of(context.world.project) == before


@when("two {kind} are asked for, and the one is done")
def ask_twice(context, kind):
    is_redo = kind == "redos"
    one, context.other = (undertaking(context, "", is_redo=is_redo) for _ in range(2))
    one.carry_out()


@then('the other is refused, looked at or done, with "{text}"')
def refused_twice(context, text):
    for act in (context.other.foresee, context.other.carry_out):
        try:
            act()
        except CleverAgentsError as error:
            context.error = error
        else:
            raise AssertionError("it was not refused")
        says(context, text)


@when("I undo here and the {number:d}. change of a file fails with {name}")
def undo_failing(context, number, name):
    points = iter(range(number - 1))
    failed = []

    def fail(_):
        if next(points, None) is None and not failed:
            failed.append(True)
            raise OSError(getattr(errno, name), name)

    act = undertaking(context, "")
    context.seen = state_of(context.world.project)
    watch(exchange, fail)
    try:
        act.carry_out()
    except CleverAgentsError as error:
        context.error = error
    finally:
        unwatch(exchange)
    assert failed, "it did not come to that"


@when('the record of that undo is of the old form, within "{path}"')
def make_old(context, path):
    context.world.sql(
        "UPDATE operations SET intent_json ="
        " json_remove(json_set(intent_json, '$.within', json_array(?)), '$.parts', '$.mine')",
        path,
    )


@then("it is refused, and no file has changed")
def refused_unchanged(context):
    assert context.error is not None
    assert state_of(context.world.project) == context.seen


@then('it says "{text}"')
def says(context, text):
    error = context.error
    told = "\n".join([error.message, *error.detail, *error.hints])
    assert text in told, told


@then('it says nothing of "{text}"')
def says_not(context, text):
    error = context.error
    told = "\n".join([error.message, *error.detail, *error.hints])
    assert text not in told, told


@then("the exit code of the refusal is {code:d}")
def exit_code(context, code):
    assert context.error.exit_code == code, context.error.exit_code


@then('the files are as in "{name}"')
def files_as(context, name):
    found, wanted = state_of(context.world.project), context.states[name]
    assert found == wanted, f"{found}\n{wanted}"


@then('the files are as in "{name}" but for')
def files_but(context, name):
    wanted = dict(context.states[name])
    for row in context.table:
        if row["content"] == "(gone)":
            wanted.pop(row["file"], None)
        else:
            content = row["content"].replace("|", "\n") + "\n"
            if row["content"] == "(directory)":
                wanted[row["file"]] = ("0o40755", None)
                continue
            mode = wanted.get(row["file"], ("0o100644",))[0]
            wanted[row["file"]] = (mode, content.encode())
    found = state_of(context.world.project)
    assert found == wanted, f"{found}\n{wanted}"


@then("nothing was done, and nothing recorded")
def nothing_done(context):
    assert context.result is not None
    assert context.result.outcome is None, context.result
    assert context.world.sql(OURS) == context.before, context.result


@then("no act of ours is recorded")
def nothing_recorded(context):
    assert context.world.sql(OURS) == [(0, 0)]


@then("there is nothing to do")
def nothing(context):
    assert context.result is None, context.result


@then('there is nothing to undo "{text}"')
@then("there is nothing to undo")
def nothing_to_undo(context, text=""):
    assert undertaking(context, text) is None


@then('the preview of undo "{text}" tells')
def preview_tells(context, text):
    _preview(context, text, is_redo=False)


@then('the preview of redo "{text}" tells')
def redo_tells(context, text):
    _preview(context, text, is_redo=True)


def _preview(context, text, *, is_redo):
    before = state_of(context.world.project)
    rows = context.world.sql("SELECT count(*) FROM checkpoints")
    would = undertaking(context, "" if text == "-" else text, is_redo=is_redo).preview().would
    found = {
        "title": would.title,
        "prompt": would.prompt,
        "files": ", ".join(f"{each.file} {each.action}" for each in would.files),
        "conflicts": ", ".join(f"{each.file}: {each.reason}" for each in would.conflicts),
        "obstacles": ", ".join(map(str, would.obstacles)),
        "unclear": ", ".join(would.unclear),
        "users": ", ".join(would.users),
        "mine": ", ".join(would.mine),
        "not covered": ", ".join(f"{each.path}: {each.why}" for each in would.not_covered),
        "left out": ", ".join(f"{each.path}: {each.why}" for each in would.left_out),
        "joint": ", ".join(would.joint),
        "questions": "; ".join(would.questions),
        "notes": "; ".join(would.notes),
        "passed over": "; ".join(each.why for each in would.passed_over),
    }
    for row in context.table:
        assert found[row["what"]] == row["told"], found
    assert state_of(context.world.project) == before
    assert context.world.sql("SELECT count(*) FROM checkpoints") == rows


@then('the agent is told "{text}"')
def agent_told(context, text):
    assert text in chats(context).answers[-1].answer, chats(context).answers[-1]


@then("the agent is told nothing")
def agent_not_told(context):
    assert chats(context).answers[-1].answer == ""


@then("there is something to undo")
def something_to_undo(context):
    assert undertaking(context, "") is not None


@then("there is nothing to redo")
def nothing_to_redo(context):
    assert undertaking(context, "", is_redo=True) is None


@given("the project is another directory with the same files")
def another_directory(context):
    project = context.world.project
    context.world.sh("cp -a project copy; mv project old; mv copy project", cwd=project.parent)


@then('"{name}" is of the year {year:d}')
def of_year(context, name, year):
    assert _year(context, name) == year


@then('"{name}" is not of the year {year:d}')
def not_of_year(context, name, year):
    assert _year(context, name) != year


def _year(context, name):
    return datetime.fromtimestamp((context.world.project / name).stat().st_mtime, UTC).year


@given("the chats go on in another process")
def another_process(context):
    context.chats = PlayedChats(context.world)
