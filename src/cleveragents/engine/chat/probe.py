"""Proves that hooks work: fires a made-up event through each, and finds what was recorded of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep

from cleveragents.chats.chat import Chat, ChatRepository
from cleveragents.clients.client import Client, HookLevel
from cleveragents.clients.firing import fire, started, version_of
from cleveragents.clients.installation import Installation
from cleveragents.engine.chat.protection import Protection
from cleveragents.errors import Refused
from cleveragents.ids import new_id
from cleveragents.plans.deletion import delete_plan
from cleveragents.records import frozen
from cleveragents.sandbox import project as projects
from cleveragents.sandbox.project import Project
from cleveragents.storage.database import Database

PROBE = "cleveragents-check-"  # how the sessions of made-up events begin
LOOK = 0.02  # seconds between two looks for a row
NOT_RECORDED = "a made-up event was not recorded"
NOT_PROTECTED = "this directory is not protected: agents protect"


@frozen
class ProbedClient:
    """What was found out about the hooks of a client in one file."""

    client: Client
    version: str | None
    level: HookLevel | None  # None: it has no hooks
    file: Path
    command_ok: bool = False
    row_seen: bool = False
    works: bool = False  # all that is known to be needed is there
    last_event_at: datetime | None = None  # of a real event here
    needs: tuple[str, ...] = ()


@frozen
class ProbePolicy:
    """How clients are called, and how long is waited."""

    caller: Mapping[str, str]
    seconds: int  # that a client gives a hook
    patience: float  # until an event must have been recorded


class Probe:
    """Looks at hooks from one protected directory."""

    def __init__(
        self,
        database: Database,
        installation: Installation,
        protection: Protection,
        project: Project,
        data: Path,
        policy: ProbePolicy,
    ) -> None:
        self._database = database
        self._installation = installation
        self._protection = protection
        self._project = project
        self._data = data
        self._policy = policy

    def of(self, clients: Sequence[Client]) -> list[ProbedClient]:
        """Returns what was found out: a row for each file that has hooks, at least one a client."""
        found = [row for client in clients for row in self._rows(client)]
        for (
            chat
        ) in self._chats():  # nobody is to see a chat that was none, nor one of an earlier try
            if chat.client_session.startswith(PROBE):
                with self._database.registering() as connection:
                    delete_plan(connection, chat.plan_id)
        return found

    def _rows(self, client: Client) -> list[ProbedClient]:
        version = version_of(client, self._policy.caller)
        found: dict[HookLevel, dict[str, str]] = {}
        problems: list[str] = []
        for level in HookLevel:
            try:
                found[level] = self._installation.file(client, level).commands()
            except Refused as error:
                problems.append(error.message)
        installed = {level: commands for level, commands in found.items() if commands}
        if not installed:
            (proposal,) = self._installation.proposed([client], HookLevel.USER)
            others = [one for one in problems if one != proposal.refused]
            needs = (*others, f"it has no hooks: {proposal.refused or _way(client)}")
            return [ProbedClient(client, version, None, proposal.file.path, needs=needs)]
        if len(installed) > 1:
            problems.append("its hooks are in two files: each event comes twice, and counts once")
        return [
            self._row(client, version, level, commands, problems)
            for level, commands in installed.items()
        ]

    def _row(
        self,
        client: Client,
        version: str | None,
        level: HookLevel,
        commands: Mapping[str, str],
        problems: Sequence[str],
    ) -> ProbedClient:
        file = self._installation.file(client, level)
        session = f"{PROBE}{new_id()}"
        payload = started(client, session, self._project.path)
        command = commands.get(client.events[0], next(iter(commands.values())))
        is_ok = fire(command, self._data, payload, self._project.path, self._policy.seconds)
        is_protected = self._protection.is_protected(self._project)
        is_seen = is_ok and is_protected and self._is_seen(session)
        last = self._last_event_at(client)
        faults = [
            *([] if is_protected else [NOT_PROTECTED]),
            *([NOT_RECORDED] if is_protected and not is_seen else []),
            *self._faults(client, level, commands),
            *([client.confirm] if client.confirm and last is None else []),
        ]
        unknown = "" if client.confirm or last is not None else client.needs(level)
        return ProbedClient(
            client,
            version,
            level,
            file.path,
            is_ok,
            is_seen,
            is_seen and not faults,
            last,
            (*problems, *faults, *file.remarks(), *([unknown] if unknown else [])),
        )

    def _faults(
        self, client: Client, level: HookLevel, commands: Mapping[str, str]
    ) -> Iterator[str]:
        """Tells what of its settings keeps a client from telling all that it should."""
        if any(event not in commands for event in client.events):
            yield f"hooks are missing: {_way(client, level)}"
        if self._installation.file(client, level).is_short():
            yield f"its hooks have less time than chat.first-look needs: {_way(client, level)}"
        for each in HookLevel:
            with suppress(Refused):  # told already
                yield from self._installation.file(client, each).disabled()

    def _is_seen(self, session: str) -> bool:
        """Waits for the row of an event."""
        until = monotonic() + self._policy.patience
        while session not in [chat.client_session for chat in self._chats()]:
            if monotonic() > until:
                return False
            sleep(LOOK)
        return True

    def _last_event_at(self, client: Client) -> datetime | None:
        moments = [
            chat.last_event_at
            for chat in self._chats()
            if chat.client == client.name and not chat.client_session.startswith(PROBE)
        ]
        return max(moments, default=None)

    def _chats(self) -> Sequence[Chat]:
        with self._database.reading() as connection:
            project_id = projects.known(connection, self._project)
            return ChatRepository(connection).of_project(project_id)


def _way(client: Client, level: HookLevel = HookLevel.USER) -> str:
    """The command that gives a client its hooks."""
    option = " --project" if level == HookLevel.PROJECT else ""
    return f"agents protect {client.name}{option}"
