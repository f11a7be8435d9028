"""A project that was moved: its plans follow it to its new place."""

from collections.abc import Callable
from pathlib import Path

from cleveragents.chats.chat import ChatRepository
from cleveragents.chats.moved import moved_from
from cleveragents.checkpoints.shown import digest_of, refuse_other
from cleveragents.errors import Busy, NotFound, Refused
from cleveragents.ids import ProjectId
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.connection import Connection
from cleveragents.storage.database import Database
from cleveragents.storage.lock import Locks

_FOLLOW = """UPDATE plans SET action_path = :new || substr(action_path, length(:old) + 1)
    WHERE project_id = :project_id AND substr(action_path, 1, length(:old) + 1) = :old || '/'"""
_RECOGNISE = """UPDATE sandboxes SET project_inode = :inode WHERE project_inode IS NOT NULL
    AND plan_id IN (SELECT plan_id FROM plans WHERE project_id = :project_id)"""
_TAKE_CHATS = """UPDATE chats SET root = :new
    WHERE plan_id IN (SELECT plan_id FROM plans WHERE project_id = :project_id)"""
# Chats of a directory that was replaced before stay that directory's.
_RECOGNISE_CHATS = "UPDATE chats SET root_inode = :inode WHERE root_inode = :was AND root = :new"
_EMPTY = "DELETE FROM projects WHERE path = :path"


@frozen
class Relocation:
    """A project that is to be known at another place."""

    project_id: ProjectId
    old: Path
    new: Path
    plans: tuple[Plan, ...]

    @property
    def digest(self) -> str:
        """Tells two of them apart."""
        return digest_of((), str(self.old), str(self.new), [one.plan_id for one in self.plans])


class Relocations:
    """Lets plans follow a project that was moved."""

    def __init__(
        self,
        database: Database,
        locks: Locks,
        is_owned: Callable[[str], bool],
        begin: Callable[[], None],
    ) -> None:
        self._database = database
        self._locks = locks  # of projects
        self._is_owned = is_owned
        self._begin = begin  # is called before anything is changed

    def propose(self, project: Project, was: Path | None) -> Relocation:
        """Tells which plans would follow; refuses where they have a place."""
        with self._database.reading() as connection:
            old = was or _recognised(connection, project)
            project_id = projects.known(connection, Project(old))
            if project_id is None or old == project.path:
                raise NotFound(f"no plan was made for {old} at another place than this")
            _refuse_both(connection, project, old)
            plans = PlanRepository(connection).of_any_kind(project_id)
        return Relocation(project_id, old, project.path, tuple(plans))

    def move(
        self, project: Project, was: Path | None, *, shown_digest: str | None = None
    ) -> Relocation:
        """Makes a project known at its new place, with all its plans."""
        found = self.propose(project, was)
        with self._locks.own(found.project_id, "moving the project"):
            found = self.propose(project, was)
            refuse_other(shown_digest, found.digest, "agents project move --dry-run")
            self._refuse_running(found)
            self._begin()
            with self._database.registering() as connection:
                _follow(connection, found, projects.inode_of(project))
        return found

    def _refuse_running(self, found: Relocation) -> None:
        for plan in found.plans:
            if self._is_owned(plan.plan_id):
                raise Busy(
                    f"another process works on the plan {plan.name}",
                    hints=[f"stop it first: agents plan cancel {plan.plan_id}"],
                )


def _recognised(connection: Connection, project: Project) -> Path:
    """Where this very directory was when plans were made for it."""
    old = moved_from(connection, project)
    if old is None:
        raise NotFound(
            "no plan was made for this directory at another place",
            hints=["if it was copied from another disk, say from where: --from DIR"],
        )
    return old


def _refuse_both(connection: Connection, project: Project, old: Path) -> None:
    """Refuses where either place has a project: nobody can tell whose the plans are."""
    if not projects.is_gone(old):
        raise Refused(
            f"{old} is still there, and its plans are for that",
            hints=["a copy gets plans of its own; else move or remove the other one first"],
        )
    own = projects.known(connection, project)
    if own is not None and PlanRepository(connection).of_any_kind(own):
        raise Refused(
            f"{project.path} has plans of its own",
            hints=["see them: agents plan list", "delete them first: agents plan delete PLAN"],
        )


def _follow(connection: Connection, found: Relocation, inode: str) -> None:
    old, new = str(found.old), str(found.new)
    connection.execute(_EMPTY, path=new)
    connection.update("projects", {"project_id": found.project_id}, path=new)
    connection.execute(_FOLLOW, project_id=found.project_id, old=old, new=new)
    connection.execute(_RECOGNISE, project_id=found.project_id, inode=inode)
    connection.execute(_TAKE_CHATS, project_id=found.project_id, new=new)
    chats = ChatRepository(connection).of_project(found.project_id)
    if chats and all(chat.root_inode != inode for chat in chats):
        was = chats[-1].root_inode
        connection.execute(_RECOGNISE_CHATS, new=new, was=was, inode=inode)
