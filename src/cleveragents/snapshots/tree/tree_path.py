"""Paths within a tree: bytes, names with `/` between them; the root is the empty one."""

from collections.abc import Iterator


def joined(head: bytes, inner: bytes) -> bytes:
    """Returns the path of what lies at one path below another."""
    return head + b"/" + inner if head and inner else head or inner


def split(path: bytes) -> tuple[bytes, bytes]:
    """Splits a path into its directory and its last name."""
    head, _, name = path.rpartition(b"/")
    return head, name


def names(path: bytes) -> list[bytes]:
    """The components of a path."""
    return path.split(b"/") if path else []


def above(path: bytes) -> Iterator[bytes]:
    """Yields the directories above a path but the root, the outermost first."""
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)


def and_above(path: bytes) -> Iterator[bytes]:
    """Yields a path and every directory above it but the root."""
    while path:
        yield path
        path = path.rpartition(b"/")[0]


def is_below(path: bytes, head: bytes) -> bool:
    """Whether a path lies in a directory, at any depth."""
    return not head or path.startswith(head + b"/")
