"""The command that is written into settings of clients: the same for ever.

Codex asks its user anew for each change of a command, so versions lie behind it, never in it. It
says nothing and succeeds whatever happens: Gemini would block every call if its hook were gone.
"""

import shlex
from pathlib import Path

from cleveragents.storage.privacy import HOOK

_FIXED = """sh -c '[ -x "$1" ] && "$1" "$2" 2>/dev/null; exit 0' sh """


def command_for(data: Path, client: str, event: str) -> str:
    """The command that tells us of an event."""
    return f"{_beginning(data)}{client}:{event}"


def is_ours(command: object, data: Path) -> bool:
    """Whether a command is one that leads to a data directory."""
    return isinstance(command, str) and command.startswith(_beginning(data))


def _beginning(data: Path) -> str:
    return f"{_FIXED}{shlex.quote(str(data / HOOK))} "
