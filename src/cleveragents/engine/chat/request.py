"""What a user asks an undo or a redo for: which turn, and which paths, as they type them."""

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from posixpath import join, normpath

from cleveragents.errors import InvalidInput
from cleveragents.ids import PlanId
from cleveragents.quoting import quoted
from cleveragents.records import frozen, replace
from cleveragents.snapshots.tree import tree_path
from cleveragents.snapshots.tree.scan import shown

TOP = ":/"  # before a path that is read from the top of the project, wherever somebody stands
NAMED = 10  # paths in one command that is printed


@frozen(kw_only=True)
class UndoRequest:
    """The words of a user; paths are globs, read from the directory where the user stands."""

    target: str | None = None  # t4, t4.2 or cp9
    since: str | None = None  # cp9 or t4: everything from there on
    chat: PlanId | None = None
    here: str = ""  # the directory of the project that paths are read from; empty: its top
    paths: tuple[str, ...] = ()  # none: all
    takes_unclear: bool | None = None  # None: nobody has said
    is_everything: bool = False  # whoever changed it
    mine: tuple[str, ...] = ()  # paths that stay as the user has them
    before: tuple[str, ...] = ()  # paths that become what they were, whatever is there
    anyway: bool = False
    keeps_times: bool = False
    with_chat: bool = False  # the conversation in the client goes back too

    @property
    def is_named(self) -> bool:
        """Whether somebody has said which turn it is about."""
        return self.target is not None or self.since is not None

    def is_asked(self, path: bytes) -> bool:
        """Whether a path is one of those that it is about: named, if any are, and not kept."""
        return (not self.paths or self.names(path, self.paths)) and not self.keeps(path)

    def keeps(self, path: bytes) -> bool:
        """Whether a path stays as the user has it."""
        return self.names(path, self.mine)

    def fixes(self, path: bytes) -> bool:
        """Whether a path becomes what it was, whatever is there."""
        return self.names(path, self.before)

    def is_open(self, path: bytes) -> bool:
        """Whether it is about a path of which nobody has said yet what becomes of it."""
        return self.is_asked(path) and not self.fixes(path)

    def names(self, path: bytes, typed: Sequence[str]) -> bool:
        """Whether typed paths mean a path: by itself, or by a directory above it."""
        if not typed:
            return False
        texts = [os.fsdecode(each) for each in tree_path.and_above(path)]
        return any(_means(*placed(one, self.here), texts) for one in typed)

    def refuse_both(self, paths: Iterable[bytes]) -> None:
        """Refuses to leave a path as it is and to make it what it was, at once."""
        again = {placed(one, self.here) for one in self.before}
        words = [one for one in self.mine if placed(one, self.here) in again]
        both = words or [shown(path) for path in paths if self.keeps(path) and self.fixes(path)]
        if both:
            raise InvalidInput(
                f"--mine and --before both name {both[0]}",
                hints=["name a path with one of them: --mine leaves it, --before takes it back"],
            )

    def line(self, word: str) -> str:
        """The command line that asks for it again."""
        many = {"--path": self.paths, "--mine": self.mine, "--before": self.before}
        unclear = {None: "", True: " --unclear take", False: " --unclear keep"}
        flags = {
            "--everything": self.is_everything,
            "--anyway": self.anyway,
            "--times": self.keeps_times,
            "--with-chat": self.with_chat,
        }
        return (
            f"agents {word}"
            + (f" {self.target}" if self.target else "")
            + (f" --since {self.since}" if self.since else "")
            + (f" --chat {self.chat}" if self.chat else "")
            + "".join(f" {name} {quoted(one)}" for name, given in many.items() for one in given)
            + unclear[self.takes_unclear]
            + "".join(f" {name}" for name, is_set in flags.items() if is_set)
        )

    def with_mine(self, paths: Sequence[str]) -> "UndoRequest":
        """The same, but the first of some more paths stay as the user has them."""
        return replace(self, mine=(*self.mine, *self._spelled(paths)))

    def with_before(self, paths: Sequence[str]) -> "UndoRequest":
        """The same, but the first of some more paths become what they were."""
        return replace(self, before=(*self.before, *self._spelled(paths)))

    def _spelled(self, paths: Sequence[str]) -> list[str]:
        return [spelled(path, self.here) for path in paths[:NAMED]]


@cache
def placed(typed: str, here: str) -> tuple[str, str]:
    """Parts what somebody types into the directory that it is read from and the glob in it.

    What would lead out of the project begins with `..` then.
    """
    if typed.startswith(TOP):
        here, typed = "", typed.removeprefix(TOP).lstrip("/")
    rest = normpath(typed or ".")
    while here and (rest == ".." or rest.startswith("../")):
        here, rest = here.rpartition("/")[0], normpath(rest[3:] or ".")
    return here, "" if rest == "." else rest


def spelled(path: str, here: str) -> str:
    """A path of the project, as it is typed in a directory of it."""
    if here and not path.startswith(f"{here}/"):
        return TOP + path
    inside = path[len(here) + 1 :] if here else path
    return f"./{inside}" if inside.startswith(("-", TOP)) else inside


def _means(head: str, glob: str, texts: Sequence[str]) -> bool:
    """Whether a path, given with the directories above it, is meant: by its name or by a glob."""
    if not glob:
        return not head or head in texts
    lead = f"{head}/" if head else ""
    return any(
        text == join(head, glob) or (text.startswith(lead) and fnmatchcase(text[len(lead) :], glob))
        for text in texts
    )
