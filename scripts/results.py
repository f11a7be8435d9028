"""The counts of a test run: every session records its own, `./dev test` prints their sum.

    python scripts/results.py NOX_REPORT

names every test that failed, also one that passed when it was run once more, prints
`N passed, N failed, N skipped` and ends with 1 if anything failed.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

OUTCOMES = ("passed", "failed", "skipped")
RESULTS = Path(__file__).resolve().parent.parent / "build" / "results"


def record(session: str, counts: Mapping[str, int], told: Sequence[str] = ()) -> None:
    """Keeps the counts of a session and what is to be told of it, in place of its last run's."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    kept = {"counts": {name: counts[name] for name in OUTCOMES}, "told": list(told)}
    (RESULTS / f"{session}.json").write_text(json.dumps(kept) + "\n", encoding="utf-8")


def total(report: Path) -> Counter[str]:
    """Sums up all records; a session that failed without recording a failure counts as one."""
    kept = {file.stem: json.loads(file.read_text()) for file in sorted(RESULTS.glob("*.json"))}
    for name, each in kept.items():
        for line in each["told"]:
            print(f"{name}: {line}")
    records = {name: Counter[str](each["counts"]) for name, each in kept.items()}
    counts = sum(records.values(), Counter[str]())
    try:
        sessions = json.loads(report.read_text(encoding="utf-8"))["sessions"]
    except FileNotFoundError:  # nox itself did not come to its end
        return counts + Counter(failed=1)
    for session in sessions:
        name = session["name"]
        if session["result"] != "success" and not records.get(name, Counter())["failed"]:
            print(f"{name}: {session['result']} without a failed test, counted as one failure")
            counts["failed"] += 1
    return counts


def main() -> int:
    counts = total(Path(sys.argv[1]))
    print(", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
