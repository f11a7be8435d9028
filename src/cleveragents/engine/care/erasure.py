"""The preview of forgetting paths: found in all that is live, and in what a crash left."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from pathlib import Path

from cleveragents.checkpoints.needs import live
from cleveragents.checkpoints.shown import digest_of
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.care import references
from cleveragents.errors import Damaged, NotFound
from cleveragents.ids import PlanId, ProjectId, SnapshotId
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.quoting import quoted
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.capture import named
from cleveragents.snapshots.erasing import Eraser, Users
from cleveragents.snapshots.picking import inside
from cleveragents.snapshots.tree import content, tree_path
from cleveragents.snapshots.tree.scan import shown
from cleveragents.storage.database import Database

_PROJECTS = "SELECT project_id, path FROM projects ORDER BY project_id"


@frozen
class ErasureRequest:
    """The paths that somebody wants to be forgotten."""

    paths: tuple[str, ...]  # as they were typed
    everywhere: bool = False  # also the same bytes under other paths, in all projects

    @property
    def command(self) -> str:
        """The command that forgets this."""
        option = ["--everywhere"] if self.everywhere else []
        return " ".join(["agents forget", *map(quoted, self.paths), *option])


@frozen
class ErasedPath:
    """A path of a project that goes, with every version of it."""

    project: Path
    path: str
    versions: int
    size_bytes: int  # of all versions
    checkpoints: int
    plans: tuple[str, ...]  # their names


@frozen
class SharedContent:
    """The same bytes under another path, which stay."""

    path: str
    checkpoints: int


@frozen
class ErasureInProject:
    """The part of one project that goes."""

    project_id: ProjectId
    project: Project
    plans: tuple[Plan, ...]
    live: frozenset[SnapshotId]  # all that something needs
    erased: Mapping[SnapshotId, Sequence[bytes]]  # which paths go from each of them
    doomed: frozenset[SnapshotId]  # what a crash left with one of them

    @property
    def paths(self) -> list[bytes]:
        """All that goes from any of them."""
        return sorted(set(chain.from_iterable(self.erased.values())))


@frozen
class Erasure:
    """The preview of forgetting paths."""

    asked: tuple[str, ...]  # as they are in checkpoints
    paths: tuple[ErasedPath, ...]
    shared: tuple[SharedContent, ...]
    left: tuple[str, ...]  # files that are not touched
    in_git: bool  # whether the project is a repository, which may have it as well
    projects: tuple[ErasureInProject, ...]

    @property
    def is_nothing(self) -> bool:
        """Whether nothing that something needs has one of the paths."""
        return not self.paths

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        found = [
            (one.project_id, sorted((ref, *paths) for ref, paths in one.erased.items()))
            for one in self.projects
        ]
        return digest_of((), found, sorted(one.path for one in self.shared))


@frozen
class _Store:
    """The archive of one project, and what of it counts."""

    project_id: ProjectId
    project: Project
    plans: tuple[Plan, ...]
    eraser: Eraser
    live: frozenset[SnapshotId]
    strangers: frozenset[SnapshotId]  # stored, and no row tells of them
    rows: Mapping[SnapshotId, Sequence[PlanId]]  # the plans of the checkpoints that need each


class ErasureSearch:
    """Finds paths in what is stored; changes nothing."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        pruning: Prunes,
        project: Project,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._pruning = pruning
        self._project = project

    def project_id(self) -> ProjectId:
        """Returns the id of the project; refuses one that nothing is stored of."""
        with self._database.reading() as connection:
            found = projects.known(connection, self._project)
        if found is None:
            raise NotFound(
                f"nothing is stored of {self._project.path}: no plan was made for it",
                hints=["name another project: --project DIR"],
            )
        return found

    def look(self, wanted: ErasureRequest, seen_from: Path) -> Erasure:
        """Tells what would go."""
        project_id, everywhere = self.project_id(), wanted.everywhere
        own = self._store(project_id, self._project)
        with self._sandboxes.archive(project_id).reading_once():
            asked = _outermost(self._meant(own, seen_from, text) for text in wanted.paths)
            whole = _contents(own, _having(own, asked))
        stores = [own, *(self._others(project_id) if everywhere else ())]
        found = [self._in_project(one, asked, whole, everywhere=everywhere) for one in stores]
        shared = _shared(own, found[0], whole)
        touched = [one for one in found if one is found[0] or one.erased or one.doomed]
        return Erasure(
            tuple(map(shown, asked)),
            tuple(
                told for one, store in zip(found, stores, strict=True) for told in _told(store, one)
            ),
            shared,
            tuple(path for one in touched for path in self._left(one, asked)),
            own.project.is_repository,
            tuple(touched),
        )

    def _others(self, project_id: ProjectId) -> Iterator[_Store]:
        with self._database.reading() as connection:
            rows = connection.tuples(_PROJECTS)
        for other, path in rows:
            if other != project_id:
                yield self._store(other, Project(Path(path)))

    def _store(self, project_id: ProjectId, project: Project) -> _Store:
        with self._database.reading() as connection:
            plans = tuple(PlanRepository(connection).of_any_kind(project_id))
            needed = frozenset(live(connection, project_id))
            known = needed | self._pruning.forgotten(connection, project_id)
            rows: dict[SnapshotId, list[PlanId]] = {}
            for row in references.checkpoints(connection, project_id):
                rows.setdefault(row.sandbox_ref, []).append(row.plan_id)
        eraser = self._sandboxes.archive(project_id).eraser
        strangers = frozenset(eraser.without_row(known))
        return _Store(project_id, project, plans, eraser, needed, strangers, rows)

    def _meant(self, own: _Store, seen_from: Path, text: str) -> bytes:
        """Returns a path as it is in checkpoints: seen from a directory, else from the top."""
        candidates = [inside(one) for one in self._spellings(seen_from, text)]
        held = set(chain.from_iterable(own.eraser.holding(own.live, candidates).values()))
        return next((one for one in candidates if one in held), candidates[0])

    def _spellings(self, seen_from: Path, text: str) -> Iterator[str]:
        full = os.path.normpath(os.path.join(os.path.realpath(seen_from), text))
        top = str(self._project.path)
        if full == top or full.startswith(f"{top}/"):
            yield os.path.relpath(full, top)
            if os.path.isabs(text):
                return
        yield text

    def _in_project(
        self, store: _Store, asked: Sequence[bytes], whole: AbstractSet[bytes], *, everywhere: bool
    ) -> ErasureInProject:
        mine = store.project.path == self._project.path
        paths = asked if mine else ()
        users = store.eraser.users(whole)
        with self._sandboxes.archive(store.project_id).reading_once():
            erased = {
                ref: list(held) for ref, held in store.eraser.holding(store.live, paths).items()
            }
            for ref in store.live if everywhere else ():
                same = _same_bytes(store, users, ref, whole)
                both = _outermost([*erased.get(ref, ()), *same])
                erased |= {ref: both} if both else {}
            doomed = {
                ref
                for ref in store.strangers
                if _may_have(store, users, ref, paths, everywhere=everywhere)
            }
        return ErasureInProject(
            store.project_id, store.project, store.plans, store.live, erased, frozenset(doomed)
        )

    def _left(self, found: ErasureInProject, asked: Sequence[bytes]) -> Iterator[str]:
        """Names the files that are there under a path that goes, or was asked for."""
        paths = found.paths or asked
        for place in (found.project.path, *self._trees(found.plans)):
            for path in paths:
                there = os.path.join(os.fsencode(place), path)
                if os.path.lexists(there):
                    yield os.fsdecode(there)

    def _trees(self, plans: Iterable[Plan]) -> Iterator[Path]:
        """The files of sandboxes, and what lies beside those that were removed."""
        for plan in plans:
            sandbox = self._sandboxes.find(plan.plan_id)
            if sandbox is not None:
                yield sandbox.path
                beside = sandbox.home.parent.glob(f"{sandbox.home.name}.*")
                yield from (home / sandbox.path.name for home in sorted(beside))


