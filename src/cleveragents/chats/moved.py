"""A directory that was moved: what was recorded of it is kept under the path that it had."""

from pathlib import Path

from cleveragents.chats.chat import ChatRepository
from cleveragents.errors import NotFound, Refused
from cleveragents.plans.naming import NO_CHAT_YET, no_chat_yet
from cleveragents.sandbox.project import Project, inode_of, known
from cleveragents.storage.connection import Connection

FOLLOW = "this directory was {old}, let what was recorded follow: agents project move"


def moved_from(connection: Connection, project: Project) -> Path | None:
    """Returns where this very directory was when plans or chats were recorded of it, if it was."""
    # Late: only who finds nothing asks, and what knows sandboxes knows snapshots.
    from cleveragents.sandbox.sandbox import SandboxRepository  # noqa: PLC0415

    inode = inode_of(project)
    old = SandboxRepository(connection).gone_project(inode)
    old = old or ChatRepository(connection).gone_root(inode)
    return None if old is None else Path(old)


def no_chat(connection: Connection, project: Project, *, is_protected: bool) -> NotFound:
    """The error where no chat was recorded of a directory, or none since it is where it is."""
    old = moved_from(connection, project)
    if old is None:
        return no_chat_yet(is_protected=is_protected)
    return NotFound(NO_CHAT_YET, hints=[FOLLOW.format(old=old)])


def refuse_moved(connection: Connection, project: Project) -> None:
    """Refuses to begin anew with a directory of which something was recorded at another place."""
    project_id = known(connection, project)
    if project_id is not None and ChatRepository(connection).of_project(project_id):
        return
    old = moved_from(connection, project)
    if old is not None:
        raise Refused(
            f"this directory was {old}, where it was protected",
            hints=["let what was recorded follow: agents project move"],
        )
