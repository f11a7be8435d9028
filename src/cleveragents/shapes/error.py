"""Errors, as programs read them."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.errors import CleverAgentsError


class Problem(TypedDict):
    """The error."""

    code: str  # of its kind, the same in every version
    message: str
    detail: Sequence[str]
    suggestions: Sequence[str]  # what may help


def problem_of(error: CleverAgentsError) -> Problem:
    """Tells what went wrong."""
    return {
        "code": error.code,
        "message": error.message,
        "detail": list(error.detail),
        "suggestions": list(error.hints),
    }
