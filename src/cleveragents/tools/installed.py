"""Tools of installed packages: the entry points of the group `cleveragents.tools`.

What an entry point declares is asked of a process of its own: nothing of a package is imported into
this one, so a broken package is an error about its tool and about nothing else.
"""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cleveragents.errors import CleverAgentsError, Failed
from cleveragents.sandbox.survivors import helper
from cleveragents.tools.function import RUNNER, Request, importable
from cleveragents.tools.python_tool import PythonTool, describe
from cleveragents.tools.tool import AnyTool

GROUP = "cleveragents.tools"
PATIENCE_SECONDS = 30
_DESCRIBE = f"{describe.__module__}:{describe.__name__}"


@cache
def installed() -> Mapping[str, tuple[EntryPoint, ...]]:
    """Returns the entry points by name; two packages may claim the same one."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=GROUP):
        found[point.name] = (*found.get(point.name, ()), point)
    return MappingProxyType(found)


@cache
def installed_tool(name: str) -> AnyTool:
    """Returns the tool of an entry point; one that cannot be used is an error that names it."""
    point, *others = installed()[name]
    told = named(name)
    if others:
        raise Failed(f"several packages have a tool {name!r}: {told}")
    try:
        return PythonTool(**_described(point.value)).as_tool(name, told)
    except CleverAgentsError as error:
        raise Failed(f"{told} cannot be used: {error.message}", detail=error.detail) from error


def named(name: str) -> str:
    """Tells which entry points of which packages have a name."""
    return " and ".join(
        f"entry point {point.name} = {point.value} of {point.dist.name if point.dist else '?'}"
        for point in installed()[name]
    )


def _described(target: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as room:
        result = Path(room) / "declaration.json"
        request = Request(_DESCRIBE, positional=[target], then=importable(), result=str(result))
        code, said = _ask(request, room)
        if code != 0 or not result.exists():
            *before, last = said.strip().splitlines() or [f"it ended with {code}"]
            raise Failed(last, detail=before)
        return json.loads(result.read_text())


def _ask(request: Request, room: str) -> tuple[int, str]:
    def start() -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            RUNNER, cwd=room, env={}, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
        )

    with helper(start) as process:
        try:
            said, _ = process.communicate(request.encoded(), timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return -1, f"it was not imported within {PATIENCE_SECONDS} s"
    return process.returncode, said.decode(errors="replace")
