"""Asks the keeper of a data directory something, and waits for the answer."""

import json
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from cleveragents.errors import Busy
from cleveragents.hooks.client import OTHER, is_owned, keeper_socket, speaking
from cleveragents.storage import address
from cleveragents.storage.kernel_locks import holders
from cleveragents.storage.owner import Owner, start_time

PATIENCE = 5.0  # seconds that it may take to answer, or to finish what it is about
LOOK = 0.02
PIECE = 1 << 16
PACKAGE = str(Path(__file__).parents[1])


def status(data: Path) -> Mapping[str, Any] | None:
    """Returns what the keeper tells of itself; None: there is none."""
    if not is_owned(str(data)):
        return None
    said = _asked(data, "status")
    if said is None or said.startswith(OTHER):
        raise Busy(
            f"the keeper does not answer (process {_process(data) or 'unknown'})",
            hints=["end it: agents keeper stop"],
        )
    return json.loads(said)


def stop(data: Path) -> int | None:
    """Ends the keeper and returns its process; None: there was none.

    One that does not answer is killed: nothing that it has answered is lost then.
    """
    pid = _process(data)
    if pid is None:
        return None
    owner = Owner(pid, start_time(pid), "", "")
    _asked(data, "stop")
    until = monotonic() + PATIENCE
    while is_owned(str(data)) and monotonic() < until:
        owner.end()
        sleep(LOOK)
    return pid


def _process(data: Path) -> int | None:
    return next(iter(holders(data / address.LOCK)), None)


def _asked(data: Path, verb: str) -> str | None:
    """Returns all that is said until the keeper hangs up; None: it does not answer."""
    line = address.connect(keeper_socket(str(data)), PATIENCE)
    if line is None:
        return None
    said: bytes = b""
    try:
        line.sendall(f"{speaking(PACKAGE)} {verb}\n".encode())
        while piece := line.recv(PIECE):
            said += piece
    except OSError:
        return None
    finally:
        line.close()
    return said.decode()
