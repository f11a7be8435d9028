"""Puts hooks into settings files of clients, and takes out whatever was ever put into one."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from cleveragents.clients.client import CLIENTS, Client, HookLevel, known_client
from cleveragents.clients.settings_file import FileChange, SettingsFile
from cleveragents.clients.written import WrittenFile, WrittenFiles, digest_of
from cleveragents.errors import NotFound, Refused
from cleveragents.records import frozen
from cleveragents.storage.replacing import alone, replace_file


@frozen
class Proposal:
    """What would become of a settings file, or why nothing can."""

    file: SettingsFile
    change: FileChange | None
    is_in: bool  # hooks are to be in it; else out
    refused: str = ""


class Installation:
    """The hooks of one user, as seen from one directory."""

    def __init__(
        self, data: Path, home: Path, root: Path, caller: Mapping[str, str], seconds: int
    ) -> None:
        self._data = data
        self._home = home
        self._root = root
        self._caller = caller
        self._seconds = seconds  # that a client gives a hook
        self._written = WrittenFiles(data)

    def clients(self, names: Sequence[str]) -> list[Client]:
        """Returns those that are named; without a name, those in use here."""
        if names:
            return [known_client(name) for name in dict.fromkeys(names)]
        used = [one for one in CLIENTS.values() if self._is_in_use(one)]
        if not used:
            raise NotFound(
                "no coding agent was found: neither its program nor a directory of it",
                hints=[f"name one: agents protect {'|'.join(CLIENTS)}"],
            )
        return used

    def _is_in_use(self, client: Client) -> bool:
        return client.is_in_use(self._home, self._caller, self._root)

    def file(self, client: Client, level: HookLevel) -> SettingsFile:
        """Returns the file of a client that hooks are put into."""
        path = client.file(level, self._home, self._caller, self._root)
        return SettingsFile(client, level, path, self._data, self._seconds)

    def proposed(self, clients: Sequence[Client], level: HookLevel) -> list[Proposal]:
        """Tells what would become of the files of clients; nothing is changed."""
        return [self._proposal(self.file(client, level), is_in=True) for client in clients]

    def without(self, clients: Sequence[Client], *levels: HookLevel) -> list[Proposal]:
        """Tells what would become of files with hooks of clients if they were taken out.

        Those are the usual ones of the levels, and all that were ever written at them: of other
        projects only if both levels are asked for.
        """
        files = {
            path: SettingsFile(client, level, path, self._data, self._seconds)
            for client, level, path in self._places(clients, levels)
        }
        proposals = [self._proposal(one, is_in=False) for one in files.values()]
        return [one for one in proposals if one.change is None or not one.change.is_nothing]

    def _places(
        self, clients: Sequence[Client], levels: Sequence[HookLevel]
    ) -> Iterator[tuple[Client, HookLevel, Path]]:
        for client, level in product(clients, levels):
            yield client, level, self.file(client, level).path
        for one in self._written.all():
            client = known_client(one.client)
            if client in clients and one.level in levels and HookLevel.USER in levels:
                yield client, one.level, one.path

    def _proposal(self, file: SettingsFile, *, is_in: bool) -> Proposal:
        known = self._written.find(file.path)
        try:
            change = file.with_hooks(known) if is_in else file.without_hooks(known)
        except Refused as error:
            if not is_in and known is None and not file.may_have_hooks():
                return Proposal(file, file.unchanged(), is_in)
            return Proposal(file, None, is_in, error.message)
        return Proposal(file, change, is_in)

    def lost(self) -> list[Path]:
        """Returns the files of checkouts that are no longer there: they may have been moved."""
        return [
            one.path
            for one in self._written.all()
            if one.level == HookLevel.PROJECT
            and not known_client(one.client).checkout_of(one.path).exists()
        ]

    def carry_out(self, change: FileChange) -> None:
        """Makes a file what was proposed, if it is still what it was."""
        if change.is_nothing:
            return
        file = SettingsFile(change.client, change.level, change.path, self._data, self._seconds)
        known = self._written.find(change.path)
        made = tuple(one for one in change.path.parents if not one.exists())
        with alone(change.path) as target:
            _refuse_other(file, change)
            if change.added:
                self._written.note(_noted(change, known, made))
            if change.after is None:
                target.unlink()
            else:
                replace_file(target, change.after.encode())
        if not change.added:
            self._forget(change.path, known)

    def _forget(self, path: Path, known: WrittenFile | None) -> None:
        self._written.drop(path)
        for directory in known.directories if known else ():
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()


def _refuse_other(file: SettingsFile, change: FileChange) -> None:
    if file.read() != change.before:
        raise Refused(
            f"{change.path} was changed meanwhile, and stays as it is",
            hints=["run the command again"],
        )


def _noted(change: FileChange, known: WrittenFile | None, made: tuple[Path, ...]) -> WrittenFile:
    """The record of a file; what was new at the first time stays so."""
    return WrittenFile(
        change.client.name,
        change.level,
        change.path,
        digest_of(change.after or ""),
        change.added,
        change.before is None or (known is not None and known.is_new),
        made or (known.directories if known else ()),
    )
