"""Whether the files of a sandbox are where they should be, and what to do if they are not."""

from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.ids import PlanId
from cleveragents.quoting import quoted
from cleveragents.sandbox.sandbox import CREATING, REMOVED, Sandbox


def with_files(found: Sandbox | None, plan_id: PlanId) -> Sandbox:
    """Returns a sandbox that was finished and is still on the disk; refuses any other."""
    if found is None or found.status == CREATING:
        raise Refused(
            "the plan has no sandbox yet", hints=[f"run it first: agents plan execute {plan_id}"]
        )
    if found.exists:
        return found
    refuse_in_the_way(found)
    if found.has_files and found.status != REMOVED:
        raise Refused(
            f"the git directory of the sandbox is gone: {found.git_dir}",
            hints=[f"save what is there: agents plan checkpoint create {plan_id}"],
        )
    raise Refused(
        f"the sandbox is missing: {found.path}",
        hints=[
            f"rebuild it: agents plan rollback {plan_id} CHECKPOINT --rebuild",
            "or, if it has no checkpoint, make the plan again: agents plan use or plan fork",
        ],
    )


def refuse_in_the_way(sandbox: Sandbox) -> None:
    """Refuses what is no directory of ours: nothing is ever written through a link."""
    path = sandbox.in_the_way
    if path is None:
        return
    place = quoted(str(path))
    hints = [f"move it away: mv {place} {quoted(f'{path}.aside')}"]
    if path.is_dir():
        there = quoted(str(path.resolve()))
        hints.insert(0, f"put back what it leads to: rm {place} && mv {there} {place}")
    rebuild = f"agents plan rollback {sandbox.plan_id} CHECKPOINT --rebuild"
    kind = "a link" if path.is_symlink() else "a file"
    raise Refused(
        f"{kind} stands where the sandbox was: {path}",
        hints=[*hints, f"then rebuild it: {rebuild}"],
    )


def refuse_elsewhere(sandbox: Sandbox, data_dir: Path) -> None:
    """Refuses the sandbox of another data directory: whoever works there would lose it."""
    ours, there = data_dir / "sandboxes", sandbox.home.parent
    if there == ours or (there.exists() and ours.exists() and ours.samefile(there)):
        return
    was, now = quoted(str(there.parent)), quoted(str(data_dir))
    use = f"use that one: agents plan status {sandbox.plan_id} --data-dir {was}"
    raise Refused(
        f"the sandbox of this plan lies in another data directory: {sandbox.path}",
        detail=[f"{data_dir} was copied or moved from there; nothing was changed"],
        hints=[use if there.exists() else f"move it back: mv {now} {was}"],
    )


def make_git_directory(sandbox: Sandbox) -> None:
    """Puts an empty git directory in the place of one that is gone beside its files."""
    if not sandbox.has_directories and sandbox.has_files:
        sandbox.git_dir.mkdir(mode=0o700)
