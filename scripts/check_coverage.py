"""Combines coverage data and fails where the total or any module is below the threshold.

python scripts/check_coverage.py DIRECTORY...

The threshold is `fail_under` in pyproject.toml. Writes build/coverage.xml and build/coverage.json.
"""

import json
import shutil
import sys
from pathlib import Path

from coverage import Coverage
from coverage.exceptions import CoverageException

BUILD = Path("build")
NEEDS = {"cleveragents.snapshots.tree.looks": "cc"}  # programs without which scenarios are skipped


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
    for module, percent in below:
        print(f"{module}: {percent:.2f} % is below {threshold:g} %")
    if total < threshold:
        print(f"Total: {total:.2f} % is below {threshold:g} %")
    return 1 if below or total < threshold else 0


def modules_below(threshold: float, file: Path) -> list[tuple[str, float]]:
    """Names the modules below the threshold, the worst first."""
    files = json.loads(file.read_text(encoding="utf-8"))["files"]
    percents = [(module_name(path), files[path]["summary"]["percent_covered"]) for path in files]
    below = [
        (module, percent)
        for module, percent in percents
        if percent < threshold and is_measured(module)
    ]
    return sorted(below, key=lambda entry: entry[1])


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
