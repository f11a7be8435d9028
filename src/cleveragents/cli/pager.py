"""Hands long output to the user's pager."""

import shlex
import shutil
import signal
import subprocess
import sys

from cleveragents.cli.signs import encoded
from cleveragents.config.environment import caller_environment

PAGER = "less"


def chosen() -> list[str]:
    """The pager that the user wants and has; empty for none."""
    try:
        words = shlex.split(caller_environment().get("PAGER", PAGER))
    except ValueError:  # a quote that is never closed
        return []
    return words if words and shutil.which(words[0]) else []


def page(text: str, pager: list[str]) -> None:
    """Shows text in the pager; interrupts are the pager's until it ends."""
    # -R lets colours through, -X leaves the text there, -F leaves at once what fits on a screen.
    environment = {"LESS": "FRX", **caller_environment()}
    with subprocess.Popen(pager, stdin=subprocess.PIPE, env=environment) as process:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            process.communicate(encoded(text, sys.stdout))
        finally:
            signal.signal(signal.SIGINT, before)
