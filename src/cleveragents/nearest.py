"""Which known name was meant by one that is not known: the one home of "did you mean"."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

# How much of two names must be the same, from 0 to 1; ids of one day begin alike.
ALIKE, ALIKE_IDS = 0.65, 0.8

Id = TypeVar("Id", bound=str)


def nearest(given: str, names: Iterable[str], prefix: str = "") -> str | None:
    """Returns the name that looks most like the given one, if any does.

    What all of them begin with makes none of them alike.
    """
    ends = [name.removeprefix(prefix) for name in names if name != given]
    near = _close(given.removeprefix(prefix), ends, ALIKE)
    return prefix + near[0] if near else None


def asking(given: str, names: Iterable[str], prefix: str = "") -> str:
    """Returns the end of a message that asks for the nearest name; empty if there is none."""
    near = nearest(given, names, prefix)
    return f"; did you mean {near!r}?" if near else ""


def hints_for_name(given: str, names: Iterable[str]) -> list[str]:
    """Returns the hint that asks for the nearest name, if there is one."""
    near = nearest(given, names)
    return [f"did you mean {near!r}?"] if near else []


def hints_for_file(given: str, names: Iterable[str]) -> list[str]:
    """Returns the same for a file; that both have a suffix makes them no more alike."""
    stems = {name.rpartition(".")[0] or name: name for name in names if name != given}
    stem = given.rpartition(".")[0] or given
    near = stem if stem in stems else nearest(stem, stems)
    return [f"did you mean {stems[near]!r}?"] if near else []


def hints_for_id(given: str, named: Mapping[Id, str]) -> list[str]:
    """Returns the hint that asks for the id that begins like the given one, or has such a name."""
    begun = {identity[: len(given)]: identity for identity in named}
    near = _close(given.upper(), begun, ALIKE_IDS)
    called = nearest(given, named.values())
    found = [begun[start] for start in near]
    found += [one for one, name in named.items() if name and name in (given, called)]
    return [f"did you mean {one} ({named[one]})?" for one in found[:1]]


def _close(given: str, names: Iterable[str], alike: float) -> list[str]:
    import difflib  # noqa: PLC0415 - slow to import, and only a name that is not known needs it

    return difflib.get_close_matches(given, list(names), n=1, cutoff=alike)
