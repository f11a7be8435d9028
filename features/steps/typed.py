"""Steps about command lines that are printed to be typed."""

import json
import os
import shlex
import subprocess
import sys

from behave import given, then, when

from cleveragents.quoting import quoted

NAMES = (
    "plain",
    "two words",
    "it's",
    "back\\slash",
    "$HOME `id`",
    "é",
    os.fsdecode(b"bad\xff"),
    os.fsdecode(b"'\\\xe90"),
    "tab\there",
    "new\nline",
    "\x1b[31mred",
    "right\u202eleft",
    "wide\u3000space",
)


@then("{shell} reads each quoted word as it was, and all of it can be printed")
def reads_back(context, shell):
    words = [quoted(name) for name in NAMES]
    assert all(map(str.isprintable, words)), words
    done = subprocess.run(
        [shell, "-c", f"printf '%s\\0' {' '.join(words)}"], capture_output=True, check=True
    )
    assert done.stdout.split(b"\0")[:-1] == list(map(os.fsencode, NAMES)), done.stdout


@given("a plan whose steps write files with every kind of name")
def write_action(context):
    world = context.world
    for content in ("1", "2"):
        folder = world.home / content
        folder.mkdir()
        for name in NAMES:
            (folder / name).write_text(content)
    steps = [f"cp {shlex.quote(str(world.home / content))}/* ." for content in ("1", "2")]
    lines = [f"  - {{tool: shell, with: {{command: {json.dumps(step)}}}}}\n" for step in steps]
    done = world.agents("run", world.write_action(f"name: names\nsteps:\n{''.join(lines)}"))
    assert done.code == 0, done.err


@when("all of these are restored from checkpoint {seq:d}")
def restore_all(context, seq):
    paths = [word for name in NAMES for word in ("--path", name)]
    done = context.world.agents("plan", "restore", "@", seq, *paths, "--yes")
    assert done.code == 0, done.err


@then('they all hold "{content}"')
def all_hold(context, content):
    (top,) = context.world.data_dir.glob("sandboxes/*/tree")
    found = {name: (top / name).read_text() for name in NAMES}
    assert found == dict.fromkeys(NAMES, content), found


@when("the command that takes it back is pasted into {shell}")
def paste(context, shell):
    world = context.world
    (line,) = [line for line in world.done.err.splitlines() if "# takes this one back" in line]
    program = shlex.join([sys.executable, "-P", "-m", "cleveragents"])
    function = f'agents() {{ {program} "$@" --yes; }}'
    done = subprocess.run(
        [shell, "-c", f"{function}\n{line}"],
        cwd=world.project,
        env={**os.environ, **world.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (line, done.stderr)
