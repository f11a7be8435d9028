"""Both versions of a path in conflict, and what they came from, as they are shown."""

from collections.abc import Mapping, Sequence

from cleveragents.checkpoints.comparison import FileDiff, diffs
from cleveragents.plans.conflict import BASE, CHILD, MINE, PARENT, PLAN, Conflict
from cleveragents.plans.plan import Plan
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.tree.content import CHUNK
from cleveragents.snapshots.tree.manifest import Change, Entry

BETWEEN = "between"  # mine and the plan's, where there is no base
SHOWN = {BASE: BASE, MINE: PARENT, PLAN: CHILD}  # as users call them


@frozen
class Version:
    """One version of a path in conflict."""

    entry: Entry
    content: bytes | None  # None: a directory, or more than can be shown

    @property
    def is_whole_file(self) -> bool:
        """Whether it is a file of which all can be had at once."""
        return self.entry.is_file and self.content is not None

    @property
    def text(self) -> str | None:
        """Its text; None if it is none, or more than can be shown."""
        if self.content is None or b"\0" in self.content:
            return None
        try:
            return self.content.decode()
        except UnicodeDecodeError:
            return None


@frozen
class ConflictView:
    """A conflict with its versions."""

    conflict: Conflict
    versions: Mapping[str, Version | None]  # of base, mine and plan; None: it has none there
    diffs: Mapping[str, FileDiff]  # of mine and plan to the base, or between them

    @property
    def is_mergeable(self) -> bool:
        """Whether a merge tool can work on it: there is a file on both sides, and in the base."""
        base = self.versions[BASE]
        there = [self.versions[MINE], self.versions[PLAN], *([] if base is None else [base])]
        return all(one is not None and one.is_whole_file for one in there)


class ConflictVersions:
    """Reads the versions of conflicts."""

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    def view(self, plan: Plan, conflict: Conflict) -> ConflictView:
        """Tells what each side has; nothing is stored for it."""
        archive = self._sandboxes.archive(plan.project_id)

        def read(_: bytes, entry: Entry) -> bytes:
            return archive.read_file(entry)

        def version(entry: Entry | None) -> Version | None:
            if entry is None:
                return None
            is_shown = entry.has_content and not entry.is_dir and entry.size <= CHUNK
            return Version(entry, archive.read_file(entry) if is_shown else None)

        return ConflictView(
            conflict,
            {name: version(conflict.versions[side]) for name, side in SHOWN.items()},
            {
                name: next(iter(diffs([change], read, read)))
                for name, change in _compared(conflict).items()
            },
        )


def _compared(conflict: Conflict) -> dict[str, Change]:
    path, (base, mine, plan) = conflict.path, _sides(conflict)
    if base is None:
        return {BETWEEN: Change(path, mine, plan)}
    sides = {MINE: mine, PLAN: plan}
    return {name: Change(path, base, side) for name, side in sides.items()}


def _sides(conflict: Conflict) -> Sequence[Entry | None]:
    return [conflict.versions[side] for side in SHOWN.values()]
