"""The process that the first hook starts: the keeper, with what it records by."""

import os
import sys
from pathlib import Path

from cleveragents.app import App
from cleveragents.cli import surprise
from cleveragents.hooks.asking import PACKAGE
from cleveragents.hooks.client import speaking
from cleveragents.hooks.identity import Identity
from cleveragents.hooks.intake import Intake
from cleveragents.hooks.keeper import Keeper
from cleveragents.hooks.recorder import ChatRecorder


def main() -> None:
    """Is the keeper of a data directory, unless another process is."""
    os.umask(0o077)
    os.chdir("/")  # no directory is kept from being removed
    keep(Path(sys.argv[1]))


def keep(data: Path) -> None:
    """Keeps watch until there is a reason to end."""
    speaks = speaking(PACKAGE)
    identity = Identity(data, speaks, os.environb)
    if not identity.take():
        return

    recorder = ChatRecorder(lambda root: App(root, data_dir=data, cwd=root), data)
    intake = Intake(str(data), recorder, surprise.keeping(["keeper"], data))
    Keeper(identity, recorder, intake, speaks, lambda: recorder.roots).serve()
    recorder.close()
