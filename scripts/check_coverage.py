"""Combines coverage data and fails where the total or any module is below the threshold.

python scripts/check_coverage.py DIRECTORY...

The threshold is `fail_under` in pyproject.toml. A module below it that misses no more than a few
lines and branches is only told: in a short one that is a few percent, and some lines are reached
on some machines only. Writes build/coverage.xml and build/coverage.json.
"""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from coverage import Coverage
from coverage.exceptions import CoverageException

BUILD = Path("build")
NEEDS = {"cleveragents.snapshots.tree.looks": "cc"}  # programs without which scenarios are skipped
FEW = 4  # lines and branches


@dataclass(frozen=True)
class Module:
    """What the tests have reached of a module."""

    name: str
    percent: float
    missed: int  # lines and branches

    @property
    def fails(self) -> bool:
        return self.missed > FEW


def main() -> int:
    report = Coverage(data_file=str(BUILD / "coverage" / "data"))
    threshold = report.config.fail_under
    try:
        report.combine(sys.argv[1:], strict=True)  # removes what it read: stale data is never used
        total = report.report()
        report.xml_report(outfile=str(BUILD / "coverage.xml"))
        report.json_report(outfile=str(BUILD / "coverage.json"))
    except CoverageException as error:
        print(f"No report: {error}")
        return 1

    below = modules_below(threshold, BUILD / "coverage.json")
    for module in below:
        said = f"{module.name}: {module.percent:.2f} % is below {threshold:g} %"
        print(said if module.fails else f"{said}, but only {module.missed} missed: not a failure")
    if total < threshold:
        print(f"Total: {total:.2f} % is below {threshold:g} %")
    return 1 if total < threshold or any(module.fails for module in below) else 0


def modules_below(threshold: float, file: Path) -> list[Module]:
    """Names the modules below the threshold, the worst first."""
    files = json.loads(file.read_text(encoding="utf-8"))["files"]
    modules = [module_of(path, found["summary"]) for path, found in files.items()]
    below = [one for one in modules if one.percent < threshold and is_measured(one.name)]
    return sorted(below, key=lambda module: module.percent)


def module_of(path: str, summary: dict[str, float]) -> Module:
    missed = summary["missing_lines"] + summary["missing_branches"]
    return Module(module_name(path), summary["percent_covered"], int(missed))


def is_measured(module: str) -> bool:
    """Tells whether all that a module needs to be measured is here, and says so if not."""
    program = NEEDS.get(module)
    if program is None or shutil.which(program) is not None:
        return True
    print(f"{module}: not measured, there is no {program}")
    return False


def module_name(path: str) -> str:
    parts = Path(path).with_suffix("").parts
    return ".".join(parts[parts.index("cleveragents") :])


if __name__ == "__main__":
    sys.exit(main())
