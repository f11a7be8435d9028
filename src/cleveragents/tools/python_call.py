"""The process behind every Python call of a tool: reads a request as JSON, calls a function."""

import importlib
import json
import sys
from functools import reduce
from pathlib import Path
from typing import Any


def main() -> None:
    """Calls the function that standard input names, and prints what it returns.

    `first` and `then` are put before and after what can be imported anyway; `result` names a file
    for what the function returned, apart from what it printed.
    """
    request = json.load(sys.stdin)
    sys.path[:0] = request["first"]
    sys.path += [entry for entry in request["then"] if entry not in sys.path]
    function = loaded(request["function"])
    returned = function(*request["positional"], **request["keywords"])
    text = json.dumps(returned, default=str)
    if request["result"] is not None:
        Path(request["result"]).write_text(text)
    if returned is not None:
        sys.stdout.write(text + "\n")


def loaded(target: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Imports what `module:name` means."""
    module, _, name = target.partition(":")
    return reduce(getattr, name.split("."), importlib.import_module(module))


if __name__ == "__main__":
    main()
