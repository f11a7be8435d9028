"""What a decision has led to: a pure function of the tree and of who influenced whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping


def affected(
    decision: str, parents: Mapping[str, str | None], influences: Iterable[tuple[str, str]]
) -> set[str]:
    """Returns a decision, its descendants and what they influence, whatever circles there are.

    `parents` names the decisions in question, each with its parent; `influences` are pairs of a
    decision and one it depends on.
    """
    followers: defaultdict[str, list[str]] = defaultdict(list)
    for child, parent in parents.items():
        if parent is not None:
            followers[parent].append(child)
    for dependent, other in influences:
        if dependent in parents:
            followers[other].append(dependent)
    found: set[str] = set()
    waiting = [decision]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += followers[current]
    return found
