"""The consequences of a decision: a pure function of the tree and of who influenced whom."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from cleveragents.ids import DecisionId


def affected(
    decision: DecisionId,
    parents: Mapping[DecisionId, DecisionId | None],
    influences: Iterable[tuple[DecisionId, DecisionId]],
) -> set[DecisionId]:
    """Returns a decision, its descendants and what they influence, whatever circles there are.

    `parents` names the decisions in question, each with its parent; `influences` are pairs of a
    decision and one it depends on.
    """
    followers: defaultdict[DecisionId, list[DecisionId]] = defaultdict(list)
    for child, parent in parents.items():
        if parent is not None:
            followers[parent].append(child)
    for dependent, other in influences:
        if dependent in parents:
            followers[other].append(dependent)
    found: set[DecisionId] = set()
    waiting = [decision]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += followers[current]
    return found
