"""The end of the demonstration."""

from collections.abc import Sequence
from typing import TypedDict


class Demonstration(TypedDict):
    """What to type in a repository of one's own."""

    next: Sequence[str]
