"""The user's directory as chats see it: looked at and captured as it is, and changed by undo."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from cleveragents.ids import PlanId, ProjectId
from cleveragents.plans.plan import PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.capture import Capture
from cleveragents.snapshots.seen import LiveSnapshot
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.storage.database import Database
from cleveragents.storage.lock import Locks


@frozen
class LivePlace:
    """One protected directory."""

    project: Project
    project_id: ProjectId
    archive: Archive
    filter: Filter
    cache: Path  # where what is known of its files is kept for the next process

    @property
    def root(self) -> Path:
        """The directory itself."""
        return self.project.path

    def capture(self, *, full: bool = False) -> AbstractContextManager[Capture]:
        """Looks at it, to store what it holds; write the row inside the block."""
        return self.archive.capture_live(self.root, self.filter, self.cache, full=full)

    def look(self) -> LiveSnapshot:
        """Looks at all of it, and stores nothing."""
        return self.archive.live_now(self.root, self.filter, self.cache)


class LivePlaces:
    """Finds directories as places of chats."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        locks: Locks,
        data: Path,
        excluded: Sequence[str],
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._locks = locks
        self._data = data
        self._excluded = excluded

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
            Filter.of(self._excluded),
            self._data / "projects" / project_id / "live.stat",
        )
