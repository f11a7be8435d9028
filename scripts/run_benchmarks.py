"""Runs the benchmarks once each in this environment and records how many passed.

python scripts/run_benchmarks.py [PATTERN]

Times are shown, not judged; a benchmark fails by raising, as `track_*` do when a count is wrong.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from results import record

ASV = [sys.executable, "-m", "asv"]
DISCOVERED = Path("build/asv/results/benchmarks.json")  # written by asv


def main() -> int:
    DISCOVERED.unlink(missing_ok=True)
    # asv keeps what it knows of the machine in HOME, which the caller has made an empty one.
    subprocess.run([*ASV, "machine", "--yes"], check=True, capture_output=True)
    patterns = [argument for pattern in sys.argv[1:] for argument in ("--bench", pattern)]
    command = [*ASV, "run", "-E", "existing:same", "--quick", "--show-stderr", *patterns]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as asv:
        counts = count(echo(asv.stdout or []))
    if not counts["passed"] or (asv.returncode and not counts["failed"]):
        print(f"asv ended with {asv.returncode} after {counts['passed']} benchmarks.")
        counts["failed"] += 1
    record("benchmark", **{name: counts[name] for name in ("passed", "failed", "skipped")})
    return 1 if counts["failed"] else 0


def echo(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        print(line, end="", flush=True)
        yield line


def count(lines: Iterable[str]) -> Counter[str]:
    """Counts benchmarks by what asv says of each; one it found but says nothing of has failed."""
    outcomes: dict[str, str] = {}
    for line in lines:
        if match := re.match(r"\[ *[\d.]+%\] ··· (\w[\w.]*) +(.*)", line):
            outcomes[match[1]] = match[2].strip()
    found = json.loads(DISCOVERED.read_text(encoding="utf-8")) if DISCOVERED.exists() else {}
    return Counter(outcome(outcomes.get(name)) for name in found if name != "version")


def outcome(said: str | None) -> str:
    if said is None or "failed" in said:
        return "failed"
    return "skipped" if said in {"n/a", "skipped"} else "passed"


if __name__ == "__main__":
    sys.exit(main())
