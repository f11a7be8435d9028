"""The findings of the doctor: one line each, and the command that helps."""

from enum import StrEnum

from cleveragents.ids import PlanId
from cleveragents.records import frozen


class Severity(StrEnum):
    """How much a finding matters."""

    PROBLEM = "problem"  # something does not work, or is lost
    NOTE = "note"  # worth knowing


@frozen
class Finding:
    """One thing that is not as it should be."""

    level: Severity
    message: str
    help: str = ""  # a command, or what to do
    plan_id: PlanId | None = None
    detail: tuple[str, ...] = ()


def problem(
    message: str, help_: str, *, plan_id: PlanId | None = None, detail: tuple[str, ...] = ()
) -> Finding:
    """Something that does not work, or is lost."""
    return Finding(Severity.PROBLEM, message, help_, plan_id, detail)


def note(message: str, help_: str = "", *, plan_id: PlanId | None = None) -> Finding:
    """Something worth knowing."""
    return Finding(Severity.NOTE, message, help_, plan_id)
