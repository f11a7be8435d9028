"""Runs a test suite under coverage and records its counts.

python scripts/run_tests.py unit_tests          # Behave, over features/
python scripts/run_tests.py integration_tests   # Robot Framework, over robot/

A suite may take as long as it needs. A test in which nothing happens for as many seconds as the
second argument says is ended, and fails.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from results import record

BUILD = Path("build")
WORKERS = 2  # the machines we test on have two cores
PATIENCE = 15 * 60  # seconds: a step takes less on the busiest machine
WATCHED = Path(__file__).with_name("watched.py")
RUNNING: set[subprocess.Popen[bytes]] = set()
COVERAGE = [sys.executable, "-m", "coverage", "run", "-m"]


BATCHES = 16  # of features: to start a runner takes seconds, and the last one is waited for


@dataclass(frozen=True)
class Job:
    """Some files of tests, run by a process of their own."""

    command: Sequence[str]
    result: Path  # what the runner writes


def unit_tests(patience: str) -> Counter[str]:
    """Runs all feature files; each scenario is named before it begins, each step is a dot."""
    features = largest_first(Path("features").rglob("*.feature"))
    jobs: list[Job] = []
    for number in range(min(BATCHES, len(features))):
        file = BUILD / "behave" / f"{number}.json"
        runner = ["behave", "-f", "json", "-o", str(file), "-f", "progress3"]
        jobs.append(Job([*COVERAGE, *runner, *features[number::BATCHES]], file))
    return run(jobs, count_behave, patience)


def integration_tests(patience: str) -> Counter[str]:
    """Runs all Robot suites, each test named before it begins.

    What coverage sees of them is the `agents` processes they start.
    """
    jobs: list[Job] = []
    for suite in largest_first(Path("robot").rglob("*.robot")):
        file = BUILD / "robot" / Path(suite).stem / "output.xml"
        shown = ["--console", "verbose", "--consolecolors", "off"]
        options = ["--outputdir", str(file.parent), *shown]
        jobs.append(Job([*COVERAGE, "robot", *options, suite], file))
    return run(jobs, count_robot, patience)


def largest_first(files: Iterable[Path]) -> list[str]:
    """A guess at how long each takes: what is long must not begin last."""
    return [str(file) for file in sorted(files, key=lambda file: -file.stat().st_size)]


def run(jobs: Sequence[Job], count: Callable[[Path], Counter[str]], patience: str) -> Counter[str]:
    """Runs jobs side by side and sums up the result files they leave."""
    counts: Counter[str] = Counter()
    pool = ThreadPoolExecutor(WORKERS)
    try:
        for job, ended in zip(
            jobs, pool.map(lambda job: run_job(job, patience), jobs), strict=True
        ):
            print(ended.output, flush=True)
            counts += counted(job, ended.code, count)
    finally:  # also when the user interrupts us
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            process.terminate()
            process.wait()
    return counts


@dataclass(frozen=True)
class WorkEnd:
    """What became of a job."""

    code: int
    output: str


def run_job(job: Job, patience: str) -> WorkEnd:
    """Runs some tests; one that stands still is ended with all that it has started."""
    job.result.parent.mkdir(parents=True, exist_ok=True)
    job.result.unlink(missing_ok=True)
    log = job.result.with_suffix(".log")
    command = [sys.executable, str(WATCHED), patience, str(log), *job.command]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    RUNNING.add(process)
    code = process.wait()
    RUNNING.discard(process)
    return WorkEnd(code, log.read_text(encoding="utf-8", errors="replace"))


def counted(job: Job, code: int, count: Callable[[Path], Counter[str]]) -> Counter[str]:
    """Counts the tests of a job; a runner that broke counts as one that failed."""
    try:
        own = count(job.result)
    except (OSError, ValueError, ET.ParseError) as error:
        print(f"{job.result}: no results: {error}")
        own = Counter[str]()
    if code and not own["failed"]:
        print(f"{job.result}: its runner ended with {code} and names no failed test.")
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
    session, patience = [*sys.argv[1:], str(PATIENCE)][:2]
    counts = {"unit_tests": unit_tests, "integration_tests": integration_tests}[session](patience)
    if not counts["passed"] and not counts["failed"]:
        print(f"{session}: no test ran, which is a failure.")
        counts["failed"] = 1
    record(session, **{name: counts[name] for name in ("passed", "failed", "skipped")})
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
