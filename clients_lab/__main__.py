"""Plays every play with every client and prints what came of it; ends with 1 if any is wrong.

    python -m clients_lab                        all, as the nox session `clients` does
    python -m clients_lab claude codex           some clients
    python -m clients_lab claude shell edit      some plays of a client
    python -m clients_lab --fresh                with the newest releases of the clients

What cannot be installed here is skipped with its reason. Everything happens on loopback, in
directories that are removed; `--cache` is where the clients are kept.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from clients_lab import installs
from clients_lab.installs import NotInstalled
from clients_lab.model import Model, serving
from clients_lab.plays import PLAYS
from clients_lab.programs import PROGRAMS, Place
from clients_lab.room import Room, room
from clients_lab.scripts import SCRIPTS
from clients_lab.stage import Installed, Stage, Stopped

RIGHT, WRONG, LEFT_OUT = "right", "WRONG", "-"
CACHE = "CLIENTS_LAB_CACHE"
SETTLED = 0.2  # seconds from which on a file's time is older than what is done next


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m clients_lab")
    named = [*PROGRAMS, *PLAYS]
    parser.add_argument("names", nargs="*", choices=[*named, []], help="clients and plays")
    parser.add_argument("--fresh", action="store_true", help="install the newest releases")
    parser.add_argument("--cache", type=Path, default=_cache(), help="where clients are kept")
    options = parser.parse_args()
    clients = [name for name in PROGRAMS if name in options.names] or list(PROGRAMS)
    plays = [name for name in PLAYS if name in options.names] or list(PLAYS)
    verdicts: dict[tuple[str, str], str] = {}
    for client in _installed(clients, options.cache, fresh=options.fresh):
        for play in plays:
            verdicts[client.program.name, play] = _judged(client, play)
    _show(verdicts, plays)
    return 1 if WRONG in verdicts.values() else 0


def _installed(names: Sequence[str], cache: Path, *, fresh: bool) -> list[Installed]:
    """Installs what can be, and says what cannot."""
    found: list[Installed] = []
    for name in names:
        program = PROGRAMS[name]
        try:
            node = installs.node(cache)
            modules = installs.package(node, cache, name, program.packages, fresh=fresh)
            version = installs.version(modules, program.packages[0])
            program.start(node.program, modules)
        except NotInstalled as error:
            print(f"{name}: skipped: {error}", flush=True)
        else:
            print(f"{name} {version}", flush=True)
            found.append(Installed(program, node.program, modules, version))
    return found


def _judged(client: Installed, play: str) -> str:
    """Plays one play in a room of its own; tells every problem."""
    name = client.program.name
    if why := client.program.lacks.get(play):
        print(f"{name} {play}: left out: {why}", flush=True)
        return LEFT_OUT
    began = time.monotonic()
    with room() as made:
        problems = _played(client, play, made)
    verdict = WRONG if problems else RIGHT
    print(f"{name} {play}: {verdict} ({time.monotonic() - began:.0f} s)", flush=True)
    for problem in problems:
        print(f"    {problem}", file=sys.stderr, flush=True)
    return verdict


def _played(client: Installed, play: str, made: Room) -> list[str]:
    def meanwhile(name: str) -> None:
        stage.edits(2, f"line 2 {name} calls")
        stage.notes(f"{name} calls")

    model = Model(SCRIPTS, meanwhile)
    with serving(model) as port:
        place = Place(made.home, made.project, port)
        made.put(client.program.settings(place))
        made.install(client.program.name, client.program.start(client.node, client.modules))
        stage = Stage(client, made, place, model.heard)
        said = made.agents("protect", client.program.name, "--user", "--yes")
        if said.code:
            tail = " / ".join(said.text.strip().splitlines()[-3:])
            return [f"agents protect: exit {said.code}: {tail[:400]}"]
        time.sleep(SETTLED)
        try:
            PLAYS[play](stage)
        except Stopped as error:
            stage.problems.append(str(error))
        return stage.problems


def _show(verdicts: dict[tuple[str, str], str], plays: Sequence[str]) -> None:
    """Prints a Markdown table: plays by clients."""
    if not verdicts:
        return
    clients = list(dict.fromkeys(client for client, _ in verdicts))
    rows = [
        ["play", *clients],
        *([play, *(verdicts[one, play] for one in clients)] for play in plays),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    print()
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f"| {' | '.join(cells)} |")
    counts = ", ".join(
        f"{sum(one == kind for one in verdicts.values())} {kind}" for kind in (RIGHT, WRONG)
    )
    print(f"\n{counts}")


def _cache() -> Path:
    if CACHE in os.environ:
        return Path(os.environ[CACHE])
    return Path.home() / ".cache" / "cleveragents-clients"


def _end(number: int, frame: object) -> None:
    """Lets rooms be left in order: with them go their processes and files."""
    del frame
    sys.exit(128 + number)


if __name__ == "__main__":
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, _end)
    sys.exit(main())
