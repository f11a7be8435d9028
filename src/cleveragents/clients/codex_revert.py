"""A conversation of Codex that ends before a turn: its own server takes the turns since out."""

import json
import subprocess
from collections.abc import Mapping
from threading import Timer
from typing import IO, Any, cast

from cleveragents.clients.conversation import SECONDS, Conversation
from cleveragents.errors import Failed

# Hooks would tell of a conversation that begins and ends.
SERVER = ("app-server", "-c", "features.hooks=false")
ENDED = "Codex ended without an answer"
WHO = {"clientInfo": {"name": "cleveragents", "title": "CleverAgents", "version": "1"}}


def revert(program: str, talk: Conversation, caller: Mapping[str, str]) -> None:
    """Takes a turn and all that was said since out of a conversation, or fails and says why."""
    try:
        process = subprocess.Popen(
            [program, *SERVER],
            cwd=talk.root,
            env=dict(caller),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise Failed(f"Codex could not be run: {error}") from error
    limit = Timer(SECONDS, process.kill)
    limit.start()
    try:
        with process:
            _say(process, {"id": 0, "method": "initialize", "params": WHO})
            _say(process, {"method": "initialized"})
            thread = {"threadId": talk.session}
            _say(process, {"id": 1, "method": "thread/resume", "params": thread})
            before = {**thread, "beforeTurnId": talk.turn}
            _say(process, {"id": 2, "method": "thread/revert", "params": before})
    except BrokenPipeError as error:  # said to one that has ended, or when its input is closed
        raise Failed(ENDED) from error
    finally:
        limit.cancel()


def _say(process: "subprocess.Popen[str]", message: dict[str, Any]) -> None:
    """Says one thing, and waits for the answer if there is to be one."""
    asked, told = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
    asked.write(json.dumps(message) + "\n")
    asked.flush()
    if "id" not in message:
        return
    for line in told:
        reply = _read(line)
        if reply.get("id") != message["id"] or "method" in reply:
            continue  # it tells what it does, and asks things of its own
        if "error" in reply:
            raise Failed(f"Codex: {reply['error'].get('message', 'it refuses')}")
        return
    raise Failed(ENDED)


def _read(line: str) -> dict[str, Any]:
    try:
        found: object = json.loads(line)
    except ValueError:  # a warning, say
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
