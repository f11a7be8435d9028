"""`agents doctor`: what is wrong with what is kept, and its repair."""

from typing import Annotated

import typer

from cleveragents.cli import views
from cleveragents.cli.invocation import add_commands, current
from cleveragents.cli.render import Fields, Grid, Outline, Result
from cleveragents.counting import counted, size
from cleveragents.engine.care.doctor import Report
from cleveragents.engine.care.facts import Facts, PlanFacts
from cleveragents.engine.care.findings import Finding, Severity

INSET = "    "


def register(root: typer.Typer) -> None:
    """Adds the command to the command line."""
    add_commands(root, {"doctor": doctor})


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what can be repaired by adding.")
    ] = False,
) -> Result:
    """Look for what is wrong, and repair it if asked.

    It looks at plans, checkpoints and the store. With --repair, lost rows are made again from the
    store, lost content is stored again where the sandbox or the project still has it, and
    interrupted operations are finished; one that cannot be is given up, and files stay as they are.

    Examples:
      agents doctor
      agents doctor --repair
    """
    app = current.app()
    return _told(app.doctor.repair() if repair else app.doctor.examine())


def _told(report: Report) -> Result:
    problems = [one for _, one in report.findings if one.level is Severity.PROBLEM]
    helps = dict.fromkeys(one.help for one in problems)
    said = [f"{counted(len(problems), 'problem was', 'problems were')} found"] if problems else []
    disk = _disk(report.facts)
    return Result(
        {
            "healthy": report.is_healthy,
            "findings": [{"check": name, **vars(one)} for name, one in report.findings],
            "repairs": list(report.repairs),
            "versions": _versions(report.facts),
            "disk": disk,
        },
        [
            *(
                [Grid("Repaired", ["WHAT"], [[line] for line in report.repairs])]
                if report.repairs
                else []
            ),
            *[Outline(_lines(one)) for _, one in report.findings],
            Fields("Kept", _kept(report.facts)),
            *_plans(report.facts),
        ],
        footer="no problem found" if report.is_healthy else "",
        status="ok" if report.is_healthy else "warn",
        exit_code=0 if report.is_healthy else 1,
        messages=[*said, views.UNCONFINED],
        next_steps=list(helps),
        paged=True,
    )


def _lines(finding: Finding) -> list[tuple[str, str, str]]:
    below = [*finding.detail, *([f"help: {finding.help}"] if finding.help else [])]
    return [
        ("", "", f"{finding.level}: {finding.message}"),
        *((INSET, INSET, one) for one in below),
    ]


def _versions(facts: Facts) -> dict[str, str | None]:
    system = facts.system
    return {
        "sqlite": system.sqlite,
        "journal_mode": system.journal_mode,
        "schema": system.schema,
        "git": system.git,
    }


def _disk(facts: Facts) -> dict[str, object]:
    return {
        "database_bytes": facts.system.database_bytes,
        "store_bytes": sum(project.store.size for project in facts.projects),
        "history_bytes": sum(project.mirror_bytes for project in facts.projects),
        "free_bytes": facts.system.free_bytes,
        "plans": [_plan(plan) for plan in facts.plans],
    }


def _plan(plan: PlanFacts) -> dict[str, object]:
    return {
        "plan_id": plan.plan.plan_id,
        "name": plan.plan.name,
        "checkpoints": len(plan.rows),
        "stored_bytes": plan.stored_bytes,
        "sandbox_bytes": plan.sandbox_bytes,
        "output_bytes": plan.output_bytes,
    }


def _kept(facts: Facts) -> list[tuple[str, str]]:
    system, disk = facts.system, _disk(facts)
    sizes = {name: int(str(disk[f"{name}_bytes"])) for name in ("database", "store", "history")}
    return [
        ("Database", f"{size(sizes['database'])}, schema {system.schema}"),
        ("Store", size(sizes["store"])),
        ("History", size(sizes["history"])),
        ("Free", size(system.free_bytes)),
        ("SQLite", f"{system.sqlite}, journal {system.journal_mode}"),
        ("Git", system.git or "not installed"),
    ]


def _plans(facts: Facts) -> list[Grid]:
    rows = [
        [
            plan.plan.plan_id,
            str(len(plan.rows)),
            size(plan.stored_bytes),
            size(plan.sandbox_bytes),
            size(plan.output_bytes),
            plan.plan.name,
        ]
        for plan in facts.plans
    ]
    columns = ["PLAN", "CPS", "STORED", "SANDBOX", "OUTPUT", "NAME"]
    return [Grid("", columns, rows)] if rows else []
