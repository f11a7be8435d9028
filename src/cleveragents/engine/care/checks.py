"""The table of checks: each is a pure function from facts to findings."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from cleveragents.checkpoints.line import broken
from cleveragents.confinement.confinement import HIDDEN, OPEN_TO_STEPS, WRITABLE, Survey
from cleveragents.confinement.landlock import LEAVES_OUT
from cleveragents.confinement.level import AUTO, Way
from cleveragents.counting import counted
from cleveragents.engine.care.contradictions import contradictions
from cleveragents.engine.care.facts import Facts, PlanFacts, ProjectFacts
from cleveragents.engine.care.findings import Finding, note, problem
from cleveragents.engine.hold.stuck import REPAIR, standing
from cleveragents.operations.operation import AnyOperation
from cleveragents.plans.lifecycle import APPLIED, RUNNING
from cleveragents.plans.plan import CHAT, PLAN
from cleveragents.quoting import quoted
from cleveragents.sandbox.project import is_gone
from cleveragents.sandbox.sandbox import READY, Sandbox
from cleveragents.snapshots.store.store import ORPHAN_GRACE_SECONDS

Check = Callable[[Facts], Iterator[Finding]]

SAFE_WAL = (3, 51, 3)
HOUR = 3600
LITTLE_SPACE = 256 << 20
LISTED = 20  # paths told of one checkpoint
# The first releases of git, by series, in which a cloned submodule cannot write where it likes.
GIT_FIXED = ((2, 43, 7), (2, 44, 4), (2, 45, 4), (2, 46, 4), (2, 47, 3), (2, 48, 2), (2, 49, 1))
GIT_FIXED_ALWAYS = (2, 50, 1)
TO_AUTO = f"agents config set sandbox.confinement {AUTO}"
BY_SETTING = f"confine them: {TO_AUTO}"
UNSET = "take it out, or set it anew: agents config unset "
GIT_ADVICE = "update git; distributions also mend it without changing the version"


def _database(facts: Facts) -> Iterator[Finding]:
    found = facts.system.database_problems
    if found:
        advice = f"move cleveragents.db away, then rebuild its rows from the store: {REPAIR}"
        yield problem("the database is damaged", advice, detail=found[:LISTED])


def _head(facts: Facts) -> Iterator[Finding]:
    if facts.system.is_behind:
        text = "the database is older than what is kept beside it: a copy, or made anew"
        yield problem(text, f"put the right one back, or use this one: {REPAIR}")


def _sqlite(facts: Facts) -> Iterator[Finding]:
    system = facts.system
    if _numbers(system.sqlite) >= SAFE_WAL:
        return
    if system.journal_mode == "wal":
        text = f"SQLite {system.sqlite} can damage a WAL database that several processes write to"
        yield problem(text, "update SQLite to 3.51.3 or later")
    else:
        text = f"SQLite {system.sqlite} is older than 3.51.3: WAL is not safe with it"
        yield note(f"{text}, so the journal is {system.journal_mode}")


def _git(facts: Facts) -> Iterator[Finding]:
    version = facts.system.git
    if version is None:
        needed = any(plan.sandbox and plan.sandbox.branch for plan in facts.plans)
        text = "git is not installed"
        yield problem(text, "install git") if needed else note(text, "plain folders need none")
    elif not _is_fixed(_numbers(version)):
        yield note(f"git {version} may have CVE-2025-48384 (cloned submodules)", GIT_ADVICE)


def _is_fixed(version: tuple[int, ...]) -> bool:
    return version >= GIT_FIXED_ALWAYS or any(
        version[:2] == fixed[:2] and version >= fixed for fixed in GIT_FIXED
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def _confinement(facts: Facts) -> Iterator[Finding]:
    found = facts.system.confinement
    if found.confined.way is None and found.is_tried:
        yield _unconfined(found)
    if found.untriable is not None:
        yield problem(found.untriable, "mend that: no step runs meanwhile")
    if found.confined.way is Way.LANDLOCK:
        stays = f"{', '.join(LEAVES_OUT)} stay in reach"
        yield note(f"steps are confined to {found.confined.told}: {stays}", found.advice)
    for text in found.unwritable:
        yield problem(f"{WRITABLE} names a place that steps cannot get: {text}", UNSET + WRITABLE)
    for text in found.unhidden:
        yield note(f"{HIDDEN} does not hide {text}", UNSET + HIDDEN)


def _unconfined(found: Survey) -> Finding:
    if not found.problem:
        return note(f"steps are not confined: {OPEN_TO_STEPS}", BY_SETTING)
    if found.wanted == AUTO:
        return note(f"steps are not confined ({found.problem}): {OPEN_TO_STEPS}", found.advice)
    text = f"no step can run: none can be confined to {found.wanted} here ({found.problem})"
    return problem(text, f"{found.advice}; or without it: {TO_AUTO}")


def _owner(facts: Facts) -> Iterator[Finding]:
    system = facts.system
    if system.owner != system.user:
        text = f"the data directory belongs to user {system.owner}, not to you ({system.user})"
        yield problem(text, "work as that user, or choose another one with --data-dir")


def _privacy(facts: Facts) -> Iterator[Finding]:
    if beside := facts.system.beside:
        text = "others may look into the data directory, which has other things than ours"
        advice = "what agents keeps there is closed to them; chmod 700 closes the rest"
        yield note(f"{text}: {', '.join(beside[:3])}", advice)


def _space(facts: Facts) -> Iterator[Finding]:
    free = facts.system.free_bytes
    if free < LITTLE_SPACE:
        yield problem(f"only {free >> 20} MiB are free for checkpoints", "free some space")


def _projects(facts: Facts) -> Iterator[Finding]:
    for project in facts.projects:
        if project.path is not None and project.plans and is_gone(project.path):
            yield _gone(project)


def _gone(project: ProjectFacts) -> Finding:
    plans = [one.plan.plan_id for one in project.plans if not one.plan.is_chat]
    chats = len(project.plans) - len(plans)
    told = [
        *([counted(len(plans), "plan is", "plans are")] if plans else []),
        *([counted(chats, "chat is", "chats are")] if chats else []),
    ]
    save = f"agents plan rollback {plans[-1]} CHECKPOINT --to DIR" if plans else ""
    return problem(
        f"the project {project.path} was moved or deleted; {' and '.join(told)} about it",
        f"there: agents project move{f'; or save what a plan has: {save}' if save else ''}",
    )


def _operations(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        for operation in plan.unfinished if not plan.is_owned else ():
            if plan.plan.is_chat and not operation.holds_files and not operation.is_stuck:
                continue  # space that waits to be freed, as it does between two events
            text = f"{_called(plan)}: its {operation.kind.noun} was interrupted"
            began = f"{text} at {operation.opened_at:%Y-%m-%d %H:%M:%SZ}"
            yield _stuck(plan, operation, began) if operation.is_stuck else problem(began, REPAIR)


def _forgetting(facts: Facts) -> Iterator[Finding]:
    for project in facts.projects:
        if project.is_erasing:
            text = f"forgetting paths of {project.path} was interrupted: content is still there"
            yield problem(text, REPAIR)


def _stuck(plan: PlanFacts, operation: AnyOperation, began: str) -> Finding:
    found = standing(operation, plan.rows)
    detail = (operation.reason, found.files, *([f"then: {found.way}"] if found.way else []))
    plan_id = plan.plan.plan_id
    return problem(f"{began} and cannot be finished", REPAIR, plan_id=plan_id, detail=detail)


def _locks(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        plan_id = plan.plan.plan_id
        if plan.is_stopped:
            text = f"{_called(plan)}: the process that owns it is stopped"
            advice = f"let it go on, or end it: agents plan execute {plan_id} --take-over"
            if plan.plan.is_chat:
                advice = "let it go on, or end it"
            yield problem(text, advice, plan_id=plan_id)
        elif plan.is_owned:
            yield note(f"{_called(plan)}: another process is at work", plan_id=plan_id)


def _interrupted(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        if plan.plan.stage == RUNNING and not plan.is_owned and not plan.plan.is_chat:
            plan_id = plan.plan.plan_id
            text = f"{_called(plan)}: its run was interrupted"
            yield problem(text, f"agents plan resume {plan_id}", plan_id=plan_id)


def _sandboxes(facts: Facts) -> Iterator[Finding]:
    strays = {path.name: path for path in facts.strays}
    for plan in facts.plans:
        sandbox = plan.sandbox
        plan_id = plan.plan.plan_id
        found = None if sandbox is None else strays.pop(sandbox.home.name, None)
        if sandbox is not None and found is not None:
            yield _elsewhere(plan, sandbox, found)
            continue
        if sandbox is None or sandbox.exists or sandbox.status != READY:
            continue
        if plan.plan.stage != APPLIED:
            advice = "it has no checkpoint; make the plan again: agents plan use or plan fork"
            if plan.rows:
                advice = f"agents plan rollback {plan_id} {plan.rows[-1].seq} --rebuild"
            text = f"{_called(plan)}: its sandbox is missing: {sandbox.path}"
            yield problem(text, advice, plan_id=plan_id)
    for path in strays.values():
        yield note(f"no plan knows the sandbox {path}", "look at it, then delete it by hand")
    for path, foreign in facts.left_behind.items():
        way = "agents sandbox prune" if foreign is None else f"sudo rm -r {quoted(str(path))}"
        yield note(f"an interrupted command left {path}", way)


def _elsewhere(plan: PlanFacts, sandbox: Sandbox, found: Path) -> Finding:
    """A plan of a data directory that was copied or moved: its sandbox is known by another path."""
    was, now = (quoted(str(path.parent.parent)) for path in (sandbox.home, found))
    text = f"{_called(plan)}: {found} was copied or moved from {sandbox.home}"
    back = f"agents doctor --data-dir {was}" if sandbox.exists else f"mv {now} {was}"
    return problem(text, back, plan_id=plan.plan.plan_id)


def _history(facts: Facts) -> Iterator[Finding]:
    for project in facts.projects:
        if project.mirror_problems:
            text = f"the git history that sandboxes of {project.path} borrow is damaged"
            yield problem(text, REPAIR, detail=project.mirror_problems[:LISTED])


def _content(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        plan_id = plan.plan.plan_id
        for found in plan.checkpoints:
            if not found.is_intact:
                text = f"{_called(plan)}: {found.checkpoint.name} cannot be restored as a whole"
                detail = (found.problem,) if found.problem else found.damaged[:LISTED]
                yield problem(text, REPAIR, plan_id=plan_id, detail=detail)
        if plan.base_damage:
            text = f"{_called(plan)}: what its sandbox started from is damaged"
            yield problem(text, REPAIR, plan_id=plan_id, detail=plan.base_damage[:LISTED])


def _lines(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        torn = broken({row.checkpoint_id: row.parent_id for row in plan.rows})
        names = ", ".join(row.name for row in plan.rows if row.checkpoint_id in torn)
        if names:
            text = f"{_called(plan)}: the line of its checkpoints is broken before {names}"
            yield problem(text, REPAIR, plan_id=plan.plan.plan_id)


def _contradicted(facts: Facts) -> Iterator[Finding]:
    for plan in facts.plans:
        found = tuple(contradictions(plan))
        if found:
            text = f"{_called(plan)}: its rows are not what was recorded; the database was changed"
            advice = "put back a copy of cleveragents.db from before, or change it back by hand"
            yield problem(text, advice, plan_id=plan.plan.plan_id, detail=found[:LISTED])


def _packs(facts: Facts) -> Iterator[Finding]:
    for project in facts.projects:
        for pack in project.store.packs:
            if pack.is_damaged:
                many = counted(pack.damaged, "damaged object")
                text = pack.problem or f"{many} in {pack.path.name}"
                advice = "" if project.missed else "nothing in it is missed; it does no harm"
                yield note(f"{text}: {pack.path}", advice)


def _lost_rows(facts: Facts) -> Iterator[Finding]:
    for project in facts.projects:
        for plan_id in dict.fromkeys(orphan.plan_id for orphan in project.orphans):
            plan = project.plan(plan_id)
            rows = project.without_row(plan_id)
            names = ", ".join(f"cp{orphan.seq}" for orphan in rows)
            if rows and plan is not None and not plan.is_owned:
                text = f"{_called(plan)}: {names} in the store without a row"
                yield problem(text, REPAIR, plan_id=plan_id)
            elif rows and plan is None and project.tells_of(plan_id):
                kind = CHAT if rows[-1].of_chat else PLAN
                text = f"the database does not know {kind} {plan_id}: {names} are in the store"
                yield problem(text, REPAIR, plan_id=plan_id)


def _orphans(facts: Facts) -> Iterator[Finding]:
    for project in facts.projects:
        wanted = {id(one) for plan in project.orphans for one in project.without_row(plan.plan_id)}
        rest = [orphan for orphan in project.orphans if id(orphan) not in wanted]
        if rest:
            size = sum(orphan.size_bytes for orphan in rest)
            age = _age(max(orphan.age_seconds for orphan in rest))
            kept = f"{counted(size, 'byte')}, up to {age} old"
            text = f"{counted(len(rest), 'snapshot')} that no row needs ({kept})"
            yield note(
                text, f"a prune frees them {_age(ORPHAN_GRACE_SECONDS)} after they were made"
            )


def _temporary(facts: Facts) -> Iterator[Finding]:
    paths = [path for project in facts.projects for path in project.store.temporary]
    paths += [path for plan in facts.plans for path in plan.leftovers]
    if paths:
        size = sum(path.lstat().st_size for path in paths)
        files = f"{counted(len(paths), 'unfinished file')} of killed processes"
        yield note(f"{files} ({counted(size, 'byte')})", REPAIR)


def _hooks(facts: Facts) -> Iterator[Finding]:
    for text in facts.unheard.told:
        yield problem(text, f"what was lost cannot be told; take note and clear it: {REPAIR}")


def _called(plan: PlanFacts) -> str:
    return f"{plan.plan.called} ({plan.plan.name})"


def _age(seconds: float) -> str:
    return f"{seconds / HOUR:.0f} h" if seconds >= HOUR else f"{max(seconds, 0) / 60:.0f} min"


CHECKS: Mapping[str, Check] = {
    "database": _database,
    "head": _head,
    "sqlite": _sqlite,
    "git": _git,
    "confinement": _confinement,
    "owner": _owner,
    "privacy": _privacy,
    "space": _space,
    "projects": _projects,
    "operations": _operations,
    "forgetting": _forgetting,
    "locks": _locks,
    "interrupted": _interrupted,
    "sandboxes": _sandboxes,
    "history": _history,
    "content": _content,
    "lines": _lines,
    "contradictions": _contradicted,
    "packs": _packs,
    "rows": _lost_rows,
    "orphans": _orphans,
    "temporary": _temporary,
    "hooks": _hooks,
}
