"""Does the deeds of one user, and prints what came of each: a line of JSON per cell.

    python -m deeds.stand NAME PLACE USER LEVELS DEEDS

The name is in no other process, so whoever tells it has seen this one. Root prepares what it alone
can, then becomes the ordinary user if the deeds are to be that user's.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from cleveragents.confinement import confinement, launch
from cleveragents.confinement.level import Confined, Way, Wish
from deeds.outside import NotTried
from deeds.stage import ORDINARY, Stage
from deeds.table import BLOCKED, DEEDS, NOT_TRIED, OPEN, Deed

PREPARED = "DEEDS_PREPARED"
TWIN = "DEEDS_TWIN"  # set where no compiled launcher is to be used
WAY = "DEEDS_WAY"  # the only one that is to be used


def main() -> None:
    """Does them."""
    _, _, place, user, levels, names = sys.argv
    stage = Stage(Path(place))
    if PREPARED not in os.environ:
        prepare(stage, user)
    if TWIN in os.environ:
        launch.COMPILED = launch.HERE / "none.compiled"
    only = Way(os.environ[WAY])

    def by_it(wish: Wish) -> list[Confined]:  # Landlock, too, though it is not whole
        return [Confined(wish.level, only)] if wish.level in confinement.WAYS[only] else []

    confinement._candidates = by_it  # noqa: SLF001
    os.chdir("/")
    stage.build()
    wanted = json.loads(names)
    for deed in DEEDS:
        for level in levels.split(",") if deed.name in wanted else ():
            began = time.monotonic()
            result, said = tried(stage, deed, level)
            took = f"({time.monotonic() - began:.1f} s)"
            cell = {"deed": deed.name, "level": level, "result": result, "said": f"{said}{took}"}
            print(json.dumps(cell), flush=True)


def prepare(stage: Stage, user: str) -> None:
    """Prepares the stage, and begins again as whoever does the deeds."""
    os.environ[PREPARED] = "yes"
    stage.world.mkdir()
    if os.geteuid() == 0:
        stage.prepare_as_root()
        if user == "user":
            subprocess.run(["chown", str(ORDINARY), stage.place], check=True)
            subprocess.run(["chown", "-R", f"{ORDINARY}:{ORDINARY}", stage.world], check=True)
            os.setgroups([])
            os.setresgid(ORDINARY, ORDINARY, ORDINARY)
            os.setresuid(ORDINARY, ORDINARY, ORDINARY)
    # A program that begins may be looked at by its user; one that has changed its user may not.
    os.execv(sys.executable, [sys.executable, "-m", "deeds.stand", *sys.argv[1:]])


def tried(stage: Stage, deed: Deed, level: str) -> tuple[str, str]:
    """Does one deed at one level; tells what is to be shown of it, and what it printed."""
    if problem := stage.problems.get(level):
        return f"{NOT_TRIED} ({problem})", ""
    stage.put_back()
    try:
        watch = deed.watch(stage)
    except NotTried as reason:
        return f"{NOT_TRIED} ({reason})", ""
    try:
        said = stage.step(level, deed.does, watch.facts, watch.look)
        happened = watch.happened()
    finally:
        watch.close()
    if happened:
        return OPEN, said
    return BLOCKED if watch.has_begun else "did not begin", said


if __name__ == "__main__":
    main()
