"""The common part of all commands: the options of the call, the application, questions."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleveragents.cli.render import Format, Timing
from cleveragents.config.environment import caller_environment, data_dir_of
from cleveragents.errors import Declined, Interrupted, InvalidInput
from cleveragents.escaping import safe
from cleveragents.ids import now

if TYPE_CHECKING:
    from cleveragents.app import App
    from cleveragents.cli.progress import ProgressDisplay
    from cleveragents.events import Event, Working

NOT_WATCHED = ("sandbox.checkpoint.tracking=scan",)  # unless the caller says otherwise


class Invocation:
    """One call of `agents`."""

    def __init__(self) -> None:
        self.command = ""
        self.format: Format | None = None
        self.project: Path | None = None
        self.data_dir: Path | None = None
        self.config_path: Path | None = None
        self.settings: Sequence[str] = ()  # given with --set
        self.verbose = False
        self.messages: list[str] = []  # told with the result or the error
        self.progress: ProgressDisplay | None = None
        self.opened: App | None = None
        self._started = now().isoformat()
        self._clock = time.monotonic()

    @property
    def form(self) -> Format:
        """The format asked for; without one, rich."""
        return self.format or Format.RICH

    @property
    def wants_whole_ids(self) -> bool:
        """Whether ids are told with all their digits: to programs, and to who asks for more."""
        return self.verbose or self.form in (Format.JSON, Format.YAML)

    @property
    def timing(self) -> Timing:
        """When it started and how long it has taken so far."""
        return Timing(self._started, round((time.monotonic() - self._clock) * 1000))

    def take(self, command: str, options: Mapping[str, Any]) -> None:
        """Notes which command was called, and the options that every command has."""
        self.command = command
        vars(self).update(options)
        self.format = Format(self.format) if self.format else None

    @property
    def place(self) -> Path:
        """Where this call keeps what it writes."""
        return data_dir_of(Path(), self.data_dir, caller_environment())

    def app(
        self, *, progress: bool = False, take_over: bool = False, looks_once: bool = False
    ) -> "App":
        """Opens the application; with progress, what happens is told on standard error.

        To take over begins before anything is read: who was stopped in a change holds that up.
        Who looks at the files once has no use for being told what changes afterwards.
        """
        from cleveragents.app import App  # help and mistakes are told without it

        if take_over:
            from cleveragents.storage.glance import DATABASE
            from cleveragents.storage.standstill import end_stopped

            self.messages += [f"ended: {one}" for one in end_stopped(self.place / DATABASE)]
        if progress and self.form not in (Format.JSON, Format.YAML):
            from cleveragents.cli.progress import ProgressDisplay

            self.progress = ProgressDisplay(verbose=self.verbose, retold=self._retold)
        app = App(
            self.project,
            data_dir=self.data_dir,
            config_path=self.config_path,
            flags=[*(NOT_WATCHED if looks_once else ()), *self.settings],
            report=self.progress or self._note,
        )
        self.opened = app
        self.messages += app.settings.warnings
        return app

    def hear_agents(self) -> None:
        """Records what agents told and nobody could take: it was before whatever is done now."""
        from cleveragents.hooks import spool

        if spool.waiting(str(self.place)):
            from cleveragents.cli.hook import take_spooled  # hardly ever needed

            take_spooled(self)

    def interrupt(self) -> bool:
        """Asks what is under way to stop; tells whether it is something that stops by itself."""
        return self.opened is not None and self.opened.interrupt()

    @property
    def interrupted(self) -> Interrupted:
        """The error of a command that was stopped where nothing stops by itself."""
        if self.opened is None or not self.opened.may_have_changed:
            return Interrupted("interrupted; nothing was changed")
        return Interrupted(
            "interrupted; what was done before that stands",
            hints=["see where it stands: agents plan status @"],
        )

    def notice(self, text: str) -> bool:
        """Shows a line with what is drawn right now; tells whether anything is."""
        return self.progress is not None and self.progress.say(text)

    def close(self) -> None:
        """Leaves the terminal as it was."""
        if self.progress is not None:
            self.progress.close()

    def _retold(self, text: str) -> str:
        """A text that is told while something is under way, with the commands of this call."""
        from cleveragents.cli.printed import PrintedCommands

        return PrintedCommands.of(self, at_work=True).texts([text])[0]

    def _note(self, event: "Event") -> None:
        """Keeps what must be told even where progress is not shown; work that takes long is."""
        from cleveragents.events import Working  # here by now: somebody has told one

        if isinstance(event, Working):
            self._tell_work(event)
        elif event.must_be_told:
            self.messages.append(event.must_be_told)

    def _tell_work(self, event: "Working") -> None:
        if self.form not in (Format.JSON, Format.YAML):
            from cleveragents.cli.progress import ProgressDisplay  # what is quick needs none

            if self.progress is None:
                self.progress = ProgressDisplay(verbose=self.verbose, retold=self._retold)
            self.progress(event)


def require_answer(*, yes: bool, command_line: str) -> None:
    """Refuses what would have to ask where nobody can be asked."""
    if not yes and not sys.stdin.isatty():
        raise InvalidInput(
            "this needs a confirmation and there is no terminal to ask on",
            hints=[f"confirm it: {command_line} --yes"],
        )


def confirm(question: str, *, yes: bool, command_line: str) -> None:
    """Goes on only with --yes or a yes on a terminal; never hangs without one."""
    if yes:
        return
    require_answer(yes=yes, command_line=command_line)
    if answer_to(f"{question} [y/N] ") not in ("y", "yes"):
        raise Declined


def answer_to(question: str) -> str:
    """Asks on the terminal; whoever interrupts that has answered no."""
    try:
        sys.stderr.write(safe(question))
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower()
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted; nothing was changed") from error
