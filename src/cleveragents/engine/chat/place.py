"""The user's directory as chats see it: looked at and captured as it is, and changed by undo."""

from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from cleveragents.engine.chat.coverage import Coverage, CoveragePolicy, KeptCoverage
from cleveragents.ids import PlanId, ProjectId
from cleveragents.plans.plan import PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.seen import LiveSnapshot
from cleveragents.snapshots.tree.live_scan import Bounds, TooMuchNew
from cleveragents.storage.database import Database
from cleveragents.storage.lock import Locks
from cleveragents.storage.space import free_bytes


@frozen
class LivePlace:
    """One protected directory."""

    project: Project
    project_id: ProjectId
    archive: Archive
    policy: CoveragePolicy
    cache: Path  # where what is known of its files is kept for the next process

    @property
    def root(self) -> Path:
        """The directory itself."""
        return self.project.path

    @contextmanager
    def capture(self, *, full: bool = False) -> Generator[Capture]:
        """Looks at it, to store what it holds; write the row inside the block.

        Where more has come than one look takes in, it is decided anew what is left out.
        """
        with ExitStack() as stack:
            try:
                capture = stack.enter_context(
                    self._captured(self.covered(), self.policy.bounds, full=full)
                )
            except TooMuchNew:
                anew, bounds = self._coverage.anew(self._room), self.policy.bounds.of_a_file
                capture = stack.enter_context(self._captured(anew, bounds, full=full))
            yield capture

    def look_first(self, *, anew: bool = False) -> None:
        """Stores what it holds before any chat needs it, unless that was done.

        No row names that snapshot: it goes after a day, unless a chat has made it its own by then.
        """
        if anew or not self.cache.exists():
            with self.capture(full=True) as capture:
                capture.commit({"kind": "look"})

    def look(self) -> LiveSnapshot:
        """Looks at all of it, and stores nothing."""
        try:
            return self._seen(self.foreseen(), self.policy.bounds)
        except TooMuchNew:
            anew = Coverage.of(self.root, self.policy, self._room)
            return self._seen(anew, self.policy.bounds.of_a_file)

    def covered(self) -> Coverage:
        """How much of it is covered; decided at the first look, and kept."""
        return self._coverage.now(self._room)

    def foreseen(self) -> Coverage:
        """The same, where nothing may be kept."""
        return self._coverage.known() or Coverage.of(self.root, self.policy, self._room)

    def _captured(
        self, covered: Coverage, bounds: Bounds, *, full: bool
    ) -> AbstractContextManager[Capture]:
        return self.archive.capture_live(
            self.root, covered.filter, self.cache, full=full, bounds=bounds
        )

    def _seen(self, covered: Coverage, bounds: Bounds) -> LiveSnapshot:
        return self.archive.live_now(self.root, covered.filter, self.cache, bounds=bounds)

    @property
    def _coverage(self) -> KeptCoverage:
        return KeptCoverage(self.root, self.cache.with_suffix(".coverage"), self.policy)

    @property
    def _room(self) -> int:
        return _room_in(self.cache)


class LivePlaces:
    """Finds directories as places of chats."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        locks: Locks,
        data: Path,
        policy: CoveragePolicy,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._locks = locks
        self._data = data
        self._policy = policy

    def of(self, project: Project) -> LivePlace:
        """Returns the place that a directory is, giving it an id the first time."""
        found = self.known(project)
        if found is not None:
            return found
        with self._database.registering() as connection:
            return self._made(project, projects.register(connection, project))

    def known(self, project: Project) -> LivePlace | None:
        """Returns the place if anything was ever recorded of it."""
        with self._database.reading() as connection:
            found = projects.known(connection, project)
        return None if found is None else self._made(project, found)

    def foreseen(self, project: Project) -> Coverage:
        """Tells how much of a directory is covered, or would be; nothing of that is kept."""
        place = self.known(project)
        if place is not None:
            return place.foreseen()
        return Coverage.of(project.path, self._policy, _room_in(self._data))

    def of_chat(self, plan_id: PlanId) -> LivePlace:
        """Returns the place of a chat."""
        with self._database.reading() as connection:
            project_id = PlanRepository(connection).get(plan_id).project_id
            return self._made(projects.find(connection, project_id), project_id)

    def owned(
        self, place: LivePlace, doing: str, patience: float = 0.0
    ) -> AbstractContextManager[bool]:
        """While inside, nobody else of ours looks at the directory or changes it.

        Who has no more patience than this is refused.
        """
        return self._locks.own(place.project_id, doing, patience)

    def _made(self, project: Project, project_id: ProjectId) -> LivePlace:
        return LivePlace(
            project,
            project_id,
            self._sandboxes.archive(project_id),
            self._policy,
            self._data / "projects" / project_id / "live.stat",
        )


def _room_in(path: Path) -> int:
    """How many bytes checkpoints may take: half of what is free where they are kept."""
    there = next(one for one in (path, *path.parents) if one.exists())
    return free_bytes(there) // 2
