"""Fires a made-up event through an installed command, as the client would."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from cleveragents.clients.client import Client, HookShape
from cleveragents.storage.privacy import HOOK

VERSION_SECONDS = 10  # that a client may take to tell its version: some unpack themselves first


def fire(command: str, data: Path, payload: Mapping[str, object], root: Path, seconds: int) -> bool:
    """Tells whether a command does what a client needs: it ends well, in time, without a word."""
    try:
        done = subprocess.run(
            ["sh", "-c", command],
            input=json.dumps(payload).encode(),
            capture_output=True,
            cwd=root,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    is_there = os.access(data / HOOK, os.X_OK)
    return is_there and done.returncode == 0 and not done.stdout + done.stderr


def started(client: Client, session: str, root: Path) -> dict[str, object]:
    """The payload of a conversation that begins, in the words of a client."""
    if client.shape == HookShape.FLAT:
        return {"sessionId": session, "cwd": str(root)}
    if client.shape == HookShape.PLUGIN:
        return {"cwd": str(root), "input": {"sessionID": session}}
    return {"session_id": session, "cwd": str(root)}


def version_of(client: Client, caller: Mapping[str, str]) -> str | None:
    """What a client says of its version; None: it is not installed, or says nothing."""
    program = client.found(caller)
    if program is None:
        return None
    try:
        said = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_SECONDS,
            check=False,
            env=dict(caller),
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    return said.decode(errors="replace").strip().partition("\n")[0] or None
