"""Steps about settings and the files and variables they come from."""

from pathlib import Path

from behave import given, then, when
from commands import words


@given("the project's settings")
def write_project_settings(context):
    write_settings(project_file(context), context.text)


@given("the user's settings")
def write_user_settings(context):
    write_settings(user_file(context), context.text.replace("\\n", "\n"))


def project_file(context):
    return context.world.project / ".cleveragents" / "config.toml"


def user_file(context):
    return Path(context.world.variables["XDG_CONFIG_HOME"]) / "cleveragents" / "config.toml"


FILES = {"project": project_file, "user": user_file}


@given('the settings file "{name}"')
def write_other_settings(context, name):
    write_settings(context.world.project / name, context.text)


@given('the settings file "{name}" is not UTF-8')
def write_bad_settings(context, name):
    (context.world.project / name).write_bytes(b"[sandbox]\nbase = '\xff'\n")


def write_settings(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@then('the setting "{key}" is {value} from the {source}')
def check_setting(context, key, value, source):
    (found,) = [row for row in context.world.done.data["settings"] if row["key"] == key]
    written = found["value"]
    shown = ",".join(written) if isinstance(written, list) else str(written)
    assert (shown, found["source"]) == ("" if value == "empty" else value, source), found


@then("every setting is declared with key, value, source, variable and help")
def check_declared(context):
    for row in context.world.done.data["settings"]:
        assert list(row) == ["key", "value", "source", "variable", "help"], row
        name = row["key"].upper().replace(".", "_").replace("-", "_")
        assert row["variable"] == f"CLEVERAGENTS_{name}", row
        assert row["help"], row


@given('the user\'s data directory is "{name}"')
def set_user_data(context, name):
    context.world.variables["XDG_DATA_HOME"] = str(context.world.home / name)


@then('there is a database in "{name}"')
def check_database(context, name):
    assert (context.world.home / name / "cleveragents.db").is_file()


@then("the {whose}'s file is")
def check_file(context, whose):
    path = FILES[whose](context)
    found = path.read_text()
    assert found.rstrip("\n") == context.text, found
    assert whose == "project" or [one.name for one in path.parent.iterdir()] == ["config.toml"]


@then("the {whose} has no settings file")
def check_no_file(context, whose):
    assert not FILES[whose](context).exists()


@then('exactly one message says "{text}"')
def check_one_message(context, text):
    found = context.world.done.envelope["messages"]
    assert sum(text in line for line in found) == 1, found


@then('no message says "{text}"')
def check_no_message(context, text):
    found = context.world.done.envelope["messages"]
    assert not any(text in line for line in found), found


@then('the output is exactly "{text}"')
def check_exact_output(context, text):
    assert context.world.done.out == f"{text}\n", context.world.done.out


@then("the lines of the output hold")
def check_lines(context):
    """Each line of the text is found in a line of the output, whatever the space between words."""
    found = [" ".join(line.split()) for line in context.world.done.out.splitlines()]
    missing = [
        line for line in context.text.splitlines() if not any(line in other for other in found)
    ]
    assert not missing, f"{missing} in {found}"


@when("these run at the same time")
def run_all_together(context):
    started = [
        context.world.agents_beside(*words(context, row["command"].removeprefix("agents ")))
        for row in context.table
    ]
    context.codes = [(process.communicate()[1], process.returncode) for process in started]


@then('the library reads "{flag}" as true, and "{size}" as {count:d} bytes')
def check_flag_and_size(context, flag, size, count):
    with context.world.app() as app:
        assert app.settings.flag(flag) is True, flag
        assert app.settings.size(size) == count, size
