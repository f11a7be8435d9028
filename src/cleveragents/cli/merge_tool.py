"""The user's merge tool, as git knows it: it works on copies, and what it made may be taken."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from cleveragents.app import App
from cleveragents.config.environment import caller_environment
from cleveragents.engine.bring.versions import ConflictView, Version
from cleveragents.errors import Failed, InvalidInput, Refused
from cleveragents.ids import PlanId
from cleveragents.plans.conflict import BASE, MINE, PLAN
from cleveragents.quoting import quoted
from cleveragents.sandbox.git import marked_text
from cleveragents.storage.scratch import scratch_directory

GITS = """
TOOL_MODE=merge
. "$(git --exec-path)/git-mergetool--lib"
"""
# What git runs for `git mergetool`; whether a file has changed is seen here, not by its time.
SCRIPT = f"""{GITS}
check_unchanged () {{ :; }}
setup_tool "$1" || exit
run_merge_tool "$1" "$2"
"""
UNKNOWN, MISSING = 3, 4  # how a look at a tool ends
LOOK = f"""{GITS}
setup_tool "$1" || exit {UNKNOWN}
(get_merge_tool_path "$1") || exit {MISSING}
"""
IN_TERMINAL = ("vimdiff", "nvimdiff", "emerge")  # of those that git knows by itself
TOOLS, CONFIGURE = "git mergetool --tool-help", "git config --global merge.tool NAME"
NAMES = {BASE: "BASE", MINE: "LOCAL", PLAN: "REMOTE"}  # as git calls them
MARK = b"<<<<<<< "
STANDARD_ERROR = 2  # standard output is for the result


@contextmanager
def merged_by(tool: str, app: App, plan_id: PlanId, path: str) -> Generator[Path]:
    """Lets a tool merge the versions of a conflict; what it made is there within the block."""
    view = app.conflicts.view(plan_id, path)
    directory, name = app.project.path, tool or _configured(app.project.path)
    _refuse_unusable(name, directory)
    with scratch_directory() as folder:
        files = _written(view, Path(folder), plan_id)
        merged = Path(files["MERGED"])
        before = merged.read_bytes()
        is_merged = view.versions[BASE] is not None
        _run(name, directory, files, has_base=is_merged)
        _refuse_unmerged(name, merged, before)
        yield merged


def _configured(directory: Path) -> str:
    """The tool that git's settings name there."""
    name = _setting("merge.tool", directory)
    if not name:
        raise InvalidInput(
            "git's settings name no merge.tool",
            hints=["name one here: --tool=NAME", f"or there: {CONFIGURE}"],
        )
    return name


def _setting(key: str, directory: Path) -> str:
    """A setting of git's there; empty if there is none."""
    return _asked(["git", "config", "--get", key], directory).stdout.strip()


def _asked(words: list[str], directory: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        words,
        cwd=directory,
        env=caller_environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def _refuse_unusable(name: str, directory: Path) -> None:
    """Refuses a tool that git does not know, that is not there, or that nobody could see."""
    found = _asked(["sh", "-c", LOOK, "sh", name], directory).returncode
    if found == UNKNOWN:
        raise InvalidInput(
            f"git knows no merge tool {name!r}",
            hints=[
                f"see those it knows: {TOOLS}",
                f"make one of them yours: {CONFIGURE}",
                f"or say what {name} runs: git config --global mergetool.{name}.cmd COMMAND",
            ],
        )
    if found == MISSING:
        raise InvalidInput(
            f"the merge tool {name!r} is not installed",
            hints=[f"see those that are: {TOOLS}", f"make one of them yours: {CONFIGURE}"],
        )
    if _is_in_terminal(name, directory) and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(
            f"the merge tool {name!r} needs a terminal, and there is none",
            hints=["take a version instead: --take mine|plan|FILE"],
        )


def _is_in_terminal(name: str, directory: Path) -> bool:
    """Whether a tool draws on the terminal; what a command of the user's own does is not known."""
    is_known = name.rstrip("0123456789") in IN_TERMINAL
    return is_known and not _setting(f"mergetool.{name}.cmd", directory)


def _written(view: ConflictView, folder: Path, plan_id: PlanId) -> dict[str, str]:
    """Writes every version, and what can be merged of them, under names like the file's own."""
    path = os.fsdecode(view.conflict.path)
    stem, suffix = os.path.splitext(os.path.basename(path))
    if not view.is_mergeable:
        take = f"agents plan resolve {plan_id} {quoted(path)} --take"
        raise Refused(
            "a merge tool needs a file of at most 4 MiB on both sides",
            hints=[f"take one of them: {take} {MINE}", f"or the other: {take} {PLAN}"],
        )
    whole = [_content(view.versions[side]) for side in NAMES]
    versions = {name: folder / f"{stem}_{name}{suffix}" for name in (*NAMES.values(), "BACKUP")}
    for name, text in zip(NAMES.values(), whole, strict=True):
        versions[name].write_bytes(text)
    merged = folder / f"{stem}{suffix}"
    merged.write_bytes(_begun(*whole))
    return {"MERGED": str(merged), **{name: str(file) for name, file in versions.items()}}


def _content(version: Version | None) -> bytes:
    """What a version holds; without a base both sides came from nothing."""
    return b"" if version is None or version.content is None else version.content


def _begun(base: bytes, mine: bytes, plan: bytes) -> bytes:
    """What a tool begins with: a text with marks; of what is none, the user's own."""
    if any(b"\0" in text for text in (base, mine, plan)):
        return mine
    return marked_text(base, mine, plan, [MINE, BASE, PLAN])


def _run(name: str, directory: Path, files: dict[str, str], *, has_base: bool) -> None:
    words = ["sh", "-c", SCRIPT, "sh", name, "true" if has_base else "false"]
    sys.stderr.flush()
    done = subprocess.run(
        words,
        cwd=directory,
        env={**caller_environment(), **files},
        stdout=STANDARD_ERROR,
        check=False,
    )
    if done.returncode != 0:
        raise Failed(
            f"merge tool {name} ended with exit code {done.returncode}; nothing was changed"
        )


def _refuse_unmerged(name: str, merged: Path, before: bytes) -> None:
    made = merged.read_bytes() if merged.is_file() else None
    if made in (None, before):
        raise Refused(f"merge tool {name} left the file as it was; nothing was changed")
    if any(line.startswith(MARK) for line in made.splitlines()):
        raise Refused(f"merge tool {name} left marks of conflicts in the file; nothing was changed")
