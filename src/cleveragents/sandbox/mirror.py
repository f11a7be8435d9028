"""The mirror: a bare repository of ours with the history that the sandboxes of a project borrow.

It is made beside and renamed into place, looked at before it is used, and made again from what is
left of it and the user's repository when it is damaged. Sandboxes name it by its path alone, so a
new one is theirs as soon as it is there; git in a running step keeps what it has opened.
"""

import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from cleveragents.errors import Failed
from cleveragents.ids import new_id
from cleveragents.sandbox import git
from cleveragents.sandbox.git import Git
from cleveragents.sandbox.removal import remove_tree
from cleveragents.storage.durability import sync_directory, sync_file_system
from cleveragents.storage.lock import FileLock

IMPORTED = "refs/imported"  # each ref in it is called as the commit it holds
BORROWED = "the git history that sandboxes borrow"
BEING_MADE, REPLACED = ".new", ".old"  # end the names of what lies beside
_HEAD = re.compile(r"ref: refs/\S+\n|[0-9a-f]{40,64}\n")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DIGEST_BYTES = {"sha1": 20, "sha256": 32}

Commits = Callable[[], Iterable[str]]


def mirror_in(home: Path) -> Path:
    """Where it is, in what is kept of a project."""
    return home / "mirror.git"


class Mirror:
    """The mirror of one project."""

    def __init__(self, path: Path, stood_on: Commits) -> None:
        self._path = path
        self._stood_on = stood_on  # the user's commits that sandboxes of the project stand on

    @property
    def objects(self) -> Path:
        """The directory that sandboxes borrow from."""
        return self._path / "objects"

    @property
    def shallow(self) -> Path:
        """Where its history is cut off, if it is."""
        return self._path / "shallow"

    def bring(self, users: Git, head: str) -> None:
        """Brings it up to the user's commit; objects are streamed, never shared."""
        with self._lock():
            if self._flaw() is None:
                _refuse_other_format(self._path, users)
                self._remove_beside()
                try:
                    _take(users, head, Git(self._path))
                except Failed:
                    if not self._damage():
                        raise
                else:
                    return
            if head in self._make(users, [head]):
                _take(users, head, Git(self._path))  # tells why it could not be had

    def mend(self, users: Git | None) -> Sequence[str]:
        """Makes it again if a short look finds it damaged; returns what there is to tell."""
        if self._flaw() is None:
            return ()
        with self._lock():
            flaw = self._flaw()  # whoever was at work there has ended
            return () if flaw is None else self._mended(users, flaw)

    def mend_deeply(self, users: Git | None) -> Sequence[str]:
        """The same after a look at every object."""
        with self._lock():
            found = self._problems()
            return self._mended(users, found[0]) if found else ()

    def problems(self) -> tuple[str, ...]:
        """Reads all of it; tells what is wrong."""
        if not self._problems():
            return ()
        with self._lock(shared=True):  # what was half written is finished then
            return self._problems()

    def _lock(self, *, shared: bool = False) -> FileLock:
        path = self._path.with_suffix(".lock")
        return FileLock(path, doing="reading the history", shared=shared, wait=True)

    def _problems(self) -> tuple[str, ...]:
        flaw = self._flaw()
        return (flaw,) if flaw is not None else self._damage()

    def _flaw(self) -> str | None:
        """Tells what a look at names and ends of files finds wrong; runs no git."""
        try:
            return next(_flaws(self._path), None)
        except (OSError, ValueError) as error:
            return f"{self._path} cannot be read: {error}"

    def _damage(self) -> tuple[str, ...]:
        """Tells what git finds wrong when it reads every object."""
        try:
            Git(self._path).run("fsck", "--full", "--no-dangling", "--no-progress")
        except Failed as error:
            return error.detail or (error.message,)
        return ()

    def _mended(self, users: Git | None, flaw: str) -> Sequence[str]:
        try:
            lost = self._make(users, [])
        except Failed as error:
            return [f"{BORROWED} is damaged ({flaw}), and was not made again: {error.message}"]
        told = f"{BORROWED} was damaged ({flaw}), and was made again"
        return [told, *(f"commit {commit} of it is lost" for commit in lost)]

    def _make(self, users: Git | None, heads: Sequence[str]) -> Sequence[str]:
        """Makes it beside, with all that is left of the old one, and puts it in its place.

        Returns the commits that it had, or was to have, and has not. Whatever a crash leaves of
        this is found by the next one: nothing old goes before the new one is in place.
        """
        wrecks = [path for path in (self._path, *self._beside(REPLACED)) if os.path.lexists(path)]
        remove_all(self._beside(BEING_MADE))
        made = _create(self._new_name(BEING_MADE), users, wrecks)
        broken = [pack for wreck in wrecks for pack in _packs(wreck) if not _copied(pack, made)]
        wanted = dict.fromkeys([*heads, *(name for wreck in wrecks for name in _names(wreck))])
        lost = _lacking(users, [*wanted, *self._stood_on()], made)
        if lost:  # the user's repository has it no more: what of it can be read is in the old one
            _salvage(wrecks, broken, made)
            lost = _lacking(users, lost, made)
        sync_file_system(made.git_dir)
        if os.path.lexists(self._path):
            self._path.rename(self._new_name(REPLACED))
        made.git_dir.rename(self._path)
        sync_directory(self._path.parent)
        self._remove_beside()
        return [commit for commit in lost if commit in wanted]

    def _remove_beside(self) -> None:
        remove_all([*self._beside(REPLACED), *self._beside(BEING_MADE)])

    def _beside(self, end: str) -> list[Path]:
        return sorted(self._path.parent.glob(f"{self._path.name}.*{end}"))

    def _new_name(self, end: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{new_id()}{end}")


def remove_all(paths: Iterable[Path]) -> None:
    """Removes directories of ours, and whatever somebody has put in their place."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            remove_tree(path, path.parent)
        else:
            path.unlink()


def _flaws(mirror: Path) -> Iterator[str]:
    if not mirror.is_dir():
        yield f"{mirror} is {'no directory' if os.path.lexists(mirror) else 'missing'}"
    if not _HEAD.fullmatch((mirror / "HEAD").read_text()):
        yield f"{mirror / 'HEAD'} names nothing"
    if "[core]" not in (mirror / "config").read_text():
        yield f"{mirror / 'config'} is empty"
    for lock in (*mirror.glob("*.lock"), *mirror.glob("refs/**/*.lock")):
        yield f"a git that was killed has left {lock}"
    for ref in (mirror / IMPORTED).iterdir():
        if ref.read_text() != f"{ref.name}\n":
            yield f"{ref} does not hold what it says"
    for pack in (mirror / "objects" / "pack").glob("*.pack"):
        if not _ends_as_listed(pack, _DIGEST_BYTES[_format(mirror)]):
            yield f"{pack} is not what its list of objects says"


def _ends_as_listed(pack: Path, digest: int) -> bool:
    """Compares the digest at the end of a pack with the one that its index holds of it."""
    index = pack.with_suffix(".idx")
    if not index.exists():
        return False
    return _end(pack, digest) == _end(index, 2 * digest)[:digest]


def _end(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(-size, os.SEEK_END)
        return file.read()


def _format(mirror: Path) -> str:
    return "sha256" if "objectformat = sha256" in (mirror / "config").read_text() else "sha1"


def _refuse_other_format(mirror: Path, users: Git) -> None:
    theirs = object_format(users)
    if _format(mirror) != theirs:
        raise Failed(f"{mirror} is of another kind than your repository, which is {theirs}")


def object_format(repository: Git) -> str:
    """Returns the kind of object names of a repository."""
    return repository.line("rev-parse", "--show-object-format")


def _create(path: Path, users: Git | None, wrecks: Sequence[Path]) -> Git:
    """Makes an empty one, of the kind of the old one if that can still be told."""
    kinds = [_format(wreck) for wreck in wrecks if (wreck / "config").is_file()]
    kind = kinds[0] if kinds else "sha1" if users is None else object_format(users)
    made = git.create(path, object_format=kind, branch="none")
    (path / IMPORTED).mkdir(exist_ok=True)
    for wreck in wrecks:
        _add_shallow(wreck / "shallow", path / "shallow")
    return made


def _names(wreck: Path) -> list[str]:
    """Returns the commits that a mirror had: a ref that lost its content has kept its name."""
    found = sorted(wreck.glob(f"{IMPORTED}/*"))
    return [ref.name for ref in found if _COMMIT.fullmatch(ref.name)]


def _packs(wreck: Path) -> list[Path]:
    return sorted((wreck / "objects" / "pack").glob("*.pack"))


def _copied(pack: Path, made: Git) -> bool:
    """Takes over a pack that is whole, whatever became of its index; tells whether it was."""
    import shutil  # noqa: PLC0415 - slow to import, and few histories break

    copy = made.git_dir / "objects" / "pack" / pack.name
    shutil.copyfile(pack, copy)
    try:
        made.run("index-pack", os.fspath(copy))
    except Failed:
        copy.unlink()
        return False
    return True


def _salvage(wrecks: Sequence[Path], broken: Sequence[Path], made: Git) -> None:
    """Takes over every object that can be read out of broken packs, and those in no pack."""
    for pack in broken:
        made.unpack_what_is_left(pack)
    for loose in (path for wreck in wrecks for path in wreck.glob("objects/??/*")):
        place = made.git_dir / "objects" / loose.parent.name / loose.name
        if _is_whole(loose) and not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(loose.read_bytes())


def _is_whole(loose: Path) -> bool:
    name = loose.parent.name + loose.name
    kind = hashlib.sha1 if len(name) == 2 * _DIGEST_BYTES["sha1"] else hashlib.sha256
    try:
        return kind(zlib.decompress(loose.read_bytes())).hexdigest() == name
    except (OSError, zlib.error):
        return False


def _lacking(users: Git | None, commits: Iterable[str], made: Git) -> list[str]:
    """Sees to it that commits are there with all their history; returns those that are not."""
    return [commit for commit in dict.fromkeys(commits) if not _had(users, commit, made)]


def _had(users: Git | None, commit: str, made: Git) -> bool:
    try:
        made.run("rev-list", "--objects", "--quiet", commit)
    except Failed:
        try:
            _send(users, commit, made, [])
        except Failed:
            return False
    made.run("update-ref", f"{IMPORTED}/{commit}", commit)
    return True


def _take(users: Git, head: str, mirror: Git) -> None:
    """Adds a commit with its history, unless it is there; reads what it consists of."""
    known = mirror.line("for-each-ref", "--format=%(objectname)").split()
    if head not in known:
        _send(users, head, mirror, known)
        mirror.run("update-ref", f"{IMPORTED}/{head}", head)
    mirror.run("rev-list", "--objects", "--quiet", "--max-count=1", head)


def _send(users: Git | None, commit: str, to: Git, known: Sequence[str]) -> None:
    if users is None:
        raise Failed("the repository is gone")
    common = Path(users.line("rev-parse", "--path-format=absolute", "--git-common-dir"))
    _add_shallow(common / "shallow", to.git_dir / "shallow")
    # Read through a configuration of ours: the user's plays no part in this.
    Git(to.git_dir, more_objects=common / "objects").send_history(commit, to, known)


def _add_shallow(theirs: Path, ours: Path) -> None:
    if theirs.exists():
        known = ours.read_text().split() if ours.exists() else []
        lines = sorted({*known, *theirs.read_text().split()})
        ours.write_text("".join(f"{line}\n" for line in lines))
