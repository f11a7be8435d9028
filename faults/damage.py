"""Damage to the store: whatever an act replaces or removes afterwards, can it be had back?

Every act meets a store in which one object, or one pack, is not what was written. What was there
before the act must come back by a later command, or the act was refused and nothing changed. Packs
are taken apart here by what their format says, and files are looked at from outside: nothing is
shared with the product.
"""

import json
import os
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from oracle import differences, picture

from faults import story
from faults.campaign import Extent
from faults.judge import LOST, TORN, UNTRUE, Problem
from faults.operations import APPLY, CORRECT, RESOLVE, RUN, UNAPPLY
from faults.product import Product
from faults.room import Room, import_everything
from faults.story import Picture

HEAD = struct.Struct("<32sBQ")  # before each object: id, codec, length
FOOTER_BYTES = 88  # its first eight bytes tell where the objects end
MAGIC_BYTES = 8
TRIED = 4  # checkpoints: the state before an act is the newest of then, or one made just after
HEALED = "it was stored again"


@dataclass(frozen=True)
class Act:
    """A command that replaces or removes files, and how the state it starts from is made."""

    name: str
    line: str
    start: tuple[str, ...]  # command lines; `in NAME: …` is a shell command there
    repository: bool = False
    # Of what steps change in between, only what the plan itself held before is its doing.
    runs_steps: bool = False


USERS_EDIT = "in project: printf '#!/bin/sh\\necho mine\\n' > run.sh"
CONFLICT = ("in project: printf 'mine\\n' > a.txt", "plan refresh @ --yes")
BY_HAND = ("in sandbox: printf 'first\\nmine\\n' > a.txt", "plan checkpoint create @ --label hand")
FAN = "run ../fan.yaml"
# A subplan that is run again by itself, with another result, is merged again.
MERGING = {
    "name": "x",
    "steps": [{"tool": "shell", "with": {"command": "cat ../../../../n > a.txt"}}],
}
MERGED = (
    "in project: echo 1 > ../n",
    "run ../merging.yaml",
    "plan rollback CHILD 1 --yes",
    "in project: echo 2 > ../n",
)

ACTS = (
    Act("rollback", "plan rollback @ 2 --yes", (RUN,)),
    Act("apply", APPLY, (RUN,)),
    Act("prune", "sandbox prune --discard --yes", (RUN,)),
    Act("rollback after edits", "plan rollback @ 2 --yes", (RUN, f"in sandbox: {story.DIRTY}")),
    Act("rollback in git", "plan rollback @ 2 --yes", (RUN,), repository=True),
    Act("restore", "plan restore @ 2 --path a.txt --path dir --path link --yes", (RUN,)),
    Act("correct", CORRECT, (FAN,), runs_steps=True),
    Act("rollback with subplans", "plan rollback @ 1 --yes", (FAN,)),
    Act("revert", "plan revert @ --to-phase strategize --yes", (RUN,)),
    Act("refresh", "plan refresh @ --yes", (RUN, USERS_EDIT)),
    Act("resolve", RESOLVE, (RUN, *CONFLICT, *BY_HAND)),
    Act("merge", "plan execute CHILD", MERGED, runs_steps=True),
    Act("unapply", UNAPPLY, (f"{RUN} --apply --yes",)),
    Act("apply in git", APPLY, (RUN,), repository=True),
    Act("rebuild", "plan rollback @ 2 --rebuild --yes", (RUN, "sandbox prune --discard --yes")),
)


@dataclass(frozen=True)
class Damage:
    """One way in which the store is not what was written."""

    kind: str
    pack: str  # its name
    what: str
    do: Callable[[Path], None]


@dataclass(frozen=True)
class Met:
    """What came of an act that met a damage."""

    act: str
    fault: str
    refused: bool
    healed: bool
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class There:
    """Everything a user can see: the project, and the sandbox of each plan."""

    project: Picture
    sandboxes: Mapping[str, Picture]  # by plan; one that was removed is not among them


def run(extent: Extent) -> list[Met]:
    """Lets every act meet damages of every kind, as many of each as there are points."""
    import_everything()
    chosen = [act for act in ACTS if not extent.names or act.name in extent.names]
    with tempfile.TemporaryDirectory(prefix="damage ") as home:
        return [
            met
            for repository in (False, True)
            for met in _in_one_room(
                Path(home) / str(repository),
                [act for act in chosen[: extent.some] if act.repository is repository],
                extent,
            )
        ]


