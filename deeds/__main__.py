"""Does every bad deed at every level, as root and as an ordinary user, and tells what was open.

    python -m deeds                                   all of them, and compares with the page
    python -m deeds --write                           all of them, and writes the page
    python -m deeds --levels project --users user     some of them
    python -m deeds --twin                            all of them, as without a compiler
    python -m deeds --way bubblewrap                  all of them, confined another way
    python -m deeds --deeds settings --show           those of a name, and what they printed

It ends with 1 if anything is not as expected, or not as the page shows. What cannot be tried on
this machine is named, and is no failure.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.confinement.level import Way
from deeds import page
from deeds.stage import ORDINARY
from deeds.stand import TWIN, WAY
from deeds.table import BLOCKED, DEEDS, FAILS, LEVELS, NOT_TRIED, PROVES_NOTHING, USERS

MEMORY = Path("/dev/shm")
ROOT = Path(__file__).resolve().parents[1]
# Mounts that root makes there are seen by nobody else, and go with the process.
ALONE = ("unshare", "--mount", "--")
BY_NAME = {deed.name: deed for deed in DEEDS}


def main() -> int:
    """Runs what the command line asks for."""
    options = _options()
    if options.twin:
        os.environ[TWIN] = "yes"
    os.environ[WAY] = options.way
    way = Way(options.way)
    every = page.levels_of(way)
    levels = [level for level in every if level in options.levels]
    names = [name for name in BY_NAME if any(one in name for one in options.deeds or [""])]
    began = time.monotonic()
    cells = done(options.users, levels, names)
    results = {key: shown(key, cell["result"]) for key, cell in cells.items()}
    if all(result.startswith(NOT_TRIED) for result in results.values()):
        print(f"skipped: {', '.join(sorted(set(results.values())))}")
        return 0
    print(page.markdown(page.rows(results, levels, options.users)))
    if options.show:
        for key, cell in cells.items():
            print(f"\n--- {', '.join(key)}: {results[key]}\n{cell['said']}")
    is_whole = len(cells) == len(DEEDS) * len(every) * len(USERS)
    problems = unexpected(results, way)
    if options.write and is_whole:
        page.write(results, way)
    elif is_whole:
        problems += differing(results, way)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(results)} deeds done, {len(problems)} not as expected", end="")
    print(f", {time.monotonic() - began:.0f} s")
    return 1 if problems else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m deeds")
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=LEVELS)
    parser.add_argument("--users", nargs="+", choices=USERS, default=USERS)
    parser.add_argument("--deeds", nargs="+", metavar="WORDS", help="those whose names have them")
    parser.add_argument("--show", action="store_true", help="also what the deeds printed")
    parser.add_argument("--way", choices=list(Way), default=Way.NAMESPACES)
    parser.add_argument("--twin", action="store_true", help="by the launcher that is Python")
    parser.add_argument("--write", action="store_true", help="writes the page")
    return parser.parse_args()


Cells = dict[tuple[str, str, str], Mapping[str, str]]


def done(users: Sequence[str], levels: Sequence[str], names: Sequence[str]) -> Cells:
    """Does the deeds of one user after the other: `strict` hides whatever anybody listens on."""
    cells: Cells = {}
    with tempfile.TemporaryDirectory(prefix="bad deeds ", dir=_somewhere()) as folder:
        Path(folder).chmod(0o755)
        for user in users:
            if (reason := why_not(user)) is not None:
                told = [_not_tried(name, level, reason) for name in names for level in levels]
            else:
                told = _stand(Path(folder, user), user, levels, names)
            cells |= {(cell["deed"], user, cell["level"]): cell for cell in told}
    return cells


def _somewhere() -> Path | None:
    """In memory, where paths are short enough for sockets; else where the system keeps such."""
    return MEMORY if os.access(MEMORY, os.W_OK | os.X_OK) else None


def why_not(user: str) -> str | None:
    """Why the deeds of a user cannot be done here; None: they can."""
    if os.geteuid() != 0:
        return "whoever runs this is not root" if user == "root" else None
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        return "root cannot mount anything here"
    if user == "user" and not _ordinary_user_can_run():
        return "an ordinary user cannot run this"
    return None


def _ordinary_user_can_run() -> bool:
    line = [sys.executable, "-c", "import cleveragents, deeds"]
    who = {"user": ORDINARY, "group": ORDINARY, "extra_groups": []}
    try:
        done = subprocess.run(line, cwd=ROOT, capture_output=True, check=False, **who)
    except OSError:
        return False
    return done.returncode == 0


def _not_tried(name: str, level: str, reason: str) -> Mapping[str, str]:
    return {"deed": name, "level": level, "result": f"{NOT_TRIED} ({reason})", "said": ""}


def _stand(
    place: Path, user: str, levels: Sequence[str], names: Sequence[str]
) -> list[Mapping[str, str]]:
    """Has the deeds of one user done by a process of its own, in a place of its own."""
    place.mkdir()
    line = [sys.executable, "-m", "deeds.stand", f"deeds-{secrets.token_hex(8)}", str(place)]
    stand = subprocess.run(
        [*(ALONE if os.geteuid() == 0 else ()), *line, user, ",".join(levels), json.dumps(names)],
        cwd=ROOT,
        env={**os.environ, "DEEDS_SECRET": secrets.token_hex(16)},
        capture_output=True,
        text=True,
        check=False,
    )
    if stand.returncode:
        raise SystemExit(f"the deeds of {user} came to no end:\n{stand.stderr}")
    return [json.loads(line) for line in stand.stdout.splitlines()]


def shown(key: tuple[str, str, str], result: str) -> str:
    """What a cell shows: that a deed is blocked proves nothing if it fails anyway."""
    name, user, level = key
    if result != BLOCKED:
        return result
    if level == LEVELS[0]:
        return FAILS
    return PROVES_NOTHING if user in BY_NAME[name].fails else BLOCKED


def unexpected(results: page.Results, way: Way) -> list[str]:
    """What came otherwise than the table of deeds says."""
    return [
        f"{name}, {user}, {level}: expected is {expected!r}, it is {result!r}"
        for (name, user, level), result in results.items()
        if (expected := BY_NAME[name].expects(user, level, way)) != result
        and not result.startswith(NOT_TRIED)
    ]


def differing(results: page.Results, way: Way) -> list[str]:
    """What the page shows otherwise; what was not tried here or there says nothing."""
    there = page.shown(way)
    if {name for name, _, _ in there} != set(BY_NAME):
        return [f"{page.PAGE.name} shows other deeds: python -m deeds --write"]
    return [
        f"{', '.join(key)}: the page shows {there.get(key)!r}, it is {result!r}"
        for key, result in results.items()
        if there.get(key) != result
        and not result.startswith(NOT_TRIED)
        and not there.get(key, "").startswith(NOT_TRIED)
    ]


if __name__ == "__main__":
    sys.exit(main())
