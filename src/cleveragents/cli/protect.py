"""`agents protect`: hooks in the settings of coding agents, and whether they work."""

import sys
from collections.abc import Sequence
from difflib import unified_diff
from typing import TYPE_CHECKING

from cleveragents.cli.invocation import Invocation, confirm
from cleveragents.cli.render import Block, Fields, Grid, Patch, Result, Text, show_blocks
from cleveragents.clients.client import HookLevel
from cleveragents.clients.installation import Proposal
from cleveragents.clients.settings_file import FileChange
from cleveragents.counting import counted, size
from cleveragents.errors import InvalidInput, Refused
from cleveragents.hooks import asking
from cleveragents.sandbox.project import Project
from cleveragents.shapes.protection import check_of, fate_of, protection_of
from cleveragents.storage.unheard import unheard

if TYPE_CHECKING:
    from cleveragents.app import App
    from cleveragents.engine.chat.coverage import Coverage, LeftOut
    from cleveragents.engine.chat.probe import ProbedClient

REFUSED = 4  # the exit code if one of several files was refused
DRY_RUN = "dry run: nothing was changed"
PRIVATE = "what is recorded lies in clear in the data directory, which is yours alone"
COMMITTED = "{file} is usually committed: others who use {title} would have these hooks"
NEVER_COVERED = ".git, .hg, .jj, .svn: commits, branches and stashes are never brought back"
BY_HAND = "to add it by hand, put this into {file}:"
CONTEXT = 1  # lines around a change
WHOLE = "the whole text: --dry-run --verbose"


def protect(
    call: Invocation,
    clients: Sequence[str] = (),
    user: bool = False,
    in_project: bool = False,
    check: bool = False,
    dry_run: bool = False,
    yes: bool = False,
) -> Result:
    """Let coding agents here tell what they do, so that it can be taken back."""
    refuse_elsewhere(sys.platform)
    if user and in_project:
        raise InvalidInput("--user and --project exclude each other")
    app = call.app(progress=not check)
    if check:
        app.chats.reads.refuse_moved(app.chats.project)
        return _checked(call, app, clients)
    level = HookLevel.PROJECT if in_project else HookLevel.USER
    root = _root(call, app)
    app.chats.reads.refuse_moved(root)
    app.chats.protection.refuse_network(root)
    installation = app.chats.installation_at(root)
    proposals = installation.proposed(installation.clients(clients), level)
    covered = app.chats.coverage_of(root)
    if not dry_run:
        again = _line(clients, user=user, in_project=in_project)
        _agree(call, _about(call, root, covered), proposals, covered, again, yes=yes)
        app.chats.launcher.install()
        is_other = app.chats.protection.is_replaced(root)
        app.chats.protection.add(root)
        for one in proposals:
            if one.change is not None:
                installation.carry_out(one.change)
        app.chats.look_first(root, anew=is_other)
    data = protection_of(root.path, call.place, proposals, covered, dry_run=dry_run)
    refused = [one for one in proposals if one.refused]
    in_clear = [PRIVATE] if dry_run or yes else []  # else it was said before it was asked
    return Result(
        data,
        [
            *([_about(call, root, covered)] if in_clear else []),
            *(_changes(proposals, whole=call.verbose) if dry_run else []),
            *_by_hand(refused),
            *left_out(covered.left_out),
        ],
        footer="" if dry_run or refused else f"{root.path} is protected",
        status="warn" if refused else "ok",
        exit_code=REFUSED if refused else 0,
        messages=[
            *([DRY_RUN] if dry_run else []),
            *([] if dry_run or not refused else [_partly(root, proposals)]),
            *in_clear,
            *_remarks(proposals),
            *refusals(proposals),
        ],
        next_steps=[] if dry_run else ["agents protect --check    # proves that hooks work"],
    )


def refuse_elsewhere(platform: str) -> None:
    """Refuses where what hooks need is not there."""
    if platform != "linux":
        raise Refused("agents protect works on Linux alone")


def _root(call: Invocation, app: "App") -> Project:
    """The git top level or the directory named; else one above that is protected already."""
    if app.project.is_repository or call.project is not None:
        return app.project
    return app.chats.project


def _line(clients: Sequence[str], *, user: bool, in_project: bool) -> str:
    """The command line that asks for it again."""
    flags = {"--user": user, "--project": in_project}
    return " ".join(["agents protect", *clients, *(name for name, given in flags.items() if given)])


def _about(call: Invocation, root: Project, covered: "Coverage") -> Fields:
    """The directory, and how much of it will be stored where."""
    much = f"{counted(covered.files, 'file')}, {size(covered.bytes)}"
    where = [
        ("Directory", str(root.path)),
        ("Covered", f"{much}; a copy of them is kept in the data directory"),
        ("Never covered", NEVER_COVERED),
        ("Data directory", str(call.place)),
    ]
    return Fields("Protect", where)


