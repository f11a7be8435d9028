"""Runs the benchmarks once each in this environment and records how many passed.

python scripts/run_benchmarks.py [PATTERN]

Times are shown, not judged; a benchmark fails by raising, as `track_*` do when a count is wrong.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from results import record

ASV = [sys.executable, "-m", "asv"]
RESULTS = Path("build/asv/results")  # written by asv
# With a commit to file them under asv saves its results; it never checks that commit out. A fork
# per benchmark takes a third of the time that a new interpreter does.
RUN = ["run", "-E", "existing:same", "--set-commit-hash", "HEAD", "--launch-method", "forkserver"]


def main() -> int:
    patterns = sys.argv[1:]
    shutil.rmtree(RESULTS, ignore_errors=True)
    # asv keeps what it knows of the machine in HOME, which the caller has made an empty one.
    subprocess.run([*ASV, "machine", "--yes"], check=True, capture_output=True)
    chosen = [argument for pattern in patterns for argument in ("--bench", pattern)]
    code = subprocess.run([*ASV, *RUN, "--quick", "--show-stderr", *chosen], check=False).returncode
    counts = count(patterns)
    if not counts["passed"] or (code and not counts["failed"]):
        print(f"asv ended with {code} after {counts['passed']} benchmarks.")
        counts["failed"] += 1
    record("benchmark", counts)
    return 1 if counts["failed"] else 0


def count(patterns: Sequence[str]) -> Counter[str]:
    """Counts benchmarks by what asv saved of each; one it found but has nothing of has failed."""
    found = read(RESULTS / "benchmarks.json")
    saved: dict[str, list[object]] = {}
    for file in RESULTS.glob("*/*-existing-*.json"):
        saved |= read(file)["results"]
    names = [name for name in found if name != "version" and is_chosen(name, patterns)]
    return Counter(outcome(saved.get(name, [None])[0]) for name in names)


def read(file: Path) -> dict[str, dict[str, list[object]]]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def is_chosen(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(re.search(pattern, name) for pattern in patterns)


def outcome(values: object) -> str:
    """Judges the values that asv saved, one per combination of parameters: null is a failure."""
    if not isinstance(values, list) or None in values:
        return "failed"
    return "skipped" if all(map(is_nan, values)) else "passed"


def is_nan(value: object) -> bool:
    """Tells whether a benchmark's setup said that it does not apply."""
    return isinstance(value, float) and math.isnan(value)


if __name__ == "__main__":
    sys.exit(main())
