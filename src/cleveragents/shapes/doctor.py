"""The findings of the doctor, its repairs, and the disk use."""

from collections.abc import Sequence
from typing import TypedDict

from cleveragents.confinement.confinement import Survey
from cleveragents.engine.care.doctor import Report
from cleveragents.engine.care.facts import Facts, PlanFacts, System
from cleveragents.engine.care.findings import Finding, Severity
from cleveragents.ids import CheckpointId, PlanId


class FindingRow(TypedDict):
    """One thing that is not as it should be."""

    check: str  # the name of the check that found it
    level: Severity
    message: str
    help: str  # a command, or what to do
    plan_id: PlanId | None
    detail: Sequence[str]


class VersionsRow(TypedDict):
    """The programs that everything rests on."""

    sqlite: str
    journal_mode: str
    schema: str
    git: str | None  # null: not installed
    looks: str  # what looks at directories: `compiled` code, or `python`


class PossibleLevel(TypedDict):
    """A level of confinement, and whether it can be had here."""

    way: str
    level: str  # `project (contents)`: modes, owners, times and sockets stay in reach
    problem: str | None  # null: it can


class ConfinementRow(TypedDict):
    """How steps are confined here."""

    wanted: str  # what the setting says
    level: str
    way: str | None  # null: they are not
    launcher: str  # what confines them: `compiled` code, or `python`
    ways: Sequence[PossibleLevel]


class CheckpointUse(TypedDict):
    """The disk use of a checkpoint."""

    checkpoint_id: CheckpointId
    name: str
    added_bytes: int  # what it added to the store


class PlanUse(TypedDict):
    """The disk use of a plan."""

    plan_id: PlanId
    name: str
    checkpoints: int
    stored_bytes: int  # what its checkpoints added to the store
    sandbox_bytes: int
    output_bytes: int
    checkpoint_uses: Sequence[CheckpointUse]


class DiskUse(TypedDict):
    """The disk use in all, and the free space."""

    database_bytes: int
    store_bytes: int
    history_bytes: int
    free_bytes: int
    plans: Sequence[PlanUse]


class Diagnosis(TypedDict):
    """The findings of the doctor."""

    healthy: bool  # no problem was found
    findings: Sequence[FindingRow]
    repairs: Sequence[str]  # what was done about it, in sentences
    versions: VersionsRow
    confinement: ConfinementRow
    disk: DiskUse


def diagnosis_of(report: Report) -> Diagnosis:
    """The findings of the doctor."""
    return {
        "healthy": report.is_healthy,
        "findings": [_finding(name, one) for name, one in report.findings],
        "repairs": list(report.repairs),
        "versions": _versions(report.facts.system),
        "confinement": _confinement(report.facts.system.confinement),
        "disk": _disk(report.facts),
    }


def _finding(check: str, finding: Finding) -> FindingRow:
    return {
        "check": check,
        "level": finding.level,
        "message": finding.message,
        "help": finding.help,
        "plan_id": finding.plan_id,
        "detail": finding.detail,
    }


def _versions(system: System) -> VersionsRow:
    return {
        "sqlite": system.sqlite,
        "journal_mode": system.journal_mode,
        "schema": system.schema,
        "git": system.git,
        "looks": system.looks,
    }


def _confinement(found: Survey) -> ConfinementRow:
    confined = found.confined
    return {
        "wanted": found.wanted,
        "level": confined.named,
        "way": None if confined.way is None else str(confined.way),
        "launcher": "compiled" if found.is_compiled else "python",
        "ways": [
            {
                "way": str(one.confined.way),
                "level": one.confined.named,
                "problem": one.problem,
            }
            for one in found.ways
        ],
    }


def _disk(facts: Facts) -> DiskUse:
    return {
        "database_bytes": facts.system.database_bytes,
        "store_bytes": sum(project.store.size for project in facts.projects),
        "history_bytes": sum(project.mirror_bytes for project in facts.projects),
        "free_bytes": facts.system.free_bytes,
        "plans": [_plan(plan) for plan in facts.plans],
    }


def _plan(plan: PlanFacts) -> PlanUse:
    return {
        "plan_id": plan.plan.plan_id,
        "name": plan.plan.name,
        "checkpoints": len(plan.rows),
        "stored_bytes": plan.stored_bytes,
        "sandbox_bytes": plan.sandbox_bytes,
        "output_bytes": plan.output_bytes,
        "checkpoint_uses": [
            {
                "checkpoint_id": row.checkpoint_id,
                "name": row.name,
                "added_bytes": row.size_bytes,
            }
            for row in plan.rows
        ],
    }
