"""Confinement: which level the commands of plans get, and the cell that gives it to one."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cleveragents.confinement.cell import OPEN, Cell
from cleveragents.confinement.estate import Estate
from cleveragents.confinement.launch import is_compiled
from cleveragents.confinement.level import AUTO, STRICTER, UNCONFINED, Confined, Level, Way, wish_of
from cleveragents.confinement.machine import this_machine
from cleveragents.confinement.mounts import aliases, mounts
from cleveragents.confinement.proof import Proofs, Trial
from cleveragents.confinement.surroundings import Surroundings
from cleveragents.confinement.walls import Walls, of_kernel
from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.once import once
from cleveragents.records import frozen

OPEN_TO_STEPS = (
    "an absolute path in a step reaches your own files, and the data directory with all checkpoints"
)
AT_ALL = "allow user namespaces to ordinary users"
Projects = Callable[[PlanId], tuple[Path | None, Sequence[Path]]]  # a plan's own, and the others


@frozen
class Possible:
    """Whether a level can be had here by a way."""

    way: Way
    level: Level
    problem: str | None


@frozen
class Survey:
    """How steps are confined here, and how they could be."""

    wanted: str
    confined: Confined
    problem: str | None  # why they are not confined, though they should be
    is_compiled: bool
    ways: Sequence[Possible]


class Confinement:
    """Settles how commands are confined."""

    def __init__(
        self, data: Path, wanted: str, surroundings: Surroundings, projects: Projects, trial: Trial
    ) -> None:
        self.rooms = data / "sandboxes"
        self.wanted = wanted
        self._wish = wish_of(wanted)
        self._surroundings = surroundings
        self._projects = projects
        self._proofs = Proofs(data, trial)

    def confined(self, asked: Iterable[str] = ()) -> Confined:
        """The level of a call for which more may be asked; refuses what cannot be had."""
        wish = self._wish.raised(asked)
        if wish.level is Level.NONE:
            return UNCONFINED
        problem = self._proofs.problem(wish.level)
        if problem is None:
            return Confined(wish.level, Way.NAMESPACES)
        if not wish.is_explicit:
            return UNCONFINED
        hints = [f"without it: agents config set sandbox.confinement {AUTO}"]
        if wish.level is not self._wish.level:
            hints = ["without it: take `confine` out of the action"]
        raise Refused(
            f"steps cannot be confined to {wish.level!s} here: {problem}",
            hints=[*hints, "what can be had: agents doctor"],
        )

    def refuse(self, asked: Iterable[str]) -> None:
        """Refuses, before anything runs, a level that cannot be had and a place that is none."""
        self.confined(asked)
        if wrong := self._surroundings.wrong:
            raise Refused("sandbox.writable names a place that steps cannot get", detail=wrong)

    def cell(
        self, plan_id: PlanId, directory: Path, asked: Iterable[str] = (), *, network: bool = False
    ) -> Cell:
        """The cell of a call that works in a directory, for a plan."""
        confined = self.confined(asked)
        if confined.way is None:
            return OPEN
        own, others = self._projects(plan_id)
        estate = self._surroundings.estate(confined.level, directory, own or directory, others)
        return Cell(confined, walls_around(estate, confined.level, network=network), self.forget)

    def forget(self) -> None:
        """Trusts no proof any more: what was to be confined was not."""
        self._proofs.forget()

    def note(self, asked: Iterable[str] = ()) -> str | None:
        """What has to be known before the first step; None: steps are confined as wanted."""
        wish = self._wish.raised(asked)
        if wish.level is Level.NONE:
            return f"steps are not confined, as sandbox.confinement says: {OPEN_TO_STEPS}"
        if wish.is_explicit or (problem := self._proofs.problem(wish.level)) is None:
            return None
        return f"steps are not confined ({problem}): {OPEN_TO_STEPS}"

    @once
    def survey(self) -> Survey:
        """Tries every level; keeps nothing of it."""
        problems = {level: self._proofs.tried(level) for level in STRICTER}
        ways = [Possible(Way.NAMESPACES, *one) for one in problems.items()]
        level = self._wish.level
        problem = problems.get(level)
        is_had = level is not Level.NONE and problem is None
        confined = Confined(level, Way.NAMESPACES) if is_had else UNCONFINED
        return Survey(self.wanted, confined, problem, is_compiled(), ways)


def walls_around(estate: Estate, level: Level, *, network: bool = False) -> Walls:
    """The walls that a level means around an estate, on this machine as it is now."""
    table = mounts()
    elsewhere = {place for path in estate.protected for place in aliases(path, table)}
    return Walls(
        level, this_machine(), estate, tuple(sorted(elsewhere)), of_kernel(), network=network
    )
