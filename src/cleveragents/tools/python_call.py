"""The process behind the `python` tool: calls one function, with the sandbox importable."""

import importlib
import json
import os
import sys
from functools import reduce
from typing import Any


def main(target: str, arguments: str) -> None:
    """Calls `module:function` with the JSON object as keywords and prints what it returns."""
    sys.path.insert(0, os.getcwd())
    module, _, name = target.partition(":")
    function: Any = reduce(getattr, name.split("."), importlib.import_module(module))
    result = function(**json.loads(arguments))
    if result is not None:
        sys.stdout.write(json.dumps(result, default=str) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
