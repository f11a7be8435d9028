"""The doctor: looks, judges, and repairs if asked."""

from collections.abc import Sequence

from cleveragents.engine.care.checks import CHECKS
from cleveragents.engine.care.examination import Examination
from cleveragents.engine.care.facts import Facts
from cleveragents.engine.care.findings import Finding, Severity
from cleveragents.engine.care.repair import Repairs
from cleveragents.engine.hold.stuck import REPAIR
from cleveragents.records import frozen, replace

BEYOND_REPAIR = "it could not be repaired from what is there"


@frozen
class Report:
    """The findings by check, and the repairs before them."""

    facts: Facts
    findings: Sequence[tuple[str, Finding]]
    repairs: Sequence[str]

    @property
    def is_healthy(self) -> bool:
        """Whether no problem was found."""
        return all(finding.level is not Severity.PROBLEM for _, finding in self.findings)


class Doctor:
    """Looks after a data directory."""

    def __init__(self, examination: Examination, repairs: Repairs) -> None:
        self._examination = examination
        self._repairs = repairs

    def examine(self) -> Report:
        """Tells what is wrong; changes nothing."""
        return _judged(self._examination.examine(), [])

    def repair(self) -> Report:
        """Repairs what can be repaired by adding, in the order that loses least; looks again."""
        repairs = self._repairs
        repairs.refuse_foreign()
        facts = self._examination.examine()
        done: list[str] = []
        for step in (
            repairs.heal,
            repairs.rebuild,
            repairs.accept,
            repairs.mend_lines,
            repairs.recover,
            repairs.forget,
            repairs.history,
            repairs.clean,
            repairs.clear_hooks,
        ):
            while said := list(step(facts)):
                done += said
                facts = self._examination.examine()
                if step != repairs.heal:  # what is healed lets more be seen that is lost
                    break
        return _after_repair(_judged(facts, done))


def _after_repair(report: Report) -> Report:
    """Leaves out the advice to repair where that has just been done."""
    left = [(name, _with_other_help(found)) for name, found in report.findings]
    return replace(report, findings=left)


def _with_other_help(found: Finding) -> Finding:
    return replace(found, help=BEYOND_REPAIR) if found.help == REPAIR else found


def _judged(facts: Facts, repairs: Sequence[str]) -> Report:
    findings = [(name, finding) for name, check in CHECKS.items() for finding in check(facts)]
    return Report(facts, findings, repairs)
