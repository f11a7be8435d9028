"""The only module that runs git: plumbing, in an environment built from nothing.

No user or system configuration, hook, filter or attribute can take part, and git never looks for
a repository by itself: everything inside a sandbox or a project is data to us.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cleveragents.errors import Failed, Refused
from cleveragents.records import frozen
from cleveragents.sandbox.survivors import helper
from cleveragents.storage.scratch import scratch_directory, scratch_file

if TYPE_CHECKING:
    import subprocess

NOWHERE = -3  # as `subprocess` calls the null device
PATIENCE_SECONDS = 600  # a repository can be made so that git never ends
_NEUTRAL = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.autocrlf=false",
    "core.fileMode=true",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.fsync=all",
    "core.fsyncMethod=batch",
    "core.protectNTFS=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "safe.directory=*",  # ownership is no protection here: nothing of the repository is executed
)
NO_REPOSITORY, QUOTES = "fatal: not a git repository", ": '"  # how git begins to say so
MOST_CONFLICTS = 127  # what git tells of the conflicts in a text; beyond it is an error
# What lies in packs is sent as it is there. For each of the others git would try ten for the best
# difference, which takes twice as long as all else together and saves an eighth of the bytes.
_WHOLE_HISTORY = (
    "--revs",
    "--stdout",
    "--delta-base-offset",
    "-q",
    "--window=1",
    "--compression=1",
)
_ENVIRONMENT = {
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}


@frozen
class Git:
    """Runs git on one git directory, and on a work tree where there is one."""

    git_dir: Path
    work_tree: Path | None = None
    more_objects: Path | None = None  # an object directory that may be read as well

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Returns what git printed; raises Failed with git's own words."""
        done = _run(arguments, stdin, self.environment, Path("/"))
        if done.returncode != 0:
            raise _failed(arguments, done.stderr)
        return done.stdout

    def line(self, *arguments: str) -> str:
        """Returns the one line git printed."""
        return os.fsdecode(self.run(*arguments)).rstrip("\n")

    def commit_of(self, revision: str) -> str | None:
        """Returns the commit a revision names; None if there is none yet."""
        try:
            return self.line("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except Failed:
            return None

    def ignored(self, inside: str = "") -> list[bytes]:
        """Returns what git ignores in the work tree, or in a directory of it.

        A whole directory ends with a slash.
        """
        options = ("--others", "--ignored", "--exclude-standard", "--directory")
        where = ("--", inside) if inside else ()
        return self.run("ls-files", "-z", *options, *where).split(b"\0")[:-1]

    def merge_trees(self, ours: str, theirs: str) -> tuple[str, list[str]]:
        """Merges two commits without a work tree; returns the tree and what does not fit."""
        command = ("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z")
        done = _run((*command, ours, theirs), b"", self.environment, Path("/"))
        if done.returncode not in (0, 1):
            raise _failed(command, done.stderr)
        tree, *paths = os.fsdecode(done.stdout).split("\0")[:-1]
        return tree, paths

    def unpack_what_is_left(self, pack: Path) -> None:
        """Takes every object out of a broken pack that can still be read."""
        with pack.open("rb") as file, scratch_file() as said:
            taking = ("unpack-objects", "-r", "-q")
            with helper(
                lambda: _spawn(self, taking, file.fileno(), NOWHERE, said.fileno())
            ) as process:
                process.wait()  # it ends as failed: the pack is broken

    def send_history(self, commit: str, to: "Git", known: Sequence[str]) -> None:
        """Streams a commit and its history into another repository; shares nothing on disk."""
        wanted = "\n".join([commit, *(f"^{name}" for name in known), ""])
        source, sink = os.pipe()
        with scratch_file() as asked, scratch_file() as said:
            asked.write(wanted.encode())
            asked.seek(0)
            sending = ("pack-objects", *_WHOLE_HISTORY)
            taking = ("index-pack", "--stdin")
            with (
                helper(lambda: _spawn(self, sending, asked.fileno(), sink, said.fileno())) as one,
                open(source, "rb") as from_pipe,
                open(sink, "wb") as to_pipe,
                helper(lambda: _spawn(to, taking, source, NOWHERE, said.fileno())) as other,
            ):
                from_pipe.close()
                to_pipe.close()
                codes = [process.wait() for process in (one, other)]
            if any(codes):
                said.seek(0)
                raise _failed(("pack-objects",), said.read())

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of git; nothing of the caller's."""
        environment = dict(_ENVIRONMENT, PATH=os.defpath, GIT_DIR=os.fspath(self.git_dir))
        if self.work_tree is not None:
            environment["GIT_WORK_TREE"] = os.fspath(self.work_tree)
        if self.more_objects is not None:
            environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = quoted(self.more_objects)
        return environment


def version() -> str | None:
    """Returns git's version; None where there is no git."""
    try:
        said = _run(("version",), b"", _nowhere(), Path("/")).stdout
    except Failed:
        return None
    return said.decode().removeprefix("git version ").strip()


def create(git_dir: Path, *, object_format: str, branch: str) -> Git:
    """Makes an empty repository without templates, hooks or work tree."""
    repository = Git(git_dir)
    repository.run(
        "init",
        "--quiet",
        "--bare",
        "--template=",
        f"--object-format={object_format}",
        f"--initial-branch={branch}",
    )
    return repository


def start_repository(top: Path, message: str) -> None:
    """Makes a repository of a directory, with all its files in a first commit."""
    create(top / ".git", object_format="sha1", branch="main").run("config", "core.bare", "false")
    repository = Git(top / ".git", top)
    repository.run("add", "--all")
    tree = repository.line("write-tree")
    author = ("-c", "user.name=CleverAgents", "-c", "user.email=demo@example.invalid")
    commit = repository.line(*author, "commit-tree", tree, "-m", message)
    repository.run("update-ref", "refs/heads/main", commit)


def apply_patch(tree: Path, patch: bytes) -> None:
    """Applies a patch to a directory; git refuses paths that leave it or pass through a link."""
    arguments = ("apply", "--whitespace=nowarn", "-")
    done = _run(arguments, patch, _nowhere(), tree)
    if done.returncode != 0:
        raise _failed(arguments, done.stderr)


def patch_text(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Applies what changed from base to theirs as a patch to ours; None if it does not fit."""
    old, new = _patch_lines(base), _patch_lines(theirs)
    import difflib  # noqa: PLC0415 - slow to import, and few files are merged

    patch = b"".join(difflib.diff_bytes(difflib.unified_diff, old, new, b"a/text", b"b/text"))
    with scratch_directory() as folder:
        text = Path(folder, "text")
        text.write_bytes(ours)
        # One line around a change is enough to find its place again.
        done = _run(("apply", "--whitespace=nowarn", "-C1", "-"), patch, _nowhere(), Path(folder))
        return text.read_bytes() if done.returncode == 0 else None


def _patch_lines(text: bytes) -> list[bytes]:
    *lines, last = text.split(b"\n")
    whole = [line + b"\n" for line in lines]
    return [*whole, last + b"\n\\ No newline at end of file\n"] if last else whole


def merge_text(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merges two versions of a text line by line; None if they change the same place."""
    done = _merge_file(base, ours, theirs)
    return done.stdout if done.returncode == 0 else None


def marked_text(base: bytes, ours: bytes, theirs: bytes, names: Sequence[str]) -> bytes:
    """Merges as far as that goes; what does not go together stands between marks, with its base.

    The names are those of our side, of the base and of their side.
    """
    labels = [word for name in names for word in ("-L", name)]
    return _merge_file(base, ours, theirs, "--diff3", *labels).stdout


def _merge_file(
    base: bytes, ours: bytes, theirs: bytes, *options: str
) -> "subprocess.CompletedProcess[bytes]":
    arguments = ("merge-file", "-p", "-q", *options, "ours", "base", "theirs")
    with scratch_directory() as folder:
        for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
            Path(folder, name).write_bytes(text)
        done = _run(arguments, b"", _nowhere(), Path(folder))
    if done.returncode < 0 or done.returncode > MOST_CONFLICTS:
        raise _failed(arguments, done.stderr)
    return done


def _run(
    arguments: Sequence[str], stdin: bytes, environment: Mapping[str, str], directory: Path
) -> "subprocess.CompletedProcess[bytes]":
    import subprocess  # noqa: PLC0415 - slow to import, and only who runs git needs it

    command = [*_command(), *arguments]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=directory,
            start_new_session=True,  # Ctrl-C is for us; git finishes what it writes
        )

    with helper(start) as process:
        try:
            out, said = process.communicate(stdin, timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            process.kill()
            raise Refused(
                f"git {arguments[0]} did not end in {PATIENCE_SECONDS} s",
                hints=["see what it waits for, or set sandbox.strategy to filesystem_copy"],
            ) from error
    return subprocess.CompletedProcess(command, process.returncode, out, said)


def _nowhere() -> Mapping[str, str]:
    """With a git directory that is none: git meets plain files, whatever `.git` says."""
    return dict(_ENVIRONMENT, PATH=os.defpath, GIT_DIR=os.devnull)


def _spawn(
    repository: Git, arguments: Sequence[str], stdin: int, stdout: int, stderr: int
) -> "subprocess.Popen[bytes]":
    import subprocess  # noqa: PLC0415 - as above

    return subprocess.Popen(
        [*_command(), *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=dict(repository.environment),
        cwd="/",
        start_new_session=True,
    )


def _command() -> list[str]:
    import shutil  # noqa: PLC0415 - slow to import, and only who runs git needs it

    program = shutil.which("git")
    if program is None:
        raise Failed(
            "git is not installed",
            hints=["install git, or work on a plain folder: --project DIR"],
        )
    options = [part for setting in _NEUTRAL for part in ("-c", setting)]
    return [program, "--literal-pathspecs", "--no-pager", *options]


def _failed(arguments: Sequence[str], said: bytes) -> Failed:
    lines = said.decode(errors="replace").strip().splitlines()
    if lines and lines[0].startswith(NO_REPOSITORY):
        return Failed(
            f"{lines[0].removeprefix(NO_REPOSITORY).strip(QUOTES)} is no git repository",
            hints=["remove it, or make it one: git init"],
        )
    return Failed(f"git {arguments[0]} failed: {lines[0] if lines else 'no reason'}", detail=lines)


def quoted(path: Path) -> str:
    """Writes a path as git reads it in lists of object directories."""
    escaped = os.fspath(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
