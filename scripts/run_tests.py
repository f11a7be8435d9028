"""Runs a test suite under coverage and records its counts.

python scripts/run_tests.py unit_tests          # Behave, over features/
python scripts/run_tests.py integration_tests   # Robot Framework, over robot/
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from results import record

BUILD = Path("build")
DURATIONS = BUILD / "durations.json"  # seconds per file, from the last run
WORKERS = 2  # the machines we test on have two cores
BUDGET = 12 * 60  # seconds per suite; together they stay below twenty minutes
RUNNING: set[subprocess.Popen[bytes]] = set()
COVERAGE = [sys.executable, "-m", "coverage", "run", "-m"]


@dataclass(frozen=True)
class Job:
    """One file of tests, run by a process of its own."""

    tests: Path
    command: Sequence[str]
    result: Path  # what the runner writes

    @property
    def size(self) -> int:
        """A guess at how long it takes, for the first run of a checkout."""
        return self.tests.stat().st_size


def unit_tests() -> Counter[str]:
    """Runs all feature files."""
    jobs: list[Job] = []
    for feature in Path("features").rglob("*.feature"):
        file = BUILD / "behave" / f"{feature.stem}.json"
        runner = ["behave", "-f", "json", "-o", str(file), "-f", "progress", str(feature)]
        jobs.append(Job(feature, [*COVERAGE, *runner], file))
    return run(jobs, count_behave)


def integration_tests() -> Counter[str]:
    """Runs all Robot suites; what coverage sees of them is the `agents` processes they start."""
    jobs: list[Job] = []
    for suite in Path("robot").rglob("*.robot"):
        file = BUILD / "robot" / suite.stem / "output.xml"
        options = ["--outputdir", str(file.parent), "--console", "dotted", "--consolecolors", "off"]
        jobs.append(Job(suite, [*COVERAGE, "robot", *options, str(suite)], file))
    return run(jobs, count_robot)


def run(jobs: Sequence[Job], count: Callable[[Path], Counter[str]]) -> Counter[str]:
    """Runs jobs side by side, the longest first, and sums up the result files they leave."""
    deadline = time.monotonic() + BUDGET
    known: dict[str, float] = json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}
    longest_first = sorted(jobs, key=lambda job: (-known.get(str(job.tests), 0), -job.size))
    counts: Counter[str] = Counter()
    pool = ThreadPoolExecutor(WORKERS)
    try:
        results = pool.map(lambda job: run_job(job, deadline), longest_first)
        for job, ended in zip(longest_first, results, strict=True):
            known[str(job.tests)] = ended.seconds
            print(ended.output, flush=True)
            counts += counted(job, ended.code, count)
    finally:  # also when the user interrupts us
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            end(process)
    DURATIONS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return counts


@dataclass(frozen=True)
class Ended:
    """What became of a job."""

    code: int
    seconds: float
    output: str


def run_job(job: Job, deadline: float) -> Ended:
    """Runs one file of tests; what outlives the budget is killed with all that it has started."""
    job.result.parent.mkdir(parents=True, exist_ok=True)
    job.result.unlink(missing_ok=True)
    log = job.result.with_suffix(".log")
    started = time.monotonic()
    with log.open("wb") as file:
        process = subprocess.Popen(
            job.command,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    RUNNING.add(process)
    late = ""
    try:
        process.wait(timeout=max(0.0, deadline - started))
    except subprocess.TimeoutExpired:
        late = f"Out of time after {BUDGET} s: {job.tests}"
        end(process)
    RUNNING.discard(process)
    output = log.read_text(encoding="utf-8", errors="replace") + late
    return Ended(process.returncode, time.monotonic() - started, output)


def end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def counted(job: Job, code: int, count: Callable[[Path], Counter[str]]) -> Counter[str]:
    """Counts the tests of a job; a runner that broke counts as one that failed."""
    try:
        own = count(job.result)
    except (OSError, ValueError, ET.ParseError) as error:
        print(f"{job.tests}: no results: {error}")
        own = Counter[str]()
    if code and not own["failed"]:
        print(f"{job.tests}: its runner ended with {code} and names no failed test.")
        own["failed"] = 1
    return own


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
