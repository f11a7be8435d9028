"""A first action that was written."""

from collections.abc import Sequence
from typing import TypedDict


class FirstAction(TypedDict):
    """Where it is, and what to type next."""

    path: str
    test_command: str | None  # that it runs; null: none was found
    next: Sequence[str]