def _agree(
    call: Invocation,
    about: Fields,
    proposals: Sequence[Proposal],
    covered: "Coverage",
    again: str,
    *,
    yes: bool,
) -> None:
    """Shows what would be changed and stored, and asks."""
    if yes:
        return
    lacks = left_out(covered.left_out)
    blocks = [about, *lacks, *_changes(proposals, whole=call.verbose), Text([PRIVATE])]
    show_blocks(blocks, call.form, sys.stderr)
    changed = [one for one in proposals if one.change and not one.change.is_nothing]
    files = f" and change {counted(len(changed), 'file')}" if changed else ""
    confirm(f"Protect this directory{files}?", yes=False, command_line=again)


def _changes(proposals: Sequence[Proposal], *, whole: bool) -> list[Block]:
    """The files, and what would change in each: of new ones in short, unless all is wanted."""
    changed = [(one, one.change) for one in proposals if one.change and not one.change.is_nothing]
    return [files(proposals), *(_change(one, change, whole=whole) for one, change in changed)]


def _change(one: Proposal, change: FileChange, *, whole: bool) -> Block:
    added = _added(one) if change.before is None and not whole else None
    return added or _patch(one, change)


def _added(one: Proposal) -> Fields | None:
    """What a new file has: the same command for each event; None: it is no list of commands."""
    commands = one.file.additions()
    if not commands:
        return None
    event = next(iter(commands))
    told = f"one command to {counted(len(commands), 'event')}: {', '.join(commands)}"
    command = f"{commands[event].removesuffix(event)}EVENT"
    return Fields(str(one.file.path), [("adds", told), ("command", command), ("", WHOLE)])


def _patch(one: Proposal, change: FileChange) -> Patch:
    """The lines that would change in a file."""
    name = str(one.file.path)
    before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
    return Patch(list(unified_diff(before, after, name, name, lineterm="", n=CONTEXT)))


def _remarks(proposals: Sequence[Proposal]) -> list[str]:
    """What users must do or know, client by client."""
    told: list[str] = []
    for one in proposals:
        client, level = one.file.client, one.file.level
        if one.refused:
            continue
        if level == HookLevel.PROJECT and client.is_committed:
            told.append(COMMITTED.format(file=one.file.path, title=client.title))
        needs = [*one.file.disabled(), *one.file.remarks(), client.needs(level)]
        told += [f"{client.title}: {need}" for need in needs if need]
    return told


def _partly(root: Project, proposals: Sequence[Proposal]) -> str:
    """What came of it where settings were refused."""
    titles = [one.file.client.title for one in proposals if not one.refused]
    hooks = f"with hooks of {', '.join(titles)} alone" if titles else "and no agent has hooks"
    return f"{root.path} is registered, {hooks}"


def left_out(lacks: "Sequence[LeftOut]") -> list[Block]:
    """What checkpoints do not cover, if anything."""
    rows = [[one.path, str(one.files), size(one.bytes), one.why] for one in lacks]
    return [Grid("Left out", ["Path", "Files", "Size", "Why"], rows)] if rows else []


def refusals(proposals: Sequence[Proposal]) -> list[str]:
    """The files that stay as they are, and why."""
    return [f"{one.file.client.title}: {one.refused}" for one in proposals if one.refused]


def files(proposals: Sequence[Proposal]) -> Grid:
    """The files, and what becomes of each."""
    rows = [[one.file.client.title, str(one.file.path), fate_of(one)] for one in proposals]
    return Grid("Settings", ["Client", "File", "Change"], rows)


def _by_hand(refused: Sequence[Proposal]) -> list[Block]:
    """What can be added by hand where we could not."""
    return [Text([BY_HAND.format(file=one.file.path), *one.file.by_hand()]) for one in refused]


def _checked(call: Invocation, app: "App", names: Sequence[str]) -> Result:
    rows = app.chats.probe.of(app.chats.installation.clients(names))
    keeper = (asking.status(call.place) or {}).get("pid")
    lacks = app.chats.coverage_of(app.chats.project).left_out
    data = check_of(app.chats.project.path, call.place, rows, keeper, lacks)
    is_good = all(one.works for one in rows)
    needs = [f"{one.client.title}: {need}" for one in rows for need in one.needs]
    needs += [f"{text}: agents doctor --repair clears this" for text in unheard(call.place).told]
    columns = ["Client", "Version", "Level", "Command", "Recorded", "Works", "Last event"]
    return Result(
        data,
        [Grid("Hooks", columns, [_row(one) for one in rows]), *left_out(lacks)],
        status="ok" if is_good else "warn",
        exit_code=0 if is_good else 1,
        messages=list(dict.fromkeys(needs)),
    )


def _row(one: "ProbedClient") -> list[str]:
    last = "never" if one.last_event_at is None else one.last_event_at.isoformat(" ", "seconds")
    found = (one.command_ok, one.row_seen, one.works)
    told = ["ok" if is_good else "no" for is_good in found]
    return [one.client.title, one.version or "-", one.level or "-", *told, last]
