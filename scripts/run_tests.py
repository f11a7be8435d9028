"""Runs a test suite under coverage and records its counts.

python scripts/run_tests.py unit_tests          # Behave, over features/
python scripts/run_tests.py integration_tests   # Robot Framework, over robot/

A suite may take as long as it needs. A test in which nothing happens for as many seconds as the
second argument says is ended, and fails.

A test that failed is run once more, alone, when all others have ended. If it passes then, it counts
as passed and is named at the end of everything as unsteady: it waits for somebody to mend it.
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
IN_ROBOT = {"PASS": "passed", "SKIP": "skipped"}
MOST_AGAIN = 3  # tests are run once more


@dataclass(frozen=True)
class Job:
    """Some files of tests, run by a process of their own."""

    command: Sequence[str]
    result: Path  # what the runner writes


@dataclass(frozen=True)
class Test:
    """How a test ended: passed, skipped or failed."""

    place: str  # the file, for Behave with the line
    name: str
    status: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.place} {self.name!r}: {self.why}"


@dataclass(frozen=True)
class Suite:
    """All tests of a kind, and how their runner is spoken to."""

    jobs: Sequence[Job]
    read: Callable[[Path], list[Test]]
    alone: Callable[[Test], Job]


def unit_tests() -> Suite:
    """All feature files; each scenario is named before it begins, each step is a dot."""
    features = largest_first(Path("features").rglob("*.feature"))
    batches = min(BATCHES, len(features))
    jobs = [behave(str(number), features[number::BATCHES]) for number in range(batches)]
    return Suite(jobs, read_behave, lambda test: behave("alone", [test.place]))


def behave(name: str, places: Sequence[str]) -> Job:
    file = BUILD / "behave" / f"{name}.json"
    runner = ["behave", "-f", "json", "-o", str(file), "-f", "progress3"]
    return Job([*COVERAGE, *runner, *places], file)


def integration_tests() -> Suite:
    """All Robot suites, each test named before it begins.

    What coverage sees of them is the `agents` processes they start.
    """
    jobs = [robot(Path(file).stem, file) for file in largest_first(Path("robot").rglob("*.robot"))]
    return Suite(
        jobs, read_robot, lambda test: robot("alone", "--test", in_robot(test.name), test.place)
    )


def robot(name: str, *arguments: str) -> Job:
    file = BUILD / "robot" / name / "output.xml"
    shown = ["--console", "verbose", "--consolecolors", "off"]
    return Job([*COVERAGE, "robot", "--outputdir", str(file.parent), *shown, *arguments], file)


def in_robot(name: str) -> str:
    """A name for `--test`, which takes a pattern."""
    return "".join(f"[{char}]" if char in "*?[]" else char for char in name)


def largest_first(files: Iterable[Path]) -> list[str]:
    """A guess at how long each takes: what is long must not begin last."""
    return [str(file) for file in sorted(files, key=lambda file: -file.stat().st_size)]


def run(suite: Suite, patience: str) -> list[Test]:
    """Runs the jobs of a suite side by side; returns all tests that ran."""
    tests: list[Test] = []
    pool = ThreadPoolExecutor(WORKERS)
    try:
        for job, ended in zip(
            suite.jobs, pool.map(lambda job: run_job(job, patience), suite.jobs), strict=True
        ):
            print(ended.output, flush=True)
            tests += outcomes(job, ended.code, suite)
    finally:  # also when the user interrupts us
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(RUNNING):
            process.terminate()
            process.wait()
    return tests


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


def outcomes(job: Job, code: int, suite: Suite) -> list[Test]:
    """The tests of a job; a runner that broke counts as one that failed."""
    try:
        tests = suite.read(job.result)
    except (OSError, ValueError, ET.ParseError) as error:
        return [Test(str(job.result), "", "failed", f"no results: {error}")]
    if code and not failed_of(tests):
        why = f"its runner ended with {code} and names no failed test"
        tests.append(Test(str(job.result), "", "failed", why))
    return tests


def failed_of(tests: Iterable[Test]) -> list[Test]:
    return [test for test in tests if test.status == "failed"]


def read_behave(file: Path) -> list[Test]:
    """The scenarios; whatever neither passed nor was skipped (undefined, error) has failed."""
    tests: list[Test] = []
    for feature in json.loads(file.read_text(encoding="utf-8")):
        elements = [each for each in feature.get("elements", []) if each["type"] == "scenario"]
        for each in elements:
            status = each["status"] if each["status"] in {"passed", "skipped"} else "failed"
            tests.append(Test(each["location"], each["name"], status, why_in_behave(each)))
        if not elements:  # Behave takes a misspelt "Scenario:" for a description
            tests.append(Test(feature["location"], "", "failed", "there is no scenario in it"))
    return tests


def why_in_behave(scenario: dict[str, list[dict[str, dict[str, str | list[str]]]]]) -> str:
    """The message of the first step that has one."""
    for step in scenario["steps"]:
        message = step.get("result", {}).get("error_message", "")
        if message:
            return "\n".join([message] if isinstance(message, str) else message)
    return ""


def read_robot(file: Path) -> list[Test]:
    """The tests of all suites, as Robot Framework wrote them down."""
    tests: list[Test] = []
    for suite in ET.parse(file).iter("suite"):  # noqa: S314 - our own runner wrote it
        for test in suite.findall("test"):
            status = test.find("status")
            if status is None:
                raise ValueError(f"{file} does not tell how {test.attrib['name']} ended")
            tests.append(
                Test(
                    suite.attrib["source"],
                    test.attrib["name"],
                    IN_ROBOT.get(status.attrib["status"], "failed"),
                    status.text or "",
                )
            )
    return tests


def run_again(failed: Sequence[Test], suite: Suite, patience: str) -> list[Test]:
    """Those of a few failed tests that pass when nothing runs beside them."""
    passed: list[Test] = []
    if len(failed) > MOST_AGAIN or not all(test.name for test in failed):
        return passed  # it was no accident, or a runner broke
    for test in failed:
        print(f"Once more, alone: {test.place} {test.name!r}", flush=True)
        job = suite.alone(test)
        ended = run_job(job, patience)
        print(ended.output, flush=True)
        again = outcomes(job, ended.code, suite)
        if any(one.status == "passed" for one in again) and not failed_of(again):
            passed.append(test)
    return passed


def main() -> int:
    session, patience = [*sys.argv[1:], str(PATIENCE)][:2]
    suite = {"unit_tests": unit_tests, "integration_tests": integration_tests}[session]()
    tests = run(suite, patience)
    if all(test.status == "skipped" for test in tests):
        tests.append(Test(session, "", "failed", "no test ran"))
    failed = failed_of(tests)
    unsteady = run_again(failed, suite, patience)
    counts = Counter(test.status for test in tests)
    counts.update(passed=len(unsteady), failed=-len(unsteady))
    told = [f"{'unsteady' if test in unsteady else 'failed'}: {test}" for test in failed]
    record(session, counts, told)
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
