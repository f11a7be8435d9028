"""Records events in the chats of the directories that they belong to."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cleveragents.app import App
from cleveragents.chats.event import HookEvent
from cleveragents.errors import InvalidInput
from cleveragents.hooks import roots
from cleveragents.hooks.intake import NotNow, Told
from cleveragents.snapshots.tree.giving_up import at_any_file
from cleveragents.storage.fault import is_the_machines

MOST_ROOTS = 16  # that are kept open: each watches all directories below it

Open = Callable[[str], App]


class _Wanted(BaseException):
    """Somebody waits: no failure, so that nobody on the way notes it as one."""


class ChatRecorder:
    """Keeps the directories open that were heard of last: what is known of one makes it quick.

    One is opened anew when settings have changed, so that they count as soon as they are made.
    """

    def __init__(self, open_app: Open, data: Path) -> None:
        self._open = open_app
        self._data = data
        self._apps: dict[str, App] = {}  # by root, the one heard of last at the end
        self._looked: set[tuple[str, str, str]] = set()  # chats for which the files were looked at

    @property
    def roots(self) -> list[str]:
        """The directories that are open."""
        return list(self._apps)

    def patience(self, told: Told) -> float:
        """Returns how long the first look at a directory may be waited for, if there was none."""
        event = HookEvent.from_record(told.event)
        chat = (told.root, event.client, event.session)
        if chat in self._looked:
            return 0.0
        app = self._app(told)
        if not app.chats.has_looked(event):
            return float(app.settings.number("chat.first-look"))
        self._looked.add(chat)
        return 0.0

    def record(self, told: Told, *, until: float | None, is_late: bool) -> str:
        """Records an event; what passes, as a full disk does, lets it wait in the spool."""
        event = HookEvent.from_record(told.event)
        try:
            chats = self._app(told).chats
            return chats.record(event, until=until, is_late=is_late).answer
        except Exception as problem:
            if is_the_machines(problem):
                raise NotNow from problem
            raise

    def tidy(self, is_wanted: Callable[[], bool]) -> None:
        """Frees the space of what is no longer kept of chats in the directories that are open.

        It is given up at any file once somebody waits; the next time it goes on from there.
        """

        def check() -> None:
            if is_wanted():
                raise _Wanted

        with suppress(_Wanted), at_any_file(check):
            for app in self._apps.values():
                check()
                app.chats.tidy()

    def _app(self, told: Told) -> App:
        root = self._place(told)
        app = self._apps.pop(root, None)
        if app is not None and app.is_outdated:
            app.close()
            app = None
        self._apps[root] = app = app or self._opened(root)
        if len(self._apps) > MOST_ROOTS:
            self._apps.pop(next(iter(self._apps))).close()
        return app

    def _place(self, told: Told) -> str:
        """Where the directory of an event is now: it may have been moved while that waited."""
        if Path(told.root).is_dir():
            return told.root
        listed = roots.protected(str(self._data))
        present = listed.get(told.identity, "")
        if present and not Path(present).is_dir():
            raise NotNow  # nobody has said yet where it is
        return present or told.root

    def _opened(self, root: str) -> App:
        try:
            return self._open(root)
        except InvalidInput as problem:
            if Path(root).is_dir():  # settings are wrong: every command tells of that
                raise NotNow from problem
            raise

    def close(self) -> None:
        """Gives back what is open."""
        for app in self._apps.values():
            app.close()
