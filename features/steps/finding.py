"""Steps about finding plans, files and their versions."""

import io
import os
import shlex
import stat

from behave import given, then


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


@then("these are found")
def found(context):
    for row in context.table:
        context.world.agents("find", row["path"], "--format", "json")
        listed = "; ".join(map(_told, context.world.done.data["changes"]))
        assert listed == row["found"], (row["path"], listed)


def _told(change):
    sizes = ["-" if change[key] is None else str(change[key]) for key in ("size_before", "size")]
    words = [change["plan"], change["checkpoint"], change["status"], change["path"], *sizes]
    return " ".join([*words, *(["left"] if change["left_behind"] else [])])


@given("the row of checkpoint {number:d} names a snapshot that is nowhere")
def name_nowhere(context, number):
    context.world.sql("UPDATE checkpoints SET sandbox_ref = ? WHERE seq = ?", "0" * 64, number)


def _printed(context, line):
    """What a command writes to a file: bytes, not text."""
    raw = io.BytesIO()
    words = shlex.split(line) if isinstance(line, str) else line
    arguments = ["--data-dir", context.world.data_dir, *words]
    with io.TextIOWrapper(raw, encoding="utf-8") as out:
        code = context.world.run_into(out, io.StringIO(), arguments)
        out.flush()
        return code, raw.getvalue()


@then('"agents {line}" prints exactly what the project has at')
def prints_what_is_there(context, line):
    for row in context.table:
        name = row["path"].encode().decode("unicode_escape").encode("latin-1")
        code, data = _printed(context, [*shlex.split(line), os.fsdecode(name)])
        assert code == 0
        with open(os.path.join(os.fsencode(context.world.project), name), "rb") as file:
            assert data == file.read(), name


@then('"agents {line}" exits with {code:d} and prints nothing')
def prints_nothing(context, line, code):
    assert _printed(context, line) == (code, b"")


@then('"agents {line}" exits with {code:d} and prints "{text}"')
def prints(context, line, code, text):
    assert _printed(context, line) == (code, f"{text}\n".encode())


@then('"agents {line}" makes the file "{name}" like "{other}" with the mode {mode}')
def makes_file(context, line, name, other, mode):
    context.world.agents(*shlex.split(line))
    made, wanted = (context.world.project / one for one in (name, other))
    assert made.read_bytes() == wanted.read_bytes()
    assert f"{stat.S_IMODE(made.stat().st_mode):o}" == mode


@then('the project\'s link "{name}" leads to "{target}"')
def leads_to(context, name, target):
    assert os.readlink(context.world.project / name) == target


@then("the output is drawn as")
def drawn_as(context):
    shown = context.world.done.out.rstrip("\n")
    assert shown.replace("\x1b", "") == context.text, shown
