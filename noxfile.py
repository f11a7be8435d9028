"""The checks of this project; `./dev test` runs all of them and sums up their counts.

Sessions share the .venv that `./dev setup` makes, so nothing is installed twice, and leave what
they write under build/. Each records how much passed, failed and was skipped in build/results/.
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).resolve().parent
BUILD = ROOT / "build"
BIN = ROOT / ".venv" / "bin"
HANDED_ON = ("WRITE_RENDERED",)
GENERATED = (
    "commands",
    "errors",
    "events",
    "schema",
    "settings",
    "shapes",
    "states",
)  # pages made from the code
SUITES = ("unit_tests", "integration_tests")
MEMORY = Path("/dev/shm")  # noqa: S108 - only directories of our own are made there
ROOM = 4 * 2**30  # bytes

sys.path.append(str(ROOT / "scripts"))
from results import record  # noqa: E402 - found through the line above

nox.options.default_venv_backend = "none"
nox.options.envdir = str(BUILD / "nox")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, formatting and dead code."""
    check(session, ["ruff", "check"], ["ruff", "format", "--check"], ["vulture"])


@nox.session
def typecheck(session: nox.Session) -> None:
    """Types, strictly; what users copy, with both of the checkers that they may have."""
    check(session, ["python", "scripts/page_programs.py"], ["pyright", "--warnings"], ["mypy"])


@nox.session
def layers(session: nox.Session) -> None:
    """Imports point downwards only."""
    check(session, ["lint-imports", "--no-logo", "--cache-dir", "build/import-linter"])


@nox.session
def unit_tests(session: nox.Session) -> None:
    """Behave, under coverage; with arguments: Behave on those, without."""
    if session.posargs:
        run(session, "behave", *session.posargs)
    else:
        run_suite(session, "unit_tests")


@nox.session
def integration_tests(session: nox.Session) -> None:
    """Robot Framework on the installed command; coverage and arguments as in unit_tests."""
    if session.posargs:
        run(session, "robot", "--outputdir", "build/robot", *session.posargs)
    else:
        run_suite(session, "integration_tests")


@nox.session
def coverage_report(session: nox.Session) -> None:
    """Coverage of both suites together, in total and per module; runs suites that left no data."""
    failed: list[str] = []
    for suite in SUITES:
        if not any(coverage_data(suite).glob("data.*")):
            try:
                run_suite(session, suite)
            except CommandFailed:
                failed.append(suite)
    check(session, ["python", "scripts/check_coverage.py", *map(str, map(coverage_data, SUITES))])
    if failed:
        session.error(f"Failed: {', '.join(failed)}")


@nox.session
def benchmark(session: nox.Session) -> None:
    """Every benchmark once: counts are asserted there, times are only shown."""
    run(session, "python", "scripts/run_benchmarks.py", *session.posargs)


@nox.session(default=False)
def machine(session: nox.Session) -> None:
    """Many more random lives of trees, chats, and plans edited by hand, than in unit_tests."""
    names = ("machine", "hand_edits", "chat_attribution")
    features = (f"features/{name}.feature" for name in names)
    run(session, "behave", *features, more={"MACHINE_FACTOR": "5"})


@nox.session(default=False)
def chat_lives(session: nox.Session) -> None:
    """Many more random lives of agents and a user in one directory than in unit_tests."""
    run(session, "behave", "features/chat_life.feature", more={"MACHINE_FACTOR": "50"})


@nox.session(default=False)
def all_confined(session: nox.Session) -> None:
    """All of Behave with steps confined to another level than by default: none, write, strict."""
    level, *features = session.posargs or ["none"]
    run(session, "behave", *features, more={"TESTED_CONFINEMENT": level})


@nox.session(default=False)
def limits(session: nox.Session) -> None:
    """A plan and a rollback on a project of a million files; takes about half an hour."""
    run(
        session,
        "behave",
        "features/limits.feature",
        "-n",
        "many entries",
        "--no-capture",
        more={"LIMITS_ENTRIES": "1000000"},
    )


@nox.session(default=False)
def faults(session: nox.Session) -> None:
    """Kills, failing calls, power cuts and crowds at every point there is; about half an hour."""
    run(session, "python", "-m", "faults", *session.posargs)


@nox.session(default=False)
def confinement(session: nox.Session) -> None:
    """Every bad deed at every level, by every way, as root and as an ordinary user."""
    for way in (["namespaces"], ["namespaces", "--twin"], ["bubblewrap"], ["landlock"]):
        run(session, "python", "-m", "deeds", "--way", *way, *session.posargs)