def _outermost(paths: Iterable[bytes]) -> list[bytes]:
    """Leaves out what lies in another one of them."""
    found = set(paths)
    return sorted(path for path in found if found.isdisjoint(tree_path.above(path)))


def _having(own: _Store, asked: Sequence[bytes]) -> Mapping[SnapshotId, Sequence[bytes]]:
    """Tells which snapshots have the paths, those that a crash left included."""
    found = dict(own.eraser.holding(own.live, asked))
    for ref in own.strangers:
        try:
            found |= own.eraser.holding([ref], asked)
        except Damaged:
            continue  # nobody can say what it holds, and it goes
    return found


def _contents(own: _Store, having: Mapping[SnapshotId, Sequence[bytes]]) -> set[bytes]:
    """Returns every object that versions of the paths consist of; all empty files are alike."""
    return {
        identity
        for ref, paths in having.items()
        for path in paths
        for entry in own.eraser.files(ref, path)
        if entry.size or not entry.is_file
        for identity in content.objects(entry, own.eraser.read)
    }


def _same_bytes(
    store: _Store, users: Users, ref: SnapshotId, whole: AbstractSet[bytes]
) -> list[bytes]:
    """Returns the paths of a snapshot that have one of the contents as a whole."""
    found = users.of(store.eraser.load(ref))
    return [path for root, path, identity in found if root == MAIN and identity in whole]


def _may_have(
    store: _Store, users: Users, ref: SnapshotId, paths: Sequence[bytes], *, everywhere: bool
) -> bool:
    """Whether a snapshot that no row tells of has to go; one that cannot be read has."""
    try:
        if store.eraser.holding([ref], paths):
            return True
        return everywhere and any(users.of(store.eraser.load(ref)))
    except Damaged:
        return True


def _shared(
    own: _Store, found: ErasureInProject, whole: AbstractSet[bytes]
) -> tuple[SharedContent, ...]:
    """Names the other paths of a project that keep bytes of what goes."""
    users = own.eraser.users(whole)
    counts: dict[str, int] = {}
    for ref in own.live:
        gone = set(found.erased.get(ref, ()))
        for root, path, _ in users.of(own.eraser.load(ref)):
            if root != MAIN or gone.isdisjoint(tree_path.and_above(path)):
                name = named(root, path)
                counts[name] = counts.get(name, 0) + len(own.rows.get(ref, ()))
    return tuple(SharedContent(path, count) for path, count in sorted(counts.items()))


def _told(store: _Store, found: ErasureInProject) -> Iterator[ErasedPath]:
    names = {plan.plan_id: plan.name for plan in store.plans}
    for path in found.paths:
        having = [ref for ref, paths in found.erased.items() if path in paths]
        entries = [entry for ref in having for entry in store.eraser.files(ref, path)]
        sizes = {entry.content: entry.size for entry in entries}
        plans = [plan for ref in having for plan in store.rows.get(ref, ())]
        yield ErasedPath(
            store.project.path,
            shown(path),
            len(sizes),
            sum(sizes.values()),
            len(plans),
            tuple(names[plan] for plan in dict.fromkeys(plans)),
        )
