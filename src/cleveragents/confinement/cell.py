"""The cell of one call: how it is confined, and how its command is started for that."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from cleveragents.confinement import landlock
from cleveragents.confinement.bubblewrap import LEFT, wrapping
from cleveragents.confinement.groups import Group
from cleveragents.confinement.launch import Launch, Plain, Unconfinable, launching
from cleveragents.confinement.level import UNCONFINED, Confined, Way
from cleveragents.confinement.limits import NO_LIMITS, Limits
from cleveragents.confinement.walls import Act, Walls
from cleveragents.records import frozen


@frozen
class Cell:
    """Walls around the processes of one call; without any they are not confined."""

    confined: Confined = UNCONFINED
    walls: Walls | None = None
    limits: Limits = NO_LIMITS
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

    def counting(self) -> AbstractContextManager[Group | None]:
        """Has the system count a whole command, where it does."""
        walls = self.walls if self.confined.way is Way.NAMESPACES else None
        return self.limits.counting(1 if walls and walls.has_own_processes else 0)  # process 1

    @contextmanager
    def launching(
        self,
        command: Sequence[str],
        room: Path | None,
        handed: Iterable[Path],
        group: Group | None = None,
    ) -> Generator[Launch]:
        """Prepares the start of a command for as long as the block lasts.

        The files that are handed to it may be written to wherever they lie.
        """
        acts, limits = list(self._acts(room, [*map(str, handed)])), list(self.limits.acts(group))
        joining = () if group is None else (group.joining,)
        if self.walls is not None and self.confined.way is Way.BUBBLEWRAP:
            inside = [act for act in acts if act[0] in LEFT]
            with (
                launching([*inside, *limits], command, joining) as inner,
                wrapping(acts, inner, is_root=self.walls.machine.maps_ids) as launch,
            ):
                yield launch
        elif acts or limits:
            with launching([*acts, *limits], command, joining) as launch:
                yield launch
        else:
            yield Plain(command)

    def _acts(self, room: Path | None, handed: Sequence[str]) -> Iterable[Act]:
        if self.walls is None:
            return ()
        if self.confined.way is Way.LANDLOCK:
            return landlock.acts(self.walls, handed)
        return self.walls.acts(None if room is None else str(room), handed)

    def refuse(self, launch: Launch) -> None:
        """Refuses to take a command for one that ran, if its walls could not be built."""
        if (problem := launch.problem()) is not None:
            self.fell()
            raise Unconfinable(problem)


OPEN = Cell()