@nox.session(default=False)
def clients(session: nox.Session) -> None:
    """Real coding agents from npm, a model on loopback, and undo; arguments: clients, plays."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    more = {"CLIENTS_LAB_CACHE": str(cache / "cleveragents-clients")}
    run(session, "python", "-m", "clients_lab", *session.posargs, more=more)


@nox.session(default=False)
def keeper(session: nox.Session) -> None:
    """300 kills of keepers and hooks at random moments: nothing acknowledged is lost."""
    run(session, "python", "-m", "faults.keeper", *session.posargs)


@nox.session(default=False)
def bench_hooks(session: nox.Session) -> None:
    """What hooks, the keeper and an undo in a live directory cost, beside bare Python and git."""
    run(session, "python", "-m", "benchmarks.hooks", *session.posargs)


@nox.session(default=False)
def bench_peers(session: nox.Session) -> None:
    """Checkpoints and rollbacks beside git, restic, borg and rsync, in one run; about an hour."""
    run(session, "python", "-m", "benchmarks.peers", *session.posargs)


@nox.session(default=False)
def bench_ratios(session: nox.Session) -> None:
    """Every bar of what things cost, beside git, cp and bare Python; takes about an hour."""
    run(session, "python", "-m", "benchmarks.ratios", *session.posargs)


@nox.session(default=False)
def bench_milestones(session: nox.Session) -> None:
    """What the checkpoints of 200 quick steps cost, beside the same steps as a shell script."""
    run(session, "python", "benchmarks/milestones.py", *session.posargs)


@nox.session(default=False)
def bench_sandboxes(session: nox.Session) -> None:
    """What making a sandbox costs in the first and in later plans, beside `cp -a`."""
    run(session, "python", "benchmarks/sandboxes.py", *session.posargs)


@nox.session(default=False)
def bench_long_plan(session: nox.Session) -> None:
    """What the store and a step come to after 10,000 checkpoints of a changing file."""
    run(session, "python", "benchmarks/long_plan.py", *session.posargs)


@nox.session(default=False)
def soak(session: nox.Session) -> None:
    """10,000 checkpoints over 200 plans of one project, with few descriptors and many deaths."""
    run(session, "python", "benchmarks/soak.py", "--check", *session.posargs)


@nox.session(default=False)
def pages(session: nox.Session) -> None:
    """Writes the pages that are made from the code."""
    for page in GENERATED:
        run(session, "python", f"scripts/{page}_page.py")


@nox.session
def docs(session: nox.Session) -> None:
    """Links and anchors of all pages lead somewhere; generated pages are up to date."""
    check(
        session,
        ["python", "scripts/check_docs.py"],
        *(["python", f"scripts/{page}_page.py", "--check"] for page in GENERATED),
    )


def check(session: nox.Session, *commands: list[str]) -> None:
    """Runs every command, even after a failure, and counts each as one check."""
    failed = 0
    for command in commands:
        try:
            run(session, *command)
        except CommandFailed:
            failed += 1
    record(session.name, Counter(passed=len(commands) - failed, failed=failed))
    if failed:
        session.error(f"{failed} of {len(commands)} checks failed")


def run_suite(session: nox.Session, suite: str) -> None:
    shutil.rmtree(coverage_data(suite), ignore_errors=True)
    run(session, "python", "scripts/run_tests.py", suite, suite=suite)


def run(
    session: nox.Session,
    tool: str,
    *arguments: str,
    suite: str = "",
    more: Mapping[str, str] | None = None,
) -> None:
    """Runs a tool of our .venv in an environment that owes nothing to the caller's."""
    set_up()
    suite = suite or session.name
    temporary = temporary_directory(suite)
    try:
        variables = {**environment(suite, temporary), **(more or {})}
        session.run(BIN / tool, *arguments, env=variables, include_outer_env=False)
    finally:
        remove(temporary)


def temporary_directory(suite: str) -> Path:
    """Makes a directory outside this repository, where tests can have folders without git.

    It lies in memory where that has room: nobody needs what tests write after a power cut. Its
    path breaks careless quoting and careless encoding.
    """
    place = MEMORY if roomy(MEMORY) else None
    path = Path(tempfile.mkdtemp(prefix=f"cleveragents {suite} it's ä ", dir=place))
    path.chmod(0o755)  # some tests act as an ordinary user
    return path


def roomy(place: Path) -> bool:
    """Tells whether tests can do there what they do on a disk, and have the room for it."""
    try:
        found = os.statvfs(place)
        with tempfile.NamedTemporaryFile(dir=place) as probe:
            os.setxattr(probe.fileno(), "user.probe", bytes(256))
    except OSError:
        return False  # it is not there, is not ours to write to, or keeps no attributes
    return found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC


def environment(suite: str, temporary: Path) -> dict[str, str]:
    """Builds the environment of a session: an empty HOME, no GIT_* and no CLEVERAGENTS_*.

    What a caller asks of the tests themselves is handed on.
    """
    home = BUILD / "home" / suite
    remove(home)
    home.mkdir(parents=True)
    return {
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "TERM": os.environ.get("TERM", "dumb"),
        "COVERAGE_FILE": str(coverage_data(suite) / "data"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(BUILD / "hypothesis"),
        **{name: os.environ[name] for name in HANDED_ON if name in os.environ},
    }


def coverage_data(suite: str) -> Path:
    return BUILD / "coverage" / suite


def remove(path: Path) -> None:
    if path.exists():  # tests leave directories behind that only chmod can open
        subprocess.run(["chmod", "-R", "u+rwX", path], check=False)
        shutil.rmtree(path)


@functools.cache
def set_up() -> None:
    """Makes a nox from anywhere find our tools."""
    subprocess.run([ROOT / "dev", "setup"], check=True)
