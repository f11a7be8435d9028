"""Runs a test suite under coverage and records its counts.

python scripts/run_tests.py unit_tests          # Behave, over features/
python scripts/run_tests.py integration_tests   # Robot Framework, over robot/
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from results import record

BUILD = Path("build")
DURATIONS = BUILD / "durations.json"  # seconds per feature file, from the last run
WORKERS = 2  # the machines we test on have two cores
BUDGET = 14 * 60  # seconds per suite; together they stay below twenty minutes
COVERAGE = [sys.executable, "-m", "coverage", "run", "-m"]


def unit_tests() -> Counter[str]:
    """Runs all feature files, dealt out to as many processes as there are workers."""
    shares = split(sorted(str(path) for path in Path("features").rglob("*.feature")))
    files = [BUILD / "behave" / f"{number}.json" for number in range(len(shares))]
    commands = [
        [*COVERAGE, "behave", "-f", "json", "-o", str(file), "-f", "progress", *share]
        for file, share in zip(files, shares, strict=True)
    ]
    counts = run(commands, files, count_behave)
    remember_durations(files)
    return counts


def integration_tests() -> Counter[str]:
    """Runs all Robot suites; what coverage sees of them is the `agents` processes they start."""
    file = BUILD / "robot" / "output.xml"
    options = ["--outputdir", str(file.parent), "--console", "dotted", "--consolecolors", "off"]
    return run([[*COVERAGE, "robot", *options, "robot"]], [file], count_robot)


def split(features: Sequence[str]) -> list[list[str]]:
    """Deals out the longest first, each to the worker that has least to do."""
    known: dict[str, float] = json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}
    usual = statistics.median(known.values()) if known else 1.0
    shares: list[list[str]] = [[] for _ in range(WORKERS)]
    loads = [0.0] * WORKERS
    for feature in sorted(features, key=lambda name: -known.get(name, usual)):
        least = loads.index(min(loads))
        shares[least].append(feature)
        loads[least] += known.get(feature, usual)
    return [share for share in shares if share]


def run(
    commands: Sequence[Sequence[str]],
    files: Sequence[Path],
    count: Callable[[Path], Counter[str]],
) -> Counter[str]:
    """Runs commands side by side, prints their output and sums up the result files they leave."""
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
    logs = [file.with_suffix(".log") for file in files]
    codes = run_side_by_side(commands, logs)
    counts: Counter[str] = Counter()
    for code, file, log in zip(codes, files, logs, strict=True):
        print(log.read_text(encoding="utf-8", errors="replace"))
        try:
            own = count(file)
        except (OSError, ValueError, ET.ParseError) as error:
            print(f"No results: {error}")
            own = Counter[str]()
        if code and not own["failed"]:
            print(f"The runner ended with {code} and names no failed test: counted as one.")
            own["failed"] = 1
        counts += own
    return counts


def run_side_by_side(commands: Sequence[Sequence[str]], logs: Sequence[Path]) -> list[int]:
    """Returns the exit codes of all commands; those that outlive the budget are killed."""
    deadline = time.monotonic() + BUDGET
    processes: list[subprocess.Popen[bytes]] = []
    for command, log in zip(commands, logs, strict=True):
        with log.open("wb") as file:
            processes.append(
                subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    start_new_session=True,  # what hangs is ended with all that it has started
                )
            )
    try:
        for process in processes:
            process.wait(timeout=max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        print(f"Out of time after {BUDGET} s.")
    finally:  # also when the user interrupts us
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return [process.returncode for process in processes]


def count_behave(file: Path) -> Counter[str]:
    """Counts scenarios; whatever neither passed nor was skipped (undefined, error) has failed."""
    counts: Counter[str] = Counter()
    for feature in json.loads(file.read_text(encoding="utf-8")):
        elements = feature.get("elements", [])
        statuses = [element["status"] for element in elements if element["type"] == "scenario"]
        if not statuses:  # Behave takes a misspelt "Scenario:" for a description
            print(f"{feature['location']}: no scenario in it, counted as a failure")
            statuses = ["failed"]
        counts.update(s if s in {"passed", "skipped"} else "failed" for s in statuses)
    return counts


def remember_durations(files: Sequence[Path]) -> None:
    """Keeps the time each feature took, for the split of the next run."""
    durations: dict[str, float] = {}
    for file in files:
        try:
            features = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # a crash, reported elsewhere
            return
        for feature in features:
            path = feature["location"].rpartition(":")[0]
            steps = [step for element in feature.get("elements", []) for step in element["steps"]]
            durations[path] = sum(step.get("result", {}).get("duration", 0) for step in steps)
    DURATIONS.write_text(json.dumps(durations, indent=1) + "\n", encoding="utf-8")


def count_robot(file: Path) -> Counter[str]:
    """Reads the total that Robot Framework itself computed."""
    total = ET.parse(file).find("./statistics/total/stat")  # noqa: S314 - our own runner wrote it
    if total is None:
        raise ValueError(f"{file} has no statistics")
    return Counter({f"{k}ed": int(total.attrib[k]) for k in ("pass", "fail")}) + Counter(
        skipped=int(total.attrib["skip"])
    )


def main() -> int:
    session = sys.argv[1]
    counts = {"unit_tests": unit_tests, "integration_tests": integration_tests}[session]()
    if not counts["passed"] and not counts["failed"]:
        print(f"{session}: no test ran, which is a failure.")
        counts["failed"] = 1
    record(session, **{name: counts[name] for name in ("passed", "failed", "skipped")})
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
