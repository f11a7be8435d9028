"""Steps about settings and the files and variables they come from."""

from pathlib import Path

from behave import given, then


@given("the project's settings")
def write_project_settings(context):
    write_settings(context.world.project / ".cleveragents" / "config.toml", context.text)


@given("the user's settings")
def write_user_settings(context):
    home = Path(context.world.variables["XDG_CONFIG_HOME"])
    write_settings(home / "cleveragents" / "config.toml", context.text)


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
