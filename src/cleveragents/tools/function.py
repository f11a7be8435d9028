"""Calls Python functions for tools: always in a process of its own, told by JSON what to call."""

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.records import as_dict, field, frozen
from cleveragents.tools.tool import Call, Outcome, run_process

FUNCTION = r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$"
_FUNCTION = re.compile(FUNCTION)
# -P keeps modules of the working directory from standing in for our own.
RUNNER = (sys.executable, "-P", "-m", "cleveragents.tools.python_call")


@frozen
class Request:
    """The function that the process is asked to call."""

    function: str  # module:name
    positional: Sequence[object] = ()
    keywords: Mapping[str, object] = field(default_factory=dict[str, object])
    first: Sequence[str] = ()  # where it may import from before anything else
    then: Sequence[str] = ()  # … and where after everything else
    result: str | None = None  # the file for what the function returns

    def encoded(self) -> bytes:
        """Returns it as the process reads it."""
        return json.dumps(as_dict(self)).encode()


def is_function(undo: str) -> bool:
    """Tells a Python function from a command."""
    return _FUNCTION.fullmatch(undo) is not None


def call_function(call: Call, request: Request) -> Outcome:
    """Calls a function for a tool; the outcome follows from how its process ended."""
    handed = [] if request.result is None else [Path(request.result)]
    return run_process(call, *RUNNER, given=request.encoded(), handed=handed)


def importable() -> tuple[str, ...]:
    """Returns where this process imports from, for one that is started elsewhere."""
    return tuple(str(Path(entry or os.curdir).absolute()) for entry in sys.path)


def result_path(output: Path) -> Path:
    """Returns the file that holds what the function of a call returned."""
    return output.with_suffix(".json")
