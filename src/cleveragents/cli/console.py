"""A console whose reader may leave."""

import os
from typing import TextIO

from rich.console import Console


class PatientConsole(Console):
    """Leaves it to the caller what a reader who has left means."""

    def on_broken_pipe(self) -> None:
        """Raises it again; rich would end the process as failed."""
        raise BrokenPipeError


def silence(stream: TextIO) -> None:
    """Sends the rest of a stream nowhere, also what is written when the process ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
