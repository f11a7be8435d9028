"""Makes sandboxes and finds them again from stored facts alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock

from cleveragents.errors import Damaged, Failed, Interrupted
from cleveragents.ids import PlanId, ProjectId, SnapshotId, new_id
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.bystanders import Ground, end_those_of
from cleveragents.sandbox.filesystem_copy import FilesystemCopy
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.git_worktree import GitWorktree, alternates
from cleveragents.sandbox.mirror import Mirror, mirror_in
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.removal import remove_tree
from cleveragents.sandbox.rooms import abandoned, remove_abandoned
from cleveragents.sandbox.sandbox import (
    CREATING,
    REMOVED,
    About,
    FillResult,
    ProjectState,
    Sandbox,
    SandboxPolicy,
    SandboxRepository,
    Strategy,
)
from cleveragents.sandbox.snapshot_copy import fill_from_snapshot
from cleveragents.sandbox.survivors import end_left_behind, ran
from cleveragents.sandbox.throw_away import ThrowAway, throw_away
from cleveragents.sandbox.whereabouts import (
    make_git_directory,
    refuse_elsewhere,
    refuse_in_the_way,
    with_files,
)
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.seen import LiveSnapshot
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.long_work import Watch
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.snapshots.tree.tracking import Tracking
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held
from cleveragents.storage.lock import Locks
from cleveragents.storage.place import make_durably

REPOSITORY = "git_worktree"  # the strategy for repositories
REMOVING = ".removing"  # ends the name of a sandbox that is being removed
ALIASES: Mapping[str, str] = {"copy_on_write": "filesystem_copy"}


class Sandboxes:
    """The sandboxes of a data directory, and the archive of each project."""

    def __init__(
        self,
        database: Database,
        data_dir: Path,
        project_locks: Locks,
        policy: SandboxPolicy,
        tracking: Tracking,
        tell: Callable[[str], None],
        watch: Watch,
    ) -> None:
        self._database = database
        self._tracking = tracking
        self._tell = tell
        self._watch = watch
        self._data_dir = data_dir
        self._project_locks = project_locks
        self._policy = policy
        self._archives: dict[str, Archive] = {}
        self._opening = Lock()

    def archive(self, project_id: ProjectId) -> Archive:
        """The snapshots of a project."""
        with self._opening:
            if project_id not in self._archives:
                store = Store(self._data_dir / "projects" / project_id / "store")
                self._archives[project_id] = Archive(store, self._tracking, self._tell, self._watch)
            return self._archives[project_id]

    def close(self) -> None:
        """Gives back what archives hold of the system; who asks for one again opens it anew."""
        with self._opening:
            for archive in self._archives.values():
                archive.close()
            self._archives.clear()

    def find(self, plan_id: PlanId) -> Sandbox | None:
        """Returns a plan's sandbox if it was ever finished, even if its files are gone."""
        with self._database.reading() as connection:
            found = SandboxRepository(connection).of_plan(plan_id)
        return None if found is None or found.status == CREATING else found

    def is_reserved(self, plan_id: PlanId) -> bool:
        """Tells whether it is known what a plan's sandbox starts from, made or not."""
        with self._database.reading() as connection:
            return SandboxRepository(connection).of_plan(plan_id) is not None

    def is_removed(self, plan_id: PlanId) -> bool:
        """Tells whether the files of a plan's sandbox are in a checkpoint and nowhere else."""
        found = self.find(plan_id)
        return found is not None and found.status == REMOVED

    def is_there(self, plan_id: PlanId) -> bool:
        """Tells whether the files of a plan's sandbox are on the disk."""
        found = self.find(plan_id)
        return found is not None and found.exists

    def require(self, plan_id: PlanId) -> Sandbox:
        """Returns a plan's sandbox with its files; refuses if there is none."""
        return with_files(self.find(plan_id), plan_id)

    def refuse_elsewhere(self, plan_id: PlanId) -> None:
        """Refuses to change a plan whose sandbox is another data directory's."""
        found = self.find(plan_id)
        if found is not None:
            refuse_elsewhere(found, self._data_dir)

    def ready_to_change(self, plan_id: PlanId) -> None:
        """Sees to it that what is about to be changed are the files of the sandbox, all of them."""
        found = self.find(plan_id)
        if found is not None:
            refuse_in_the_way(found)
            make_git_directory(found)

    def move_aside(self, sandbox: Sandbox, what: str) -> None:
        """Takes what lies where a sandbox was out of the way of the next one; nothing goes."""
        aside = sandbox.home.with_name(f"{sandbox.home.name}.found-{new_id()}")
        sandbox.home.rename(aside)
        self._tell(f"{what} is kept: {aside}")

    def begin_anew(self, sandbox: Sandbox) -> None:
        """Removes what of a sandbox was made and is no state of it yet."""
        if sandbox.home.exists():
            remove_tree(sandbox.home, self._data_dir)

    def create(self, held: Held, project_id: ProjectId) -> tuple[Sandbox, FillResult]:
        """Makes the sandbox of a plan; one left half made by a crash is made anew.

        One that is given up leaves nothing.
        """
        plan_id = held.plan_id
        with self._database.writing(held) as connection:
            repository = SandboxRepository(connection)
            project = projects.find(connection, project_id)
            if repository.of_plan(plan_id) is None:
                sandbox_id = new_id()
                strategy = self._strategy_name(project)
                repository.add(sandbox_id, plan_id, strategy, self._place(sandbox_id))
            sandbox = repository.get(plan_id)
            about = repository.about(sandbox, project)
        with self._project_locks.reading(project_id, "making a sandbox of it"):
            try:
                filled = self._fill(sandbox, project, project_id, about)
            except Interrupted:
                self.begin_anew(sandbox)
                raise
        with self._database.writing(held) as connection:
            inode = projects.inode_of(project)
            SandboxRepository(connection).ready(sandbox.sandbox_id, filled, inode)
        return self.require(plan_id), filled

    def capture_project(self, sandbox: Sandbox, project_id: ProjectId) -> ProjectState:
        """Takes a snapshot of the project as it is now, with all that the sandbox knows of."""
        with self._database.reading() as connection:
            project = projects.find(connection, project_id)
        archive = self.archive(project_id)
        known = archive.lookup(archive.load(sandbox.base))
        strategy = self._strategies(project_id)[sandbox.strategy]
        with self._project_locks.reading(project_id, "looking at it"):
            return strategy.capture(project, archive, self._policy, known.__contains__)

    def see_project(
        self, sandbox: Sandbox, project_id: ProjectId, beside: LiveSnapshot
    ) -> LiveSnapshot:
        """Looks at the project in the same way; takes no lock and stores nothing."""
        with self._database.reading() as connection:
            project = projects.find(connection, project_id)
        archive = self.archive(project_id)
        known = archive.lookup(archive.load(sandbox.base))
        strategy = self._strategies(project_id)[sandbox.strategy]
        left_out = strategy.left_out(project, self._policy, known.__contains__)
        return archive.see_once(project.path, left_out, beside)

    def remove(self, held: Held) -> None:
        """Removes the files of a sandbox; what of them is wanted later must be stored already.

        They go out of the way by one rename first, so that no half of them is taken for all.
        """
        with self._database.writing(held) as connection:
            repository = SandboxRepository(connection)
            sandbox = repository.get(held.plan_id)
            repository.set_status(held.plan_id, REMOVED)
        self.remove_files(sandbox)

    def remove_files(self, sandbox: Sandbox) -> None:
        """Removes the files of a sandbox that no row tells to be there any more."""
        for archive in self._archives.values():
            archive.release(sandbox.roots)
        if sandbox.home.exists():
            doomed = sandbox.home.with_name(f"{sandbox.home.name}{REMOVING}")
            if doomed.exists():  # a removal was cut off, then the sandbox was rebuilt
                remove_tree(doomed, self._data_dir)
            sandbox.home.rename(doomed)
            remove_tree(doomed, self._data_dir)

    def remove_directory(self, path: Path) -> None:
        """Removes a directory of a plan that is gone, if there is one."""
        if path.exists():
            remove_tree(path, self._data_dir)

    def mend_history(self, plan_id: PlanId, project_id: ProjectId) -> Sequence[str]:
        """Makes history again that the plan's git borrows, if that is damaged; tells of it."""
        if not borrows(self.require(plan_id)):
            return ()
        return self._mirror(project_id).mend(self._users(project_id))

    def history_problems(
        self, project_id: ProjectId, sandboxes: Iterable[Sandbox]
    ) -> tuple[str, ...]:
        """Tells what is wrong with the history that these sandboxes of a project borrow."""
        if not any(map(borrows, sandboxes)):
            return ()
        return self._mirror(project_id).problems()

    def make_history_again(self, project_id: ProjectId) -> Sequence[str]:
        """Makes the history that sandboxes borrow again, if any of it is damaged; tells of it."""
        return self._mirror(project_id).mend_deeply(self._users(project_id))

    def end_left_behind(self, plan_id: PlanId, mark: str, noted: Path) -> Sequence[str]:
        """Ends what a step of a dead run left running; returns who else works in its sandbox."""
        end_left_behind(mark, noted)
        sandbox = self.find(plan_id)
        if sandbox is None:
            return ()
        ground = Ground(sandbox.home, self._data_dir, self._data_dir / "sandboxes")
        return end_those_of(ran(mark, noted), ground)

    def wait_for_purging(self) -> None:
        """Returns when nothing of a sandbox is being removed in the background any more."""
        for archive in list(self._archives.values()):
            archive.wait_for_purging()

    def capture(self, plan_id: PlanId, project_id: ProjectId, filter_: Filter) -> SnapshotId:
        """Stores the files of a plan's sandbox as they are; returns the snapshot id."""
        sandbox = self.require(plan_id)
        with self.archive(project_id).capture(sandbox.roots, filter_, full=True) as capture:
            return capture.commit({"kind": "state", "plan_id": plan_id})

    def reserve(
        self, connection: Connection, plan_id: PlanId, like: PlanId | None, base_ref: SnapshotId
    ) -> None:
        """Records the sandbox of a plan that starts from a state of another; `create` makes it.

        It is of the same kind; the state of a chat, which has none, holds files and no repository.
        """
        repository, sandbox_id = SandboxRepository(connection), new_id()
        strategy = "filesystem_copy" if like is None else repository.get(like).strategy
        repository.add(sandbox_id, plan_id, strategy, self._place(sandbox_id), base_ref=base_ref)

    def throw_away(self, project_id: ProjectId) -> AbstractContextManager[ThrowAway]:
        """Makes a directory to try states in; it goes when it is left."""
        return throw_away(self._data_dir / "sandboxes", self.archive(project_id))

    def left_behind(self) -> list[Path]:
        """Returns what interrupted removals and killed processes have left."""
        place = self._data_dir / "sandboxes"
        return sorted([*place.glob(f"*{REMOVING}"), *abandoned(place)])

    def remove_left_behind(self, path: Path) -> None:
        """Removes what was left, and ends what still runs in it."""
        remove_abandoned(path)

    def add_left_out(
        self, sandbox: Sandbox, state: Snapshot, archive: Archive, base: SnapshotId
    ) -> None:
        """Adds what the project had at the paths that a state leaves out.

        Without it the plan would seem to have deleted what nobody has captured.
        """
        if not state.filter.patterns:
            return
        try:
            archive.add_left_out(state, archive.load(base), sandbox.path, sandbox.staging)
        except Damaged as error:
            self._tell(f"what checkpoints leave out is not all there: {error.message}")

    def set_status(self, held: Held, status: str) -> None:
        """Notes whether the files of a plan's sandbox are there."""
        with self._database.writing(held) as connection:
            SandboxRepository(connection).set_status(held.plan_id, status)

    def _place(self, sandbox_id: str) -> Path:
        return self._data_dir / "sandboxes" / sandbox_id / "tree"

    def _fill(
        self, sandbox: Sandbox, project: Project, project_id: ProjectId, about: About
    ) -> FillResult:
        self.begin_anew(sandbox)
        make_durably(sandbox.path)
        archive = self.archive(project_id)
        if sandbox.base_ref is not None:
            if sandbox.strategy == REPOSITORY:
                self._mirror(project_id).mend(self._users(project_id))
            filled = fill_from_snapshot(sandbox, sandbox.base_ref, archive, project.path)
            state = archive.load(sandbox.base_ref)
            self.add_left_out(sandbox, state, archive, sandbox.base)
            return filled
        if not project.path.is_dir():
            raise Failed(f"the project is gone: {project.path}", hints=["put it back where it was"])
        strategy = self._strategies(project_id)[sandbox.strategy]
        return strategy.fill(project, sandbox, archive, self._policy, about)

    def _strategies(self, project_id: ProjectId) -> Mapping[str, Strategy]:
        mirror = self._mirror(project_id)
        return {REPOSITORY: GitWorktree(mirror), "filesystem_copy": FilesystemCopy()}

    def _mirror(self, project_id: ProjectId) -> Mirror:
        def stood_on() -> set[str]:
            with self._database.reading() as connection:
                return SandboxRepository(connection).heads(project_id)

        return Mirror(mirror_in(self._data_dir / "projects" / project_id), stood_on)

    def _users(self, project_id: ProjectId) -> Git | None:
        """The user's repository, if it is still there."""
        with self._database.reading() as connection:
            project = projects.find(connection, project_id)
        return Git(project.path / ".git", project.path) if project.is_repository else None

    def _strategy_name(self, project: Project) -> str:
        wanted = ALIASES.get(self._policy.strategy, self._policy.strategy)
        if wanted != "auto":
            return wanted
        return REPOSITORY if project.is_repository else "filesystem_copy"


def borrows(sandbox: Sandbox) -> bool:
    """Tells whether the git of a sandbox has its history from the mirror."""
    return alternates(sandbox.git_dir).exists()
