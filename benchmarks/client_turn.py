"""A turn of a real coding agent with hooks and without: how much CPU they add for each event.

The agent asks the scripted model of `clients_lab` on loopback. Counted is whatever the agent
starts, its hooks and their shells included, and what the keeper does meanwhile.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clients_lab import installs
from clients_lab.installs import NotInstalled
from clients_lab.model import Model, serving
from clients_lab.programs import PROGRAMS, Place
from clients_lab.room import Room, room
from clients_lab.script import Round, Shell
from clients_lab.stage import Installed, Stage

from benchmarks.trials.costs import cpu
from cleveragents.hooks import asking

CLIENT = "claude"
CALLS = 5
FIVE = "five"
SCRIPTS = {FIVE: tuple(Round((Shell(f"date >> of-{n}.txt"),)) for n in range(CALLS))}
CACHE = Path.home() / ".cache" / "cleveragents-clients"
TICK = 1 / os.sysconf("SC_CLK_TCK")


class Turns:
    """Turns of one agent in a room of its own."""

    def __init__(self, stage: Stage, made: Room) -> None:
        self._stage = stage
        self._data = made.data
        self.costs: list[float] = []
        self.events = 0  # of the last turn

    def play(self) -> None:
        """Lets the agent make five calls; notes what all of it took."""
        seconds, events = keeper_used(self._data)
        taken = cpu(lambda: self._stage.turn(FIVE))
        now, heard = keeper_used(self._data)
        self.costs.append(taken + now - seconds)
        self.events = heard - events


def added_per_event(rounds: int) -> float:
    """Returns the milliseconds of CPU that hooks add for each event; raises NotInstalled."""
    client = _installed()
    with _turns(client, protects=True) as hooked, _turns(client, protects=False) as bare:
        for _ in range(rounds + 1):  # the first starts the keeper, and makes caches of the agent's
            hooked.play()
            bare.play()
        added = min(hooked.costs[1:]) - min(bare.costs[1:])
        return added * 1000 / hooked.events


def keeper_used(data: Path) -> tuple[float, int]:
    """The seconds of CPU that the keeper has taken, and how many events it has recorded."""
    told = asking.status(data)
    if told is None:
        return 0.0, 0
    fields = Path(f"/proc/{told['pid']}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK, int(told["events"])


def _installed() -> Installed:
    program = PROGRAMS[CLIENT]
    node = installs.node(CACHE)
    modules = installs.package(node, CACHE, CLIENT, program.packages, fresh=False)
    program.start(node.program, modules)
    return Installed(program, node.program, modules, installs.version(modules, program.packages[0]))


@contextmanager
def _turns(client: Installed, *, protects: bool) -> Iterator[Turns]:
    model = Model(SCRIPTS, lambda _: None)
    with room() as made, serving(model) as port:
        place = Place(made.home, made.project, port)
        made.put(client.program.settings(place))
        made.install(CLIENT, client.program.start(client.node, client.modules))
        if protects and made.agents("protect", CLIENT, "--user", "--yes").code:
            raise NotInstalled("agents protect refused")
        yield Turns(Stage(client, made, place, model.heard), made)
