"""A first action for a project: it runs as it stands, and its comments say how to go on."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TARGET = re.compile(r"^test\s*:(?!=)", re.MULTILINE)
NO_SCRIPT = "no test specified"  # what `npm init` writes in the place of one
GREETING = "HELLO.txt"

TEXT = """\
# A first action. It runs in a sandbox: your files stay as they are until you apply the result.
name: first
description: A small change, and the tests of the project after it

# Values that each run may set: agents run {file} --arg greeting=Servus
arguments:
  greeting:
    default: Hello

steps:
  # A step calls a tool: write_file, edit_file, apply_patch, shell, … (agents tool list).
  - name: change
    tool: write_file
    with:
      path: {greeting}
      content: "${{greeting}}\\n"

{test}"""
TEST = """\
  # If a step fails, its changes are taken back. Mend this file, then run:
  # agents plan execute @ --reload
  - name: test
    tool: shell
    with:
      command: {command}
    timeout: 600  # seconds

# What must pass before the result comes into the project (agents plan apply):
# validate:
#   - {command}
"""
UNTESTED = """\
  # No test command was found here. Put yours in, and take the marks away:
  # - name: test
  #   tool: shell
  #   with:
  #     command: make test
  #
  # If a step fails, its changes are taken back. Mend this file, then run:
  # agents plan execute @ --reload
"""


def _is_there(path: Path) -> bool:
    return path.is_file()


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _speaks_of_tests(path: Path) -> bool:
    return _is_executable(path) and re.search(r"\btest\b", _text(path)) is not None


def _has_target(path: Path) -> bool:
    return TARGET.search(_text(path)) is not None


def _has_script(path: Path) -> bool:
    try:
        script = json.loads(_text(path) or "{}")["scripts"]["test"]
    except (ValueError, TypeError, KeyError):
        return False  # it is no description of a package, or one without tests
    return NO_SCRIPT not in str(script)


def _uses_pytest(path: Path) -> bool:
    return "pytest" in _text(path)


class Marker(NamedTuple):
    """A file that tells how a project is tested."""

    file: str
    tells: Callable[[Path], bool]
    command: str


# The first that tells wins: what the project says itself, then what its kind is tested with.
MARKERS = (
    Marker("scripts/test", _is_executable, "scripts/test"),
    Marker("dev", _speaks_of_tests, "./dev test"),
    Marker("Makefile", _has_target, "make test"),
    Marker("makefile", _has_target, "make test"),
    Marker("GNUmakefile", _has_target, "make test"),
    Marker("package.json", _has_script, "npm test"),
    Marker("Cargo.toml", _is_there, "cargo test"),
    Marker("go.mod", _is_there, "go test ./..."),
    Marker("noxfile.py", _is_there, "nox"),
    Marker("tox.ini", _is_there, "tox"),
    Marker("pytest.ini", _is_there, "python3 -m pytest"),
    Marker("pyproject.toml", _uses_pytest, "python3 -m pytest"),
    Marker("setup.cfg", _uses_pytest, "python3 -m pytest"),
    Marker("conftest.py", _is_there, "python3 -m pytest"),
    Marker("tests/conftest.py", _is_there, "python3 -m pytest"),
)
# What else runs such a command, where this file says so.
RUNNERS = (
    ("uv.lock", "python3 -m pytest", "uv run pytest"),
    ("uv.lock", "nox", "uv run nox"),
    ("uv.lock", "tox", "uv run tox"),
    ("poetry.lock", "python3 -m pytest", "poetry run pytest"),
    ("pnpm-lock.yaml", "npm test", "pnpm test"),
    ("yarn.lock", "npm test", "yarn test"),
)


def test_command(project: Path) -> str | None:
    """Returns the command that runs the tests of a project; None: nothing tells it."""
    found = next((one.command for one in MARKERS if one.tells(project / one.file)), None)
    others = (
        other for lock, plain, other in RUNNERS if plain == found and _is_there(project / lock)
    )
    return next(others, found)


def first_action(project: Path, file: Path) -> str:
    """Returns the text of the action that is to be written to a file."""
    command = test_command(project)
    test = UNTESTED if command is None else TEST.format(command=command)
    name = file.name if file.name.isascii() and file.name.isprintable() else "FILE"
    return TEXT.format(file=name, greeting=_free_name(project), test=test)


def _free_name(project: Path) -> str:
    """Returns the name of a file that the project does not have."""
    number, name = 1, GREETING
    while os.path.lexists(project / name):
        number += 1
        name = GREETING.replace(".", f"-{number}.")
    return name


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""
