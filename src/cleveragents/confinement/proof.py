"""Proofs that a level can be had here: each from a trial, kept as long as nothing changes.

Only what worked is kept. What a machine cannot do is tried again: it may have been allowed since.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

from cleveragents.confinement.launch import launcher
from cleveragents.confinement.level import Confined, Level
from cleveragents.errors import Failed
from cleveragents.once import once
from cleveragents.storage.durability import sync_directory, sync_file
from cleveragents.storage.place import is_ours

FILE = "confinement"  # in the data directory
UNTRIED = "not tried: the data directory is not one that steps of yours could run in"
BOOT = Path("/proc/sys/kernel/random/boot_id")

Trial = Callable[[Confined], str | None]  # tells what went wrong


class Untriable(Failed):
    """Nobody knows what can be had here: to take it for nothing would leave steps unconfined."""

    def __init__(self, why: OSError) -> None:
        super().__init__(
            f"it could not be tried how steps can be confined: {why}",
            hints=[
                f"mend that; or, unconfined: agents config set sandbox.confinement {Level.NONE}"
            ],
        )


class Proofs:
    """What was proved for this boot, this user and this launcher."""

    def __init__(self, data: Path, trial: Trial) -> None:
        self._path = data / FILE
        self._data = data
        self._trial = trial
        self._problems: dict[str, str | None] = {}

    def problem(self, wanted: Confined) -> str | None:
        """Why a level cannot be had; None: it was proved that it can, and that is kept."""
        known, name = self._known, wanted.told
        if name not in known and self.tried(wanted) is None:
            self._write([*known, name])
            self._known.append(name)
        return None if name in known else self.tried(wanted)

    def tried(self, wanted: Confined) -> str | None:
        """Tries a level by a way, once; keeps nothing, and leaves what is not ours alone."""
        if not is_ours(self._data):
            return UNTRIED
        if wanted.told not in self._problems:
            self._problems[wanted.told] = self._trial(wanted)
        return self._problems[wanted.told]

    def forget(self) -> None:
        """Trusts nothing of it any more."""
        self._problems.clear()
        self._known.clear()
        self._path.unlink(missing_ok=True)

    @once
    def _known(self) -> list[str]:
        try:
            kept = json.loads(self._path.read_bytes())
            return list(kept["levels"]) if kept["of"] == _identity() else []
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def _write(self, levels: list[str]) -> None:
        beside = self._path.with_name(f"{FILE}.{os.getpid()}")
        text = json.dumps({"of": _identity(), "levels": levels})
        beside.touch(mode=0o600)  # like all that is kept, it is for its owner alone
        beside.write_text(text)
        sync_file(beside)
        beside.replace(self._path)
        sync_directory(self._data)


def _identity() -> list[object]:
    """What a proof holds for: another boot, user, place or launcher has to prove it again."""
    namespaces = [os.stat(f"/proc/self/ns/{name}").st_ino for name in ("user", "mnt")]
    program = os.stat(launcher()[0])
    kernel = os.uname().release
    return [
        BOOT.read_text().strip(),
        kernel,
        os.geteuid(),
        *namespaces,
        *launcher(),
        program.st_size,
        program.st_mtime_ns,
    ]
