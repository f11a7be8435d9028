"""A console whose reader may leave."""

from rich.console import Console


class PatientConsole(Console):
    """Leaves it to the caller what a reader who has left means."""

    def on_broken_pipe(self) -> None:
        """Raises it again; rich would end the process as failed."""
        raise BrokenPipeError
