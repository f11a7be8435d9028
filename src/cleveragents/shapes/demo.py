"""The end of the demonstration."""

from collections.abc import Sequence
from typing import TypedDict


class Demonstration(TypedDict):
    """The commands to type in a repository of one's own."""

    next: Sequence[str]
