"""What git says against an undo in the user's directory: commits, another branch, a merge begun."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from cleveragents.counting import counted
from cleveragents.engine.bring.obstacles import Obstacle
from cleveragents.engine.chat.deed import Deed
from cleveragents.engine.chat.place import LivePlace
from cleveragents.quoting import quoted
from cleveragents.sandbox.commits import (
    CommittedChange,
    CommittedPath,
    blob_name,
    changed_in,
    committed,
)
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.git_state import GitState, Repository
from cleveragents.snapshots.tree.content import CHUNK, stream
from cleveragents.snapshots.tree.diff import Load, alike
from cleveragents.snapshots.tree.manifest import Change, Entry
from cleveragents.snapshots.tree.scan import shown

NAMED = 5  # commits in one hint
NAMED_PATHS = 2  # paths that are not ours to take back
ALONE = "take this out of the files alone, and commit that then: --anyway"
OVERRIDE = "or change the files all the same: --anyway"


def in_git(place: LivePlace, deeds: Iterable[Deed], paths: Collection[bytes]) -> Iterator[Obstacle]:
    """Lists what git says against taking back these paths of deeds."""
    repository = Repository.around(place.root)
    if repository is None:
        return
    now = repository.state()
    if now.operation:
        why = f"a {now.operation} is in progress"
        yield Obstacle(str(repository.top), why, f"end it first (git status); {OVERRIDE}")
    since = [(deed, noted) for deed in deeds if (noted := _noted(deed)) is not None]
    switched = [noted for _, noted in since if _is_switched(repository, noted, now)]
    if switched:
        yield _switch(repository, switched[0], now)
        return
    yield from _commits(place, repository, since, now, paths)


def _noted(deed: Deed) -> GitState | None:
    """Where the repository stood before."""
    row = deed.before
    return None if row is None else GitState.from_record(row.metadata.get("git"))


def _is_switched(repository: Repository, was: GitState, now: GitState) -> bool:
    """Whether another branch is checked out; one that was made where HEAD was is no other."""
    if (was.branch and was.branch == now.branch) or was.head == now.head:
        return False
    return repository.checkouts_since(was.head) is not False


def _switch(repository: Repository, was: GitState, now: GitState) -> Obstacle:
    told = f"the branch was switched from {_called(was)} to {_called(now)}"
    way = f"git switch {quoted(was.branch)}" if was.branch else f"git switch --detach {was.head}"
    return Obstacle(str(repository.top), told, f"go back first: {way}; {OVERRIDE}")


def _called(state: GitState) -> str:
    return state.branch or state.head[:12]


def _commits(
    place: LivePlace,
    repository: Repository,
    since: Sequence[tuple[Deed, GitState]],
    now: GitState,
    paths: Collection[bytes],
) -> Iterator[Obstacle]:
    """Paths that a commit brought to what an agent made of them."""
    known: dict[str, Mapping[bytes, list[CommittedPath]]] = {}
    found: dict[bytes, list[str]] = {}
    below = _below(place.root, repository.top)
    git = Git(repository.git_dir)
    for deed, was in since if paths else ():
        if was.head == now.head:
            continue
        if was.head not in known:
            known[was.head] = committed(git, was.head, now.head, [below + path for path in paths])
        for change in deed.changes:
            for one in known[was.head].get(below + change.path, ()):
                if change.path in paths and _is_result(change, one, deed.read):
                    found.setdefault(change.path, []).append(one.commit)
    done = _done(since, below) if found else {}
    others: dict[str, str] = {}
    for path, each in found.items():
        commits = list(dict.fromkeys(each))
        for one in commits:
            if one not in others:
                others[one] = _others(git, one, done)
        ids = [one[:12] for one in commits]
        mixed = next((one for one in commits if others[one]), None)
        way = (
            f"git revert {' '.join(ids[:NAMED])}; {OVERRIDE}"
            if mixed is None
            else f"no git revert: {mixed[:12]} {others[mixed]}; {ALONE}"
        )
        yield Obstacle(shown(path), f"it was committed since ({' '.join(ids)})", way)


def _done(
    deeds: Iterable[tuple[Deed, GitState]], below: bytes
) -> dict[bytes, list[tuple[Change, Load]]]:
    """What deeds made of each path, as the repository names it, in the order in which they came."""
    found: dict[bytes, list[tuple[Change, Load]]] = {}
    for deed, _ in deeds:
        for change in deed.changes:
            found.setdefault(below + change.path, []).append((change, deed.read))
    return found


def _others(git: Git, commit: str, done: Mapping[bytes, Sequence[tuple[Change, Load]]]) -> str:
    """What a revert of a commit would take besides what was done, in words; empty: nothing."""
    changes = changed_in(git, commit)
    if not changes:
        return "is a merge"
    others = [shown(one.path) for one in changes if not _is_all_of(one, done.get(one.path, ()))]
    more = f" and {len(others) - NAMED_PATHS} more" if len(others) > NAMED_PATHS else ""
    told = f"also holds {counted(len(others), 'path')} with what is not taken back here"
    return f"{told} ({', '.join(others[:NAMED_PATHS])}{more})" if others else ""


def _is_all_of(made: CommittedChange, done: Sequence[tuple[Change, Load]]) -> bool:
    """Whether changes that follow upon each other made exactly what a commit made of a path."""
    is_begun = False
    last: Entry | None = None
    for change, read in done:
        follows = is_begun and alike(last, change.before)
        is_begun = follows or _is(change.before, made.old_mode, made.old_blob, read)
        if is_begun and _is(change.after, made.mode, made.blob, read):
            return True
        last = change.after
    return False


def _is(entry: Entry | None, mode: str, blob: str, read: Load) -> bool:
    """Whether a path is what git has of it, as far as git keeps it."""
    bits = int(mode, 8)
    if entry is None or not bits:
        return entry is None and not bits
    if not entry.has_content or entry.kind != stat.S_IFMT(bits):
        return False
    return (not entry.is_file or _runs(entry.mode) is _runs(bits)) and blob in _blobs(
        entry, blob, read
    )


def _below(root: Path, top: Path) -> bytes:
    """What stands before every path of a directory as the repository around it has it."""
    return b"" if root == top else os.fsencode(root.relative_to(top)) + b"/"


def _is_result(change: Change, found: CommittedPath, read: Load) -> bool:
    """Whether a commit has made of a path what the change made of it."""
    before, entry, mode = change.before, change.after, int(found.mode, 8)
    if entry is None or not mode:
        return entry is None and not mode
    if not entry.has_content or entry.kind != stat.S_IFMT(mode):
        return False
    if before is not None and before.content == entry.content:
        return _runs(before.mode) is not _runs(entry.mode) and _runs(entry.mode) is _runs(mode)
    return found.blob in _blobs(entry, found.blob, read)


def _runs(mode: int) -> bool:
    """Whether it may be executed: all that git keeps of a mode."""
    return bool(mode & stat.S_IXUSR)


def _blobs(entry: Entry, like: str, read: Load) -> list[str]:
    """The names that git may have given to a content: as it is, or with its own ends of lines."""
    if entry.size > CHUNK:
        return [blob_name(entry.size, stream(entry, read), like)]
    data = b"".join(stream(entry, read))
    texts = (data, data.replace(b"\r\n", b"\n"))
    return [blob_name(len(text), [text], like) for text in texts]
