"""The user's repository, where an agent has deleted it: no checkpoint ever holds one."""

from datetime import datetime
from pathlib import Path

from cleveragents.chats.attribution import Difference, Whose
from cleveragents.chats.moment import Moment
from cleveragents.chats.turns import CallName
from cleveragents.engine.chat.past import Past
from cleveragents.records import frozen
from cleveragents.sandbox.git_state import Repository

GIT = ".git"
NOT_KEPT = "commits, branches and stashes are not kept here, and not brought back"


@frozen
class Loss:
    """The calls in which a repository went."""

    calls: tuple[CallName, ...]
    at: datetime

    @property
    def told(self) -> str:
        """What happened, in words."""
        first = self.calls[0]
        return f"gone since t{first.turn}.{first.number}: {NOT_KEPT}"


def losses(past: Past) -> list[Loss]:
    """Where repositories went while agents were at work, the oldest first."""
    return [
        Loss(one.calls, one.after.at)
        for one in past.differences
        if one.whose is not Whose.USER and one.calls and _is_lost(past, one)
    ]


def still_lost(past: Past, root: Path) -> Loss | None:
    """The last of them, if there is still no repository."""
    found = losses(past) if Repository.around(root) is None else []
    return found[-1] if found else None


def _is_lost(past: Past, one: Difference) -> bool:
    return _noted(past, one.before) is True and _noted(past, one.after) is False


def _noted(past: Past, moment: Moment) -> bool | None:
    """Whether there was a repository; None: nobody knows any more."""
    row = past.checkpoints(moment.plan_id).get(moment.checkpoint_id or "")
    return None if row is None else "git" in row.metadata
