"""`agents doctor`: what is wrong with what is kept, and its repair."""

from collections.abc import Callable, Mapping, Sequence

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.printed import PrintedCommands
from cleveragents.cli.render import Fields, Grid, Outline, Result
from cleveragents.confinement.proof import UNTRIED
from cleveragents.counting import counted, size
from cleveragents.engine.care.doctor import BEYOND_REPAIR, Report
from cleveragents.engine.care.findings import Finding, Severity
from cleveragents.records import replace
from cleveragents.shapes.doctor import ConfinementRow, Diagnosis, diagnosis_of

INSET = "    "
PLOT = 24  # columns of the longest bar
PARTS = "▏▎▍▌▋▊▉█"  # of one column


def doctor(
    call: Invocation,
    repair: bool = False,
) -> Result:
    """Look for problems, and repair them if asked."""
    app = call.app(progress=True)
    report = _retold(call, app.doctor.repair() if repair else app.doctor.examine())
    data = diagnosis_of(report)
    ids = [plan["plan_id"] for plan in data["disk"]["plans"]]
    return _told(report, data, views.short_ids(call, app, ids), verbose=call.verbose)


def _retold(call: Invocation, report: Report) -> Report:
    """A report with the commands of this call, also for programs."""
    texts = PrintedCommands.of(call).texts
    findings = [(check, _finding(one, texts)) for check, one in report.findings]
    return replace(report, findings=findings, repairs=texts(report.repairs))


def _finding(one: Finding, texts: Callable[[Sequence[str]], list[str]]) -> Finding:
    message, help_ = texts([one.message, one.help])
    return replace(one, message=message, help=help_, detail=tuple(texts(one.detail)))


def _told(report: Report, data: Diagnosis, short: Mapping[str, str], *, verbose: bool) -> Result:
    problems = [one for _, one in report.findings if one.level is Severity.PROBLEM]
    helps = dict.fromkeys(one.help for one in problems if one.help != BEYOND_REPAIR)
    said = [f"{counted(len(problems), 'problem was', 'problems were')} found"] if problems else []
    return Result(
        data,
        [
            *(
                [Grid("Repaired", ["WHAT"], [[line] for line in report.repairs])]
                if report.repairs
                else []
            ),
            *[Outline(_lines(one)) for _, one in report.findings],
            Fields("Kept", _kept(data)),
            *_plans(data, short),
            *(_plots(data) if verbose else []),
        ],
        footer="no problem found" if report.is_healthy else "",
        status="ok" if report.is_healthy else "warn",
        exit_code=0 if report.is_healthy else 1,
        messages=said,
        next_steps=list(helps),
        paged=True,
    )


def _lines(finding: Finding) -> list[tuple[str, str, str]]:
    below = [*finding.detail, *([f"help: {finding.help}"] if finding.help else [])]
    return [
        ("", "", f"{finding.level}: {finding.message}"),
        *((INSET, INSET, one) for one in below),
    ]


def _kept(found: Diagnosis) -> list[tuple[str, str]]:
    disk, versions = found["disk"], found["versions"]
    return [
        ("Database", f"{size(disk['database_bytes'])}, schema {versions['schema']}"),
        ("Store", size(disk["store_bytes"])),
        ("History", size(disk["history_bytes"])),
        ("Free", size(disk["free_bytes"])),
        ("SQLite", f"{versions['sqlite']}, journal {versions['journal_mode']}"),
        ("Git", versions["git"] or "not installed"),
        ("Looks", "compiled" if versions["looks"] == "compiled" else "in Python"),
        ("Steps", _confined(found["confinement"])),
    ]


def _confined(found: ConfinementRow) -> str:
    """How steps are confined, and which stricter levels can be had."""
    if found["way"] is None:
        problems = {one["problem"] for one in found["ways"]}
        return UNTRIED if problems == {UNTRIED} else "not confined"
    can = dict.fromkeys(one["level"] for one in found["ways"] if one["problem"] is None)
    how = "" if found["launcher"] == "compiled" else ", launched by Python"
    return f"confined to {found['level']}, by {found['way']}{how} (possible: {', '.join(can)})"


def _plans(found: Diagnosis, short: Mapping[str, str]) -> list[Grid]:
    rows = [
        [
            short[plan["plan_id"]],
            str(plan["checkpoints"]),
            size(plan["stored_bytes"]),
            size(plan["sandbox_bytes"]),
            size(plan["output_bytes"]),
            plan["name"],
        ]
        for plan in found["disk"]["plans"]
    ]
    columns = ["PLAN", "CPS", "STORED", "SANDBOX", "OUTPUT", "NAME"]
    return [Grid("", columns, rows)] if rows else []


def _plots(found: Diagnosis) -> list[Grid]:
    """The bytes that each checkpoint of a plan added to the store, as bars of one scale."""
    plans = [plan for plan in found["disk"]["plans"] if plan["checkpoint_uses"]]
    uses = [use["added_bytes"] for plan in plans for use in plan["checkpoint_uses"]]
    most = max(uses, default=0)
    return [
        Grid(
            f"{plan['plan_id']}  {plan['name']}",
            ["CP", "ADDED", ""],
            [
                [use["name"], size(use["added_bytes"]), bar(use["added_bytes"], most)]
                for use in plan["checkpoint_uses"]
            ],
        )
        for plan in plans
    ]


def bar(part: int, whole: int) -> str:
    """Draws how much of the whole a part is; what is there at all is seen."""
    eighths = -(-part * PLOT * len(PARTS) // whole) if whole else 0
    full, rest = divmod(eighths, len(PARTS))
    return PARTS[-1] * full + (PARTS[rest - 1] if rest else "")
