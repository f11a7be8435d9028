"""`agents forget`: every stored version of paths goes."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleveragents.cli import previewing
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Fields, Result
from cleveragents.counting import counted, size
from cleveragents.engine.care.erasure import ErasedPath, Erasure, ErasureRequest
from cleveragents.plans.plan import CHAT, PLAN
from cleveragents.quoting import quoted
from cleveragents.shapes.erasure import forgetting_of

if TYPE_CHECKING:
    from cleveragents.app import App

FOR_EVER = "this cannot be undone"
# By the kind of what stores it: which setting keeps a path out.
EXCLUDE = {PLAN: "sandbox.checkpoint.exclude", CHAT: "chat.exclude"}
LISTED = 5
IN_GIT = "commits that hold it: yours, and those that a plan made in its sandbox"
EVERYWHERE = "--everywhere forgets these as well"
NOT_SEARCHED = {
    PLAN: "what steps printed, and the texts of actions",
    CHAT: "prompts and commands that are kept of chats: agents chat delete",
}


def forget(
    call: Invocation,
    paths: Sequence[str],
    everywhere: bool = False,
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Remove every stored version of paths from all checkpoints; this cannot be undone."""
    app = call.app()
    wanted = ErasureRequest(tuple(paths), everywhere)
    act = app.undertakings.forget(wanted)
    more = () if everywhere else (EVERYWHERE,)
    if dry_run:
        would = previewing.dry_run(call, act).would
        messages = [f"{previewing.DRY_RUN}; {FOR_EVER}"]
        data = forgetting_of(would, None)
        show = _blocks("Would forget", would, more=more)
        return Result(data, show, messages=_nothing(would) or messages)
    digest = None
    if not yes:
        would = act.foresee()
        digest = would.digest
        if not would.is_nothing:
            show = _blocks("Would forget", would, more=more)
            question = f"Forget {_named(would.paths)} for ever?"
            previewing.asked(call, would, again=wanted.command, show=show, question=question)
    done = act.carry_out(digest)
    return Result(
        forgetting_of(done.erased, done.bytes_freed),
        _blocks("Forgotten", done.erased, done.bytes_freed),
        messages=_nothing(done.erased),
        next_steps=_next(app, done.erased),
    )


def _nothing(found: Erasure) -> list[str]:
    """Names those that were asked for and that nothing is stored of."""
    had = [one.path for one in found.paths]
    missing = [one for one in found.asked if not any(_is_at(path, one) for path in had)]
    return [f"nothing is stored of {', '.join(missing)}"] if missing else []


def _is_at(path: str, asked: str) -> bool:
    return path == asked or path.startswith(f"{asked.rstrip('/')}/")


def _named(paths: Sequence[ErasedPath]) -> str:
    return paths[0].path if len(paths) == 1 else counted(len(paths), "path")


def _blocks(
    title: str, found: Erasure, freed: int | None = None, more: Sequence[str] = ()
) -> list[Block]:
    """The paths that go and stay; `more` is told of the same bytes under other paths."""
    rows = [(one.path, _extent(one)) for one in found.paths]
    if freed:
        rows.append(("Freed", size(freed)))
    told: list[Block] = [Fields(title, rows)] if rows else []
    shared = [f"{one.path} ({counted(one.checkpoints, 'checkpoint')})" for one in found.shared]
    beside = [
        *_listed("Same bytes", shared),
        *(("", line) for line in more if shared),
        *_listed("Not touched", found.left),
        *([("In git", IN_GIT)] if found.in_git and found.paths else []),
        *(("Not searched", NOT_SEARCHED[kind]) for kind in _kinds(found) if found.paths),
    ]
    return [*told, *([Fields("Stays", beside)] if beside else [])]


def _extent(one: ErasedPath) -> str:
    versions = f"{counted(one.versions, 'version')} ({size(one.size_bytes)})"
    plans = f"{counted(len(one.plans), 'plan')} of {one.project}"
    return f"{versions} in {counted(one.checkpoints, 'checkpoint')} of {plans}"


def _listed(title: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    more = [f"and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return [(title if n == 0 else "", line) for n, line in enumerate([*lines[:LISTED], *more])]


def _next(app: "App", found: Erasure) -> list[str]:
    """How other paths with the same bytes are forgotten, and how it is kept out from now on."""
    same = " ".join(quoted(one.path) for one in found.shared[:LISTED])
    also = [f"agents forget {same}    # the same bytes"] if found.shared else []
    if not (found.left and found.paths):
        return also
    kinds = _kinds(found)
    if CHAT not in kinds and app.chats.protection.is_protected(app.project):
        kinds = [*kinds, CHAT]
    return [*also, *(_kept_out(app, EXCLUDE[kind], found) for kind in kinds)]


def _kinds(found: Erasure) -> list[str]:
    """Of what kinds those are that may store the paths."""
    there = {plan.kind for one in found.projects for plan in one.plans}
    return [kind for kind in (PLAN, CHAT) if kind in there]


def _kept_out(app: "App", key: str, found: Erasure) -> str:
    """The command that keeps paths out of checkpoints by a setting."""
    wanted = dict.fromkeys([*app.settings.texts(key), *(one.path for one in found.paths)])
    value = json.dumps(list(wanted)) if any("," in one for one in wanted) else ",".join(wanted)
    return f"agents config set {key} {quoted(value)}    # else later checkpoints store it again"