def rows(met: list[Met]) -> list[tuple[str, ...]]:
    """Counts by act what came of it."""
    names = dict.fromkeys(one.act for one in met)
    return [_row(name, [one for one in met if one.act == name]) for name in names]


def _row(name: str, met: list[Met]) -> tuple[str, ...]:
    counts = [
        sum(one.refused for one in met),
        sum(one.healed for one in met),
        *(sum(any(p.kind == kind for p in one.problems) for one in met) for kind in PROBLEMS),
    ]
    return (name, str(len(met)), *map(str, counts))


PROBLEMS = (TORN, LOST, UNTRUE)
HEADINGS = ("act", "damages", "refused", "healed", *PROBLEMS)


def _in_one_room(home: Path, acts: list[Act], extent: Extent) -> Iterator[Met]:
    if not acts:
        return
    room = Room(home, Product())
    story.tell(room)
    story.tell_of_choices(room)
    steps = [{"name": "fan out", "subplans": {"mode": "sequential", "plans": [MERGING]}}]
    (home / "merging.yaml").write_text(json.dumps({"name": "merging", "steps": steps}))
    if acts[0].repository:
        story.shell(story.REPOSITORY, room.project)
    room.keep_project("new")
    for act in acts:
        yield from _Trial(room, act).meet(extent)
    room.remove()


