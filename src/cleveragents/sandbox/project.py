"""The project: the directory a plan is about, found once and known by its path."""

from collections.abc import Mapping
from pathlib import Path

from cleveragents.errors import InvalidInput, Refused
from cleveragents.ids import PlanId, ProjectId, new_id, now
from cleveragents.records import frozen
from cleveragents.storage.connection import Connection

_BY_PATH = "SELECT project_id FROM projects WHERE path = :path"
_ALL = "SELECT project_id, path FROM projects"
_OF_PLAN = "SELECT project_id FROM plans WHERE plan_id = :plan_id"
_PATH = "SELECT path FROM projects WHERE project_id = :project_id"


@frozen
class Project:
    """A directory of the user's."""

    path: Path

    @property
    def is_repository(self) -> bool:
        """Whether its files are under git with this very directory as the top."""
        return (self.path / ".git").exists()


def locate(directory: Path | None, current: Path, home: Path) -> Project:
    """Finds the project: exactly the directory given, or the git top level of the current one.

    The home directory and the root of the file system are refused: nobody means all of that.
    """
    if directory is not None and not (current / directory).is_dir():
        raise InvalidInput(f"no such directory: {directory}")
    start = (current / (directory or "")).resolve()
    found = start if directory is not None else _top_level(start)
    if found in (home.resolve(), Path(found.root)):
        what = "the root of the file system" if found == Path(found.root) else "your home directory"
        raise Refused(
            f"the project would be {found}, {what}",
            hints=["go to a folder of its own, or name one: --project DIR"],
        )
    return _checked(Project(found))


def _top_level(start: Path) -> Path:
    tops = (path for path in (start, *start.parents) if (path / ".git").exists())
    return next(tops, start)


def refuse_overlap(project: Project, data_dir: Path) -> None:
    """Refuses a data directory inside the project, and a project inside the data directory."""
    inner, outer = data_dir.resolve(), project.path
    if inner.is_relative_to(outer) or outer.is_relative_to(inner):
        raise Refused(
            f"the data directory {inner} and the project {outer} lie inside each other",
            hints=["choose another one with --data-dir, or work on a smaller --project"],
        )


def known(connection: Connection, project: Project) -> ProjectId | None:
    """Returns the id of the project, if it has one."""
    return connection.value(_BY_PATH, path=str(project.path))


def register(connection: Connection, project: Project) -> ProjectId:
    """Returns the id of the project, giving it one the first time."""
    project_id = known(connection, project)
    if project_id is None:
        project_id = ProjectId(new_id())
        path = str(project.path)
        connection.insert("projects", project_id=project_id, path=path, created_at=now())
    return project_id


def find(connection: Connection, project_id: ProjectId) -> Project:
    """Returns a registered project."""
    return Project(Path(connection.value(_PATH, project_id=project_id)))


def beside(
    connection: Connection, plan_id: PlanId
) -> tuple[ProjectId | None, Mapping[ProjectId, Path]]:
    """Returns the project of a plan, none yet for one that is being made, and where each lies."""
    own = connection.value(_OF_PLAN, plan_id=plan_id)
    places = {ProjectId(found): Path(path) for found, path in connection.tuples(_ALL)}
    return (None if own is None else ProjectId(own)), places


def is_gone(path: Path) -> bool:
    """Tells whether a project was moved or deleted: paths are kept with all links followed."""
    return not path.is_dir() or path.resolve() != path


def inode_of(project: Project) -> str:
    """Returns what tells the directory apart from another one of the same path."""
    return str(project.path.stat().st_ino)


def _checked(project: Project) -> Project:
    try:
        str(project.path).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("the project's path is not UTF-8, which is not supported") from error
    if all((project.path / name).exists() for name in ("HEAD", "objects", "refs")):
        raise Refused(
            f"{project.path} is a bare git repository, which has no files to work on",
            hints=["clone it and work in the clone"],
        )
    return project
