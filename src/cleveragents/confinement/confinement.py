"""Confinement: which level the commands of plans get, and the cell that gives it to one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cleveragents.confinement import groups
from cleveragents.confinement.bubblewrap import NOT_INSTALLED
from cleveragents.confinement.cell import Cell
from cleveragents.confinement.estate import Estate
from cleveragents.confinement.landlock import LEAVES_OUT
from cleveragents.confinement.launch import is_compiled
from cleveragents.confinement.level import (
    AUTO,
    KEEPING_WRITES,
    LIMITS,
    STRICTER,
    UNCONFINED,
    Confined,
    Level,
    Way,
    Wish,
    wish_of,
)
from cleveragents.confinement.limits import Limits
from cleveragents.confinement.machine import this_machine
from cleveragents.confinement.mounts import Mount, aliases, mounts
from cleveragents.confinement.proof import UNTRIED, Proofs, Trial, Untriable
from cleveragents.confinement.surroundings import Neighbours, Surroundings
from cleveragents.confinement.walls import Walls, of_kernel
from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.once import once
from cleveragents.records import frozen

OPEN_TO_STEPS = (
    "an absolute path in a step reaches your own files, and the data directory with all checkpoints"
)
AT_ALL = "allow user namespaces to ordinary users"
OR_BUBBLEWRAP = ", or install bubblewrap"
WAYS: Mapping[Way, Sequence[Level]] = {
    Way.NAMESPACES: STRICTER,
    Way.BUBBLEWRAP: STRICTER,
    Way.LANDLOCK: (Level.PROJECT,),
}
WHOLE = (Way.NAMESPACES, Way.BUBBLEWRAP)  # what gives all that a level means
WRITABLE, HIDDEN = "sandbox.writable", "sandbox.hidden"
Around = Callable[[PlanId], Neighbours]


@frozen
class Possible:
    """Whether a level can be had here by a way."""

    confined: Confined
    problem: str | None
    is_unknown: bool = False  # it could not be tried


@frozen
class Survey:
    """How steps are confined here, and how they could be."""

    wanted: str
    confined: Confined
    problem: str | None  # why they are not confined, though they should be
    untriable: str | None  # why nobody knows
    is_compiled: bool
    unwritable: Sequence[str]  # what the settings name as writable and cannot be
    unhidden: Sequence[str]  # and what they name as hidden
    ways: Sequence[Possible]

    @property
    def advice(self) -> str:
        """What would let them be confined."""
        can = {one.problem for one in self.ways if one.confined.way is Way.BUBBLEWRAP}
        return AT_ALL + (OR_BUBBLEWRAP if can == {NOT_INSTALLED} else "")

    @property
    def is_tried(self) -> bool:
        """Whether steps could run here at all, so that it was tried."""
        return self.untriable is None and any(one.problem != UNTRIED for one in self.ways)


class Confinement:
    """Settles how commands are confined."""

    def __init__(
        self,
        data: Path,
        wanted: str,
        surroundings: Surroundings,
        around: Around,
        trial: Trial,
        limits: Limits,
    ) -> None:
        self.rooms = data / "sandboxes"
        self.wanted = wanted
        self._wish = wish_of(wanted)
        self._surroundings = surroundings
        self._around = around
        self._proofs = Proofs(data, trial)
        self._limits = limits

    def confined(self, asked: Iterable[str] = ()) -> Confined:
        """The level of a call for which more may be asked; refuses what cannot be had."""
        wish = self._wish.raised(asked)
        if wish.level is Level.NONE:
            return UNCONFINED
        tried = _candidates(wish)
        found = next((one for one in tried if self._proofs.problem(one) is None), None)
        if found is not None:
            return found
        if not wish.is_explicit:
            return UNCONFINED
        hints = [f"without it: agents config set sandbox.confinement {AUTO}"]
        if wish.level is not self._wish.level:
            hints = ["without it: take `confine` out of the action"]
        raise Refused(
            f"steps cannot be confined to {wish.level!s} here",
            detail=self._told(tried),
            hints=[*hints, "what can be had: agents doctor"],
        )

    def refuse(self, asked: Iterable[str]) -> None:
        """Refuses, before anything runs, a level that cannot be had and a place that is none."""
        level = self.confined(asked).level
        if level in KEEPING_WRITES and (wrong := self._surroundings.wrong):
            raise Refused(
                f"{WRITABLE} names a place that steps cannot get",
                detail=wrong,
                hints=[f"take it out: agents config unset {WRITABLE}, or set it anew"],
            )
        if self._limits.processes and this_machine().user == 0 and groups.home() is None:
            raise Refused(
                f"the system counts no processes of root: {LIMITS}processes cannot be kept",
                hints=["run plans as another user, or take the limit out"],
            )

    def cell(
        self, plan_id: PlanId, directory: Path, asked: Iterable[str] = (), *, network: bool = False
    ) -> Cell:
        """The cell of a call that works in a directory, for a plan."""
        confined = self.confined(asked)
        if confined.way is None:
            return Cell(limits=self._limits)
        around = self._around(plan_id)
        if around.own is None:
            around = replace(around, own=directory)
        estate = self._surroundings.estate(confined.level, directory, around)
        walls = walls_around(estate, confined, network=network)
        return Cell(confined, walls, self._limits, self.forget)

    def forget(self) -> None:
        """Trusts no proof any more: what was to be confined was not."""
        self._proofs.forget()

    def _note(self, asked: Iterable[str] = ()) -> str | None:
        """How steps are confined less than wanted; None: they are not."""
        wish = self._wish.raised(asked)
        if wish.level is Level.NONE:
            return f"steps are not confined, as sandbox.confinement says: {OPEN_TO_STEPS}"
        confined = self.confined(asked)
        if confined.way is None:
            why = "; ".join(self._told(_candidates(wish)))
            return f"steps are not confined ({why}): {OPEN_TO_STEPS}"
        if confined.way is Way.LANDLOCK:
            return f"steps are confined to {confined.told}: {', '.join(LEAVES_OUT)} stay in reach"
        return None

    def _told(self, tried: Iterable[Confined]) -> list[str]:
        """Why none of these can be had."""
        return [f"{one.way}: {self._proofs.tried(one)}" for one in tried]

    def notes(self, asked: Iterable[str] = ()) -> Sequence[str]:
        """What has to be known before the first step."""
        found = [self._note(asked)]
        if self.confined(asked).level is Level.STRICT:
            found += [f"{HIDDEN} does not hide {one}" for one in self._surroundings.unhidden]
        return [text for text in found if text is not None]

    @once
    def survey(self) -> Survey:
        """Tries every level by every way; keeps nothing of it."""
        every = [Confined(level, way) for way in Way for level in WAYS[way]]
        ways = list(map(self._possible, every))
        can = [one.confined for one in ways if one.problem is None]
        level = self._wish.level
        untriable = next((one.problem for one in ways if one.is_unknown), None)
        wanted = [] if level is Level.NONE else _candidates(self._wish)
        confined = next((one for one in wanted if one in can), UNCONFINED)
        missing = wanted and confined.way is None and untriable is None
        problem = "; ".join(self._told(wanted)) if missing else None
        return Survey(
            self.wanted,
            confined,
            problem,
            untriable,
            is_compiled(),
            self._surroundings.wrong,
            self._surroundings.unhidden,
            ways,
        )

    def _possible(self, wanted: Confined) -> Possible:
        try:
            return Possible(wanted, self._proofs.tried(wanted))
        except Untriable as error:
            return Possible(wanted, error.message, is_unknown=True)


def _candidates(wish: Wish) -> list[Confined]:
    """The ways to a level, the best first; the weakest is for those who asked for no level."""
    ways = [way for way in Way if wish.level in WAYS[way]]
    return [Confined(wish.level, way) for way in ways if way in WHOLE or not wish.is_explicit]


def _with_aliases(paths: Sequence[str], table: Sequence[Mount]) -> tuple[str, ...]:
    """The paths, and where else they are mounted."""
    return tuple(dict.fromkeys((*paths, *(one for path in paths for one in aliases(path, table)))))


def walls_around(estate: Estate, confined: Confined, *, network: bool = False) -> Walls:
    """The walls that a level means around an estate, on this machine as it is now."""
    table = mounts()
    estate = replace(
        estate,
        hidden=_with_aliases(estate.hidden, table),
        concealed=_with_aliases(estate.concealed, table),
    )
    elsewhere = {place for path in estate.protected for place in aliases(path, table)}
    again = set(aliases(estate.closed, table)) if estate.closed else set[str]()
    return Walls(
        confined.level,
        this_machine(),
        estate,
        tuple(sorted(elsewhere)),
        tuple(sorted(again)),
        of_kernel(),
        network=network,
    )
