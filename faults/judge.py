"""The judge: whether what a fault left is a legal state in which nothing is missing."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from oracle import differences, picture

from faults.facts import NEXT, Facts, read
from faults.operations import Operation, Way
from faults.room import Room
from faults.stage import Stage
from faults.story import Picture

PRUNE = "prune"
FORGOTTEN_VERSIONS = (b"one\n", b"first\n")  # of `a.txt`; that of the sandbox is stored again
TORN, LOST, UNTRUE = "torn", "lost", "untrue"  # untrue: success was reported without it


@dataclass(frozen=True)
class Problem:
    """One thing that is not as promised."""

    kind: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """Where an operation has led, in terms that do not depend on ids and times."""

    tree: str
    plan: tuple[object, ...]
    runs: tuple[tuple[object, ...], ...]
    decisions: int
    added: tuple[str, ...]  # kinds of checkpoints, but for safety copies and the next command's
    gone: frozenset[str]  # checkpoints of before
    unfinished: tuple[str, ...]
    project: str


class Judge:
    """Knows the legal outcomes of one operation, learnt by running it without faults."""

    def __init__(self, stage: Stage, operation: Operation) -> None:
        self._stage = stage
        self._room = stage.room
        self._operation = operation
        self._legal = [self._learn(way) for way in operation.ways]
        self._successes = [self._after(line) for line in (operation.line, *operation.as_good)]

    def problems(self, turn: int, *, success: bool) -> list[Problem]:
        """Lets the next command run, then looks at everything; empty if all is well."""
        return list(self._problems(turn, success=success))

    def _after(self, line: str) -> Outcome:
        self._stage.start(self._operation.start)
        self._room.must(line)
        return _done(self._outcome(read(self._room)))

    def _learn(self, way: Way) -> Outcome:
        self._stage.start(self._operation.start)
        for line in way.lines:
            self._room.must(line)
        self._room.must(self._operation.next_line, self._operation.next_codes)
        outcome = self._outcome(read(self._room))
        if outcome.tree != way.tree or outcome.unfinished:
            raise AssertionError(f"without any fault {way} leads to {outcome}")
        return outcome

    def _problems(self, turn: int, *, success: bool) -> Iterator[Problem]:
        outcome = self._outcome(read(self._room))
        if success and _done(outcome) not in self._successes:
            yield Problem(UNTRUE, f"success was reported, but the state is {outcome}")
        code = self._room.run(self._operation.look)
        if not code:
            code = self._room.run(self._operation.next_line)
            code = 0 if code in self._operation.next_codes else code
        if code:
            yield Problem(TORN, f"the next commands ended with {code}: {self._room.said}")
            return
        facts = read(self._room)
        outcome = self._outcome(facts)
        if outcome not in self._legal:
            yield Problem(TORN, f"{outcome} is none of {self._legal}")
        if outcome.project.startswith("?"):
            yield Problem(LOST, f"the user's project: {outcome.project}")
        if self._operation.forgets is not None:
            yield from self._problems_of_forgetting(facts, self._operation.forgets, success=success)
        yield from self._problems_of_rows(facts)
        yield from self._going_back(facts, turn)

    def _outcome(self, facts: Facts) -> Outcome:
        there = {row.checkpoint_id for row in facts.rows}
        added = [
            row.kind
            for row in facts.rows
            if row.checkpoint_id not in self._known and row.kind != "safety" and row.label != NEXT
        ]
        return Outcome(
            self._name(self._stage.tree()) if facts.plan else "none yet",
            facts.plan,
            facts.runs,
            facts.decisions,
            tuple(added) if self._operation.counts_rows else (),
            frozenset(self._known.keys() - there),
            facts.unfinished,
            self._stage.project_now(),
        )

    def _problems_of_forgetting(
        self, facts: Facts, path: str, *, success: bool
    ) -> Iterator[Problem]:
        """Looks whether all checkpoints have a path, or none and no pack a version of it."""
        known = [row.seq for row in facts.rows if row.checkpoint_id in self._known]
        having = [seq for seq, tree in self._room.extract(known).items() if (tree / path).exists()]
        if having and len(having) != len(known):
            yield Problem(TORN, f"of {known} only {having} have {path}")
        if having and success:
            yield Problem(UNTRUE, f"success was reported, but {having} have {path}")
        if not having and (left := _stored(self._room, FORGOTTEN_VERSIONS)):
            yield Problem(TORN, f"what was forgotten is still in {left}")

    def _problems_of_rows(self, facts: Facts) -> Iterator[Problem]:
        paths = self._room.extract(row.seq for row in facts.rows)
        trees = {seq: picture(path, without=[b".git"]) for seq, path in paths.items()}
        for row in facts.rows:
            tree = trees.get(row.seq)
            wanted = self._known.get(row.checkpoint_id)
            if tree is None:
                yield Problem(LOST, f"checkpoint {row.seq} cannot be restored")
            elif wanted is not None and self._seen(tree) != self._seen(self._stage.trees[wanted]):
                yield Problem(
                    LOST, f"checkpoint {row.seq} is not tree {wanted}: {self._name(tree)}"
                )
            elif wanted is None and self._operation.counts_rows and "?" in self._name(tree):
                yield Problem(TORN, f"checkpoint {row.seq} holds {self._name(tree)}")
        owed = self._operation.owed
        if owed and self._stage.trees[owed] not in (*trees.values(), self._stage.tree()):
            yield Problem(LOST, f"the tree {owed!r} is nowhere any more")

    def _going_back(self, facts: Facts, turn: int) -> Iterator[Problem]:
        """Goes to one of the checkpoints for real, another one each turn."""
        rows = [row for row in facts.rows if row.checkpoint_id in self._known]
        if rows:
            row = rows[turn % len(rows)]
            if facts.plan[:2] == ("apply", "applied"):
                self._room.must("plan unapply @ --keep-mine --yes")
            if self._room.run(f"plan rollback @ {row.seq} --yes"):
                yield Problem(LOST, f"no way to go to checkpoint {row.seq}: {self._room.said}")
                return
            tree, wanted = self._stage.tree(), self._stage.trees[self._known[row.checkpoint_id]]
            if self._seen(tree) != self._seen(wanted):
                yield Problem(LOST, f"going to checkpoint {row.seq} led to {self._name(tree)}")

    def _seen(self, tree: Picture) -> Picture:
        """A tree without what may be forgotten."""
        path = (self._operation.forgets or "").encode()
        return {one: seen for one, seen in tree.items() if not path or one != path}

    def _name(self, tree: Picture) -> str:
        """The name of a tree, or how it differs from the one that is most like it."""
        if not tree:
            return "gone"
        for name, known in self._stage.trees.items():
            if tree == known:
                return name
        told = [(name, differences(known, tree)) for name, known in self._stage.trees.items()]
        nearest, how = min(told, key=lambda pair: len(pair[1]))
        return f"? (like {nearest}, but {'; '.join(how[:5])})"

    @property
    def _known(self) -> dict[str, str]:
        return self._stage.saved[self._operation.start]


def _stored(room: Room, versions: Sequence[bytes]) -> list[str]:
    """The packs that hold one of these contents, by its id."""
    ids = [hashlib.sha256(version).digest() for version in versions]
    packs = room.data.glob("projects/*/store/packs/*")
    return [path.name for path in packs if any(one in path.read_bytes() for one in ids)]


def _done(outcome: Outcome) -> Outcome:
    """An outcome without the space that waits to be freed: that comes after an act, as a note."""
    return replace(outcome, unfinished=tuple(kind for kind in outcome.unfinished if kind != PRUNE))
