"""Names of files that an exchange keeps beside the place of a path, to find them again."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from cleveragents.snapshots.tree import beneath, tree_path
from cleveragents.snapshots.tree.manifest import object_id

DIGITS = 16
WAS = "-was"


def name(mark: str, path: bytes) -> bytes:
    """Returns the name of a new file until it is placed; known again after a crash."""
    return f"{prefix(mark)}{object_id(path).hex()[:DIGITS]}".encode()


def name_of_original(mark: str, path: bytes) -> bytes:
    """Returns one more name of a file with several, until the way back is not needed."""
    return name(mark, path) + WAS.encode()


def is_original(path: bytes) -> bool:
    """Whether it is a user's own file under its second name."""
    return path.endswith(WAS.encode())


def prefix(mark: str) -> str:
    """How the names of all that one exchange builds begin."""
    return f".cleveragents-{mark}-"


def find(root: Path, mark: str, paths: Iterable[bytes]) -> list[bytes]:
    """Finds what was never placed or let go, in the directories above paths that may be gone."""
    ours = re.compile(f"{re.escape(prefix(mark))}[0-9a-f]{{{DIGITS}}}({WAS})?".encode())
    heads = {head for path in paths for head in (*tree_path.and_above(path), b"")}
    with beneath.root_directory(root) as fd:
        return [path for head in sorted(heads) for path in _matching(fd, head, ours)]


def remove(root: Path, found: Iterable[bytes]) -> None:
    """Removes what was found."""
    with beneath.root_directory(root) as fd:
        for path in found:
            head, last = tree_path.split(path)
            with beneath.directory(fd, head) as parent:
                os.unlink(last, dir_fd=parent)


def _matching(root: int, head: bytes, ours: re.Pattern[bytes]) -> Iterator[bytes]:
    with (
        suppress(FileNotFoundError, NotADirectoryError, PermissionError),
        beneath.directory(root, head) as fd,
    ):
        names = map(os.fsencode, os.listdir(fd))
        yield from (tree_path.joined(head, one) for one in sorted(names) if ours.fullmatch(one))
