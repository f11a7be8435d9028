"""Runs what a tool declares as its undo: a command, or a Python function as `module:function`."""

import json

from cleveragents.confinement.launch import Unconfinable
from cleveragents.tools.function import Request, call_function, importable, is_function
from cleveragents.tools.tool import SHELL, Call, Outcome, denied, failed, run_process, told


def compensate(undo: str, call: Call, made: bytes) -> Outcome:
    """Undoes one call; what was called, with what and what came of it arrives as JSON.

    A command reads it on its standard input, a function gets input and output as its arguments.
    """
    try:
        if not is_function(undo):
            return run_process(call, SHELL, "-c", undo, given=made)
        call_made = json.loads(made)
        known = (*importable(), str(call.sandbox))
        request = Request(undo, positional=[call_made["input"], call_made["output"]], then=known)
        return call_function(call, request)
    except OSError as error:
        return told(call, denied(error))
    except Unconfinable as error:
        return told(call, failed(error.message))
