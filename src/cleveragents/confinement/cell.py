"""The cell of one call: how it is confined, and how its command is started for that."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from cleveragents.confinement import landlock
from cleveragents.confinement.bubblewrap import wrapping
from cleveragents.confinement.launch import Launch, Unconfinable, launching
from cleveragents.confinement.level import UNCONFINED, Confined, Way
from cleveragents.confinement.walls import Walls
from cleveragents.records import frozen


@frozen
class Cell:
    """Walls around the processes of one call; without any they are not confined."""

    confined: Confined = UNCONFINED
    walls: Walls | None = None
    fell: Callable[[], object] = lambda: None  # told when the walls could not be built

    @property
    def needs_room(self) -> bool:
        """Whether it has a temporary directory of its own."""
        return self.walls is not None and self.walls.keeps_writes

    def variables(self, room: Path | None) -> Mapping[str, str]:
        """Tells where the temporary directory is, where that is not the usual place."""
        if room is None or self.walls is None or not self.walls.needs_variable:
            return {}
        return {"TMPDIR": str(room)}

    @contextmanager
    def launching(
        self, command: Sequence[str], room: Path | None, handed: Iterable[Path]
    ) -> Generator[Launch]:
        """Prepares the start of a command for as long as the block lasts.

        The files that are handed to it may be written to wherever they lie.
        """
        if self.walls is None:
            yield Launch(command, ())
            return
        with _started(self.confined.way, self.walls, command, room, map(str, handed)) as launch:
            yield launch

    def refuse(self, launch: Launch) -> None:
        """Refuses to take a command for one that ran, if its walls could not be built."""
        if self.walls is not None and (problem := launch.problem()) is not None:
            self.fell()
            raise Unconfinable(problem)


def _started(
    way: Way | None, walls: Walls, command: Sequence[str], room: Path | None, handed: Iterable[str]
) -> AbstractContextManager[Launch]:
    """The start of a command, by a way."""
    if way is Way.LANDLOCK:
        return launching(landlock.acts(walls, handed), command)
    acts = walls.acts(None if room is None else str(room), handed)
    if way is Way.BUBBLEWRAP:
        return wrapping(list(acts), command, is_root=walls.machine.maps_ids)
    return launching(acts, command)


OPEN = Cell()