class _Trial:
    """One act, started from the same state again and again."""

    def __init__(self, room: Room, act: Act) -> None:
        self._room = room
        self._act = act
        room.clear()
        room.put_project_back("new")
        for line in act.start:
            self._prepare(line)
        room.keep(act.name)
        self._before = self._there()
        self._newest = dict(room.sql("SELECT plan_id, max(seq) FROM checkpoints GROUP BY plan_id"))
        room.must(act.line)
        self._after = self._there()

    def meet(self, extent: Extent) -> Iterator[Met]:
        """Tries the act on damages of each kind."""
        self._room.put_back(self._act.name)
        kinds: dict[str, list[Damage]] = {}
        for damage in damages(self._packs, _contents(self._before)):
            kinds.setdefault(damage.kind, []).append(damage)
        for found in kinds.values():
            step = max(1, len(found) // extent.points)
            for damage in found[extent.offset % step :: step][: extent.points]:
                yield self._try(damage)

    def _try(self, damage: Damage) -> Met:
        self._room.put_back(self._act.name)
        damage.do(self._packs / damage.pack)
        code = self._room.run(self._act.line)
        healed = HEALED in " ".join(self._room.said.split())
        problems = tuple(self._problems(refused=code != 0))
        told = f"{self._act.name}: {damage.kind}, {damage.what} in {damage.pack}"
        return Met(self._act.name, told, code != 0, healed, problems)

    def _problems(self, *, refused: bool) -> Iterator[Problem]:
        said = self._room.said
        if self._room.sql("SELECT kind FROM operations WHERE status = 'open'"):
            yield Problem(TORN, f"something stays open: {said}")
        if "Traceback" in said:
            yield Problem(TORN, said)
        there = self._there()
        if refused and not self._act.runs_steps:
            for how in _differing(self._before, there):
                yield Problem(LOST, f"refused, but {how}: {said}")
            return
        if not refused:
            for how in _differing(_timeless(self._after), _timeless(there)):
                yield Problem(UNTRUE, f"success was reported, but {how}")
        yield from self._going_back(there)

    def _going_back(self, there: There) -> Iterator[Problem]:
        """Takes the act back, as a user would, and looks whether everything is there again."""
        if there.project != self._before.project:
            applied = self._room.sql("SELECT 1 FROM plans WHERE state = 'applied'")
            self._room.run(UNAPPLY if applied else APPLY)
            said = self._room.said
            now, wanted = _without_times(self._there().project), self._before.project
            if now != _without_times(wanted):
                how = "; ".join(differences(_without_times(wanted), now))
                yield Problem(LOST, f"the project does not come back: {how}: {said}")
        for plan, wanted in self._before.sandboxes.items():
            if self._there().sandboxes.get(plan) != wanted and not self._comes_back(plan, wanted):
                yield Problem(LOST, f"no checkpoint gives the files of {plan} back: {self._last}")

    def _comes_back(self, plan: str, wanted: Picture) -> bool:
        seqs = self._room.sql(
            f"SELECT seq FROM checkpoints WHERE plan_id = '{plan}'"
            f" ORDER BY abs(seq - {self._newest[plan]}) LIMIT {TRIED}"
        )
        self._last = "there is none"
        for (seq,) in seqs:
            self._room.run(f"plan rollback {plan} {seq} --rebuild --yes")
            self._last = self._room.said
            if self._there().sandboxes.get(plan) == wanted:
                return True
        return False

    def _prepare(self, line: str) -> None:
        if not line.startswith("in "):
            self._room.must(line)
            return
        place, _, command = line.removeprefix("in ").partition(": ")
        directory = self._room.project if place == "project" else self._room.sandbox
        story.shell(story.settled(command), directory)

    def _there(self) -> There:
        wanted = "WHERE parent_plan_id IS NULL" if self._act.runs_steps else ""
        sandboxes = self._room.sql(
            f"SELECT plan_id, path FROM sandboxes JOIN plans USING (plan_id) {wanted}"
        )
        return There(
            picture(self._room.project),
            {
                plan: picture(path, without=[b".git"])
                for plan, path in sandboxes
                if os.path.exists(path)
            },
        )

    @property
    def _packs(self) -> Path:
        (packs,) = self._room.data.glob("projects/*/store/packs")
        return packs


def damages(packs: Path, contents: set[bytes]) -> Iterator[Damage]:
    """Yields every damage: each object flipped, each pack cut short, cut in half or gone."""
    for pack in sorted(packs.glob("*.pack")):
        for identity, start, length in objects(pack.read_bytes()):
            kind = "content" if identity in contents else "record or directory"
            what, place = f"object {identity.hex()[:12]}", start + length // 2
            yield Damage(f"a bit of {kind}", pack.name, what, lambda path, at=place: flip(path, at))
        yield Damage("a cut pack", pack.name, "its end", lambda path: cut(path, 10))
        yield Damage("half a pack", pack.name, "its half", lambda path: cut(path, _half(path)))
        yield Damage("a lost pack", pack.name, "all of it", Path.unlink)


def objects(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yields id, place and length of the objects of a pack."""
    at = MAGIC_BYTES
    (end,) = struct.unpack_from("<Q", data, len(data) - FOOTER_BYTES)
    while at < end:
        identity, _, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        yield identity, at, length
        at += length


def flip(path: Path, at: int) -> None:
    """Turns one bit over."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def cut(path: Path, length: int) -> None:
    """Takes bytes from the end of a file."""
    os.truncate(path, path.stat().st_size - length)


def _half(path: Path) -> int:
    return path.stat().st_size // 2


def _contents(there: There) -> set[bytes]:
    """The ids of what can be seen: the hash of a file's bytes or of a link's text."""
    found: set[bytes] = set()
    for tree in (there.project, *there.sandboxes.values()):
        for seen in tree.values():
            if isinstance(seen.content, str):
                found.add(bytes.fromhex(seen.content))
            elif seen.content is not None:
                found.add(sha256(seen.content).digest())
    return found


def _differing(first: There, second: There) -> Iterator[str]:
    """Tells in words where two views differ."""
    for name in first.sandboxes.keys() | second.sandboxes.keys():
        olds, news = first.sandboxes.get(name, {}), second.sandboxes.get(name, {})
        if olds != news:
            yield f"the files of {name} differ: {'; '.join(differences(olds, news))}"
    if first.project != second.project:
        told = "; ".join(differences(first.project, second.project))
        yield f"the project differs: {told}"


def _timeless(there: There) -> There:
    """A view without times: an apply or a refresh gives what it writes a new one."""
    trees = {plan: _without_times(tree) for plan, tree in there.sandboxes.items()}
    return There(_without_times(there.project), trees)


def _without_times(tree: Picture) -> Picture:
    kept = {path: seen for path, seen in tree.items() if path.partition(b"/")[0] != b".git"}
    return {path: replace(seen, mtime=None, links=frozenset()) for path, seen in kept.items()}
