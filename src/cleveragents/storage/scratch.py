"""Files and directories for a moment: they go with the block that made them.

What makes them brings compression and chance along, and takes longer to import than most commands
have to do: it is imported by who needs it.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO


def scratch_directory(
    inside: Path | None = None, *, prefix: str = "tmp"
) -> AbstractContextManager[str]:
    """Makes an empty directory, inside another one or where the system keeps such."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    return TemporaryDirectory(dir=inside, prefix=prefix)


def scratch_file() -> AbstractContextManager[IO[bytes]]:
    """Makes a file that has no name."""
    from tempfile import TemporaryFile  # noqa: PLC0415

    return TemporaryFile()
