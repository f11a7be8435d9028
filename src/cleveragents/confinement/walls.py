"""The walls of a step: the acts by which its launcher confines itself, in order.

Nothing is done here: what a level means on a machine, around an estate, is a pure function.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from cleveragents.confinement.estate import Estate, above, is_within
from cleveragents.confinement.level import KEEPING_WRITES, Level
from cleveragents.confinement.machine import Machine
from cleveragents.confinement.usual import SHARED_MEMORY, TEMPORARY
from cleveragents.records import frozen

Act: TypeAlias = tuple[str, ...]

_NEW_NS, _NEW_UTS, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PID, _NEW_NET = 0x10000000, 0x20000000, 0x40000000
# Root keeps in `strict` what package managers and test suites use on files and users of their own.
_CHOWN, _DAC, _FOWNER, _FSETID, _KILL, _SETGID, _SETUID, _SETPCAP = 0, 1, 3, 4, 5, 6, 7, 8
FEW = (_CHOWN, _DAC, _FOWNER, _FSETID, _KILL, _SETGID, _SETUID, _SETPCAP)
# Through these root, without a capability, reaches the whole machine.
_OF_KERNEL = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/sys")
# In a group of its own, root could make a new place for our process and kill that.
_GROUPS = "/proc/sys/user/max_cgroup_namespaces"


@frozen
class Walls:
    """What one call is confined by."""

    level: Level
    machine: Machine
    estate: Estate
    elsewhere: tuple[str, ...] = ()  # where else what is protected is mounted
    again: tuple[str, ...] = ()  # where else what is closed is mounted
    of_kernel: tuple[str, ...] = ()  # through which root reaches the whole machine
    network: bool = False  # the call may use it

    @property
    def is_strict(self) -> bool:
        """Whether the most is forbidden."""
        return self.level is Level.STRICT

    @property
    def keeps_writes(self) -> bool:
        """Whether nothing may be written to but what is named."""
        return self.level in KEEPING_WRITES

    @property
    def has_own_processes(self) -> bool:
        """Whether it sees no others; where nothing else keeps signals in, it must not."""
        return self.is_strict or not self.machine.has_scopes

    @property
    def covered(self) -> tuple[str, ...]:
        """The shared temporary directories that one of its own takes the place of."""
        if not self.keeps_writes:
            return ()
        return tuple(place for place in TEMPORARY if not self.estate.holds(place))

    @property
    def needs_variable(self) -> bool:
        """Whether it has to be told where its temporary directory is."""
        return self.keeps_writes and TEMPORARY[0] not in self.covered

    def acts(self, room: str | None, handed: Sequence[str] = ()) -> Iterator[Act]:
        """Yields the acts; the room is a directory for the moment, made from `write` on."""
        estate, is_root = self.estate, self.machine.maps_ids
        yield ("enter", str(self._flags()))
        yield ("private",)
        if is_root:
            yield ("write", _GROUPS, "0")
        if self.has_own_processes:
            yield ("processes",)
        yield from self._read_only()
        if self.has_own_processes:
            yield ("proc",)
        if is_root or self.keeps_writes:
            yield ("devices", self._memory())
        if is_root:
            yield from _locked(self.of_kernel)
        yield from self._covers(room, handed)
        for path in (*estate.own, *handed):
            yield ("writable", path)
        for path in estate.listening:
            yield ("empty", path)
        if self.is_strict and not self.network:
            yield ("loopback",)
        yield ("no-new-privileges",)
        if self.machine.has_scopes:
            yield ("scope",)
        yield from self._fewer()
        yield ("directory", estate.directory)

    def _flags(self) -> int:
        found = _NEW_USER | _NEW_NS
        if self.has_own_processes:
            found |= _NEW_PID
        if self.keeps_writes:
            found |= _NEW_IPC  # shared memory has names of its own
        if self.is_strict:
            found |= _NEW_UTS | (0 if self.network else _NEW_NET)
        return found

    def _read_only(self) -> Iterator[Act]:
        if self.keeps_writes:
            yield ("readonly", "/")
            yield ("unlock", "/proc")  # nested sandboxes map their users there
            return
        protected = (*self.estate.protected, *self.elsewhere)
        for path in above(protected):  # a mount point cannot be renamed
            yield ("itself", path)
        yield from _locked(protected)

    def _memory(self) -> str:
        is_own = self.keeps_writes and not self.estate.holds(SHARED_MEMORY)
        return "own" if is_own else "shared"

    def _covers(self, room: str | None, handed: Iterable[str]) -> Iterator[Act]:
        if room is None:
            return
        yield from self._temporary(room)
        yield from (("writable", path) for path in self.estate.caches)
        if self.is_strict:
            yield from self._hidden(room)
            yield from self._closed(room, handed)

    def _temporary(self, room: str) -> Iterator[Act]:
        yield ("writable", room)
        for place in self.covered:
            yield ("place", room, place)
        for number, path in enumerate(self.estate.layered):
            yield ("layer", path, f"{room}/.layer-{number}")

    def _hidden(self, room: str) -> Iterator[Act]:
        yield ("keyring",)
        estate = self.estate
        hidden = [path for path in estate.hidden if not estate.holds(path)]
        concealed = [path for path in estate.concealed if not estate.holds(path)]
        for path in above((*hidden, *concealed)):
            # Where it may write, a step could give what is above another name.
            if any(path != cache and is_within(path, cache) for cache in estate.caches):
                yield ("itself", path)
        yield from (("empty", path) for path in hidden)
        yield from (("conceal", path, f"{room}/.hidden") for path in concealed)

    def _closed(self, room: str, handed: Iterable[str]) -> Iterator[Act]:
        """Leaves of what is closed only what belongs to the step."""
        if not self.estate.closed:
            return
        own = (*self.estate.own, *self.estate.lent, *handed)
        for path in (*own, *([room] if self.needs_variable else [])):
            yield ("keep", path)
        yield ("cover", self.estate.closed)
        yield from (("empty", path) for path in self.again)

    def _fewer(self) -> Iterator[Act]:
        """Gives up what could take the walls down."""
        if not self.machine.maps_ids:
            yield ("capabilities", "0")
        elif self.is_strict:
            yield ("capabilities", str(sum(1 << number for number in FEW)))
        else:  # in a second layer it may act as root, and every cover is locked
            yield ("enter", str(_NEW_USER | _NEW_NS))


def of_kernel() -> tuple[str, ...]:
    """What of the kernel's own is there to be closed."""
    return tuple(filter(os.path.exists, _OF_KERNEL))


def _locked(paths: Iterable[str]) -> Iterator[Act]:
    for path in paths:
        yield ("itself", path)
        yield ("readonly", path)
