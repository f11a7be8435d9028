"""`agents unprotect`: takes our hooks out of the settings of coding agents."""

from collections.abc import Sequence
from pathlib import Path

from cleveragents.cli.invocation import Invocation
from cleveragents.cli.protect import REFUSED, files, refusals
from cleveragents.cli.render import Result
from cleveragents.clients import launcher
from cleveragents.clients.client import CLIENTS, HookLevel
from cleveragents.counting import counted
from cleveragents.errors import InvalidInput
from cleveragents.hooks import asking
from cleveragents.shapes.protection import unprotection_of

LEFT = "what was recorded is left; to be rid of it as well, delete {data}"
LOST = "{file} is gone; if it was moved, our hooks are still in it: agents unprotect there"
KEPT = "what was recorded is left, and the list of these files: keep {data} until they are found"


def unprotect(call: Invocation, clients: Sequence[str] = (), everything: bool = False) -> Result:
    """Take our hooks out of the settings of coding agents."""
    if clients and everything:
        raise InvalidInput("name clients, or say --all")
    app = call.app()
    installation, protection = app.chats.installation, app.chats.protection
    levels = list(HookLevel)
    freed = ""
    if everything:
        protection.clear()
    elif not clients:
        was_there = protection.remove(app.chats.project)
        freed = f"{app.chats.project.path} {'is no longer' if was_there else 'was not'} protected"
        levels = [HookLevel.PROJECT] if protection.roots() else levels
    chosen = installation.clients(clients) if clients else list(CLIENTS.values())
    proposals = installation.without(chosen, *levels)
    for one in proposals:
        if one.change is not None:
            installation.carry_out(one.change)
    problems = refusals(proposals)
    lost = installation.lost() if everything else []
    if everything:
        launcher.remove(call.place)
        asking.stop(call.place)
    roots = [one.path for one in protection.roots()]
    return Result(
        unprotection_of(call.place, proposals, roots),
        [files(proposals)] if proposals else [],
        footer=_told(freed, len(proposals) - len(problems), roots),
        status="warn" if problems or lost else "ok",
        exit_code=REFUSED if problems else 0,
        messages=[
            *problems,
            *(LOST.format(file=one) for one in lost),
            *([(KEPT if lost else LEFT).format(data=call.place)] if everything else []),
        ],
    )


def _told(freed: str, changed: int, roots: Sequence[Path]) -> str:
    """What became of a directory, if of one, and of hooks; and which others they stay for."""
    taken = f"hooks taken out of {counted(changed, 'file')}" if changed else "no hooks were there"
    if not roots:
        return "; ".join(filter(None, (freed, taken)))
    if not freed:
        left = counted(len(roots), "directory is", "directories are")
        return f"{taken}; {left} still protected"
    others = counted(len(roots), "other directory", "other directories")
    stay = f"those of yours stay for {others}" if changed else f"the hooks stay for {others}"
    return "; ".join((freed, taken, stay) if changed else (freed, stay))
