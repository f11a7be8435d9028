"""A settings file of a client: what it would be with our hooks, and what without."""

import json
import os
import stat
from pathlib import Path
from typing import Any

from cleveragents.clients import plugin
from cleveragents.clients.client import Client, HookLevel, HookShape
from cleveragents.clients.entries import (
    command_of,
    entries_for,
    found_in,
    head_of,
    limit_of,
    table_of,
)
from cleveragents.clients.json_text import BLANK, BOM, parse
from cleveragents.clients.splicing import Span, cut, put_in, taken_out
from cleveragents.clients.written import WrittenFile
from cleveragents.errors import Refused
from cleveragents.records import frozen


@frozen
class FileChange:
    """What is to become of a settings file."""

    client: Client
    level: HookLevel
    path: Path
    before: str | None  # None: there is none
    after: str | None  # None: it goes
    added: tuple[Span, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether it stays as it is."""
        return self.before == self.after


class SettingsFile:
    """One file of one client."""

    def __init__(
        self, client: Client, level: HookLevel, path: Path, data: Path, seconds: int
    ) -> None:
        self.client = client
        self.level = level
        self.path = path
        self._data = data
        self._seconds = seconds

    def read(self) -> str | None:
        """Returns what stands in it; None: there is none. Refuses what is no text file."""
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise Refused(f"{self.path} is no file")
            return self.path.read_bytes().decode()
        except FileNotFoundError:
            if self.path.is_symlink():
                raise Refused(f"{self.path} is a link that leads nowhere") from None
            return None
        except OSError as error:
            raise Refused(f"{self.path} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise self._wrong("it is no text in UTF-8") from error

    def commands(self) -> dict[str, str]:
        """Our commands in it, by event; a file that is not there has none."""
        text = self.read()
        if text is None:
            return {}
        if self.client.shape == HookShape.PLUGIN:
            return plugin.commands_in(text, self.client, self._data)
        found = found_in(self._parsed(text), self._data)
        return {event: command_of(entries[0]) for event, entries in found.items()}

    def may_have_hooks(self) -> bool:
        """Whether a command of ours may stand in it, although it cannot be read as settings."""
        try:
            text = self.path.read_bytes()
        except OSError:
            return False
        return any(f"{self.client.name}:{event}".encode() in text for event in self.client.events)

    def with_hooks(self, known: WrittenFile | None) -> FileChange:
        """What it would be with our hooks; a second time nothing changes."""
        text = self.read()
        if self.client.shape == HookShape.PLUGIN:
            return self._with_plugin(text)
        wanted = entries_for(self.client, self._data, self._seconds)
        if text is not None and found_in(self._parsed(text), self._data) == {
            event: [entry] for event, entry in wanted.items()
        }:
            return FileChange(self.client, self.level, self.path, text, text)
        self._refuse_unwritable()
        base = self._base(text, known) or ""
        try:
            after, added = put_in(base, self.client, wanted)
        except ValueError as error:
            raise self._wrong(str(error)) from error
        return FileChange(self.client, self.level, self.path, text, after, tuple(added))

    def without_hooks(self, known: WrittenFile | None) -> FileChange:
        """What it would be without our hooks."""
        text = self.read()
        if self.client.shape == HookShape.PLUGIN:
            is_ours = text is not None and plugin.commands_in(text, self.client, self._data)
            after = None if is_ours else text
        else:
            after = self._base(text, known)
        change = FileChange(self.client, self.level, self.path, text, after)
        if not change.is_nothing:
            self._refuse_unwritable()
        return change

    def unchanged(self) -> FileChange:
        """What becomes of a file that never had hooks of ours: nothing, whatever it is."""
        return FileChange(self.client, self.level, self.path, None, None)

    def additions(self) -> dict[str, str]:
        """The command that each event gets; a plugin is told as a text."""
        if self.client.shape == HookShape.PLUGIN:
            return {}
        wanted = entries_for(self.client, self._data, self._seconds)
        return {event: command_of(entry) for event, entry in wanted.items()}

    def by_hand(self) -> list[str]:
        """The lines that a user can add by hand."""
        if self.client.shape == HookShape.PLUGIN:
            return plugin.text_for(self.client, self._data, self._seconds).splitlines()
        wanted = entries_for(self.client, self._data, self._seconds)
        return put_in("", self.client, wanted)[0].splitlines()

    def remarks(self) -> list[str]:
        """What in the file may keep hooks from running."""
        text = self._settings()
        if self.client.reads_comments or _is_strict(text):
            return []
        return [f"{self.path} has comments, which {self.client.title} may not read"]

    def disabled(self) -> list[str]:
        """What in the file keeps all hooks from running."""
        if self._parsed(self._settings()).get("disableAllHooks") is not True:
            return []
        return [f"disableAllHooks is true in {self.path}: no hook runs"]

    def is_short(self) -> bool:
        """Whether a hook of ours in it has less time than it may need."""
        text = self.read() or ""
        if self.client.shape == HookShape.PLUGIN:
            return plugin.limit_in(text) < plugin.limit_of(self._seconds)
        wanted = entries_for(self.client, self._data, self._seconds)
        return any(
            limit_of(entry, self._data) < limit_of(wanted[event], self._data)
            for event, entries in found_in(self._parsed(text), self._data).items()
            for entry in entries
            if event in wanted
        )

    def _settings(self) -> str:
        """The text of settings; a plugin is none."""
        return "" if self.client.shape == HookShape.PLUGIN else self.read() or ""

    def _with_plugin(self, text: str | None) -> FileChange:
        if text is not None and not plugin.is_plugin(text):
            again = f"agents protect {self.client.name}"
            raise Refused(f"{self.path} is there and not ours; rename it, then: {again}")
        after = plugin.text_for(self.client, self._data, self._seconds)
        if text != after:
            self._refuse_unwritable()
        added = (Span(0, len(after)),)
        return FileChange(self.client, self.level, self.path, text, after, added)

    def _base(self, text: str | None, known: WrittenFile | None) -> str | None:
        """The file without our entries; as it was before them, if nobody has changed it since."""
        if text is None:
            return None
        if known is not None and known.holds(text):
            return None if known.is_new else cut(text, known.added)
        if not text.removeprefix(BOM).strip(BLANK):
            return text
        had = self._parsed(text)
        after = taken_out(text, self._data)
        is_empty = self._parsed(after) in ({}, head_of(self.client))
        is_ours = known is not None and known.is_new
        return None if is_empty and is_ours and found_in(had, self._data) else after

    def _parsed(self, text: str) -> dict[str, Any]:
        if not text.removeprefix(BOM).strip(BLANK):
            return {}
        try:
            settings = parse(text)
        except ValueError as error:
            raise self._wrong(str(error)) from error
        if not settings.is_object:
            raise self._wrong("it is no object")
        return table_of(settings.data)

    def _wrong(self, why: str) -> Refused:
        return Refused(f"{self.path} cannot be changed: {why}")

    def _refuse_unwritable(self) -> None:
        """Refuses what its owner has closed, although it could be replaced."""
        target = self.path.resolve()
        directory = next(one for one in target.parents if one.exists())
        for there in (target, directory) if target.exists() else (directory,):
            if not os.access(there, os.W_OK, effective_ids=True):
                raise self._wrong(f"{there} is not yours to write to")


def _is_strict(text: str) -> bool:
    text = text.removeprefix(BOM)
    try:
        json.loads(text if text.strip(BLANK) else "{}")
    except ValueError:
        return False
    return True
