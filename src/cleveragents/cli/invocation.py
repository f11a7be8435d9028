"""What is common to all commands: global options, the application, questions, rendering."""

import functools
import inspect
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from cleveragents.app import App
from cleveragents.cli.console import silence
from cleveragents.cli.render import Format, Result, Timing, show
from cleveragents.config.environment import caller_environment, default_data_dir
from cleveragents.errors import Failed, Interrupted, InvalidInput
from cleveragents.events import Event
from cleveragents.ids import now
from cleveragents.storage.glance import DATABASE
from cleveragents.storage.standstill import end_stopped

if TYPE_CHECKING:
    from cleveragents.cli.progress import ProgressDisplay

T = TypeVar("T")

FormatOption = Annotated[
    Format | None, typer.Option("--format", help="How to write the result.", show_default=False)
]
ProjectOption = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project; default: the git top level here."),
]
DataDirOption = Annotated[
    Path | None,
    typer.Option("--data-dir", metavar="DIR", help="Where plans and checkpoints are kept."),
]
ConfigPathOption = Annotated[
    Path | None, typer.Option("--config-path", metavar="FILE", help="Your configuration file.")
]
VerboseOption = Annotated[
    bool | None, typer.Option("--verbose", "-v", help="Tell more.", show_default=False)
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting for this call; beats all others."),
]
GLOBALS: dict[str, Any] = {
    "format": FormatOption,
    "project": ProjectOption,
    "data_dir": DataDirOption,
    "config_path": ConfigPathOption,
    "settings": SetOption,
    "verbose": VerboseOption,
}


PlanArgument = Annotated[str, typer.Argument(metavar="PLAN", help="An id, a prefix, or @.")]
CheckpointArgument = Annotated[
    str, typer.Argument(metavar="CHECKPOINT", help="A number, an id, a prefix, or @.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
TakeOverOption = Annotated[
    bool, typer.Option("--take-over", help="End the process that owns the plan, then go on.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only show what would happen.")]


@dataclass
class Invocation:
    """One call of `agents`."""

    command: str
    asks_help: bool = False
    format: Format | None = None
    project: Path | None = None
    data_dir: Path | None = None
    config_path: Path | None = None
    settings: Sequence[str] = ()  # given with --set
    verbose: bool | None = None
    messages: list[str] = field(default_factory=list[str])  # told with the result or the error
    progress: "ProgressDisplay | None" = None
    opened: App | None = None
    started: str = field(default_factory=lambda: now().isoformat())
    _clock: float = field(default_factory=time.monotonic)

    @property
    def form(self) -> Format:
        """The format asked for; without one, rich."""
        return self.format or Format.RICH

    @property
    def timing(self) -> Timing:
        """When it started and how long it has taken so far."""
        return Timing(self.started, round((time.monotonic() - self._clock) * 1000))

    def take(self, options: dict[str, Any]) -> None:
        """Notes the global options given at one place; later places win."""
        given = {name: value for name, value in options.items() if value is not None}
        self.settings = [*self.settings, *given.pop("settings", ())]
        vars(self).update(given)

    @property
    def place(self) -> Path:
        """Where this call keeps what it writes."""
        return (self.data_dir or default_data_dir(caller_environment())).absolute()

    def app(self, *, progress: bool = False, take_over: bool = False) -> App:
        """Opens the application; with progress, what happens is told on standard error.

        To take over begins before anything is read: who was stopped in a change holds that up.
        """
        if take_over:
            self.messages += [f"ended: {one}" for one in end_stopped(self.place / DATABASE)]
        if progress and self.form not in (Format.JSON, Format.YAML):
            from cleveragents.cli.progress import ProgressDisplay

            self.progress = ProgressDisplay(verbose=bool(self.verbose))
        app = App(
            self.project,
            data_dir=self.data_dir,
            config_path=self.config_path,
            flags=self.settings,
            report=self.progress or self._note,
        )
        self.opened = app
        self.messages += app.settings.warnings
        return app

    def interrupt(self) -> bool:
        """Asks what is under way to stop; tells whether it is something that stops by itself."""
        return self.opened is not None and self.opened.interrupt()

    @property
    def interrupted(self) -> Interrupted:
        """What is told of a command that was stopped outside of what stops by itself."""
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

    def _note(self, event: Event) -> None:
        """Keeps what must be told even where progress is not shown."""
        if event.must_be_told:
            self.messages.append(event.must_be_told)


def add_commands(
    group: typer.Typer, call: Invocation, commands: Mapping[str, Callable[..., Result]]
) -> None:
    """Registers commands: each function is handed the call and returns a result, here it is shown.

    The global options are added to its own, so that they work before and after the command. Of
    those that are not called only the help is: parameters take most of the time.
    """
    called = call.command.split()[-1:]
    for name, function in commands.items():
        if called in ([], [name]):
            group.command(name)(_shown(function, call))
        else:
            group.command(name, help=inspect.getdoc(function))(stand_in)


def stand_in() -> None:
    """Stands in the list of commands for one that this call does not need."""
    raise RuntimeError("a command was called that this call does not know")


def add_group(parent: typer.Typer, call: Invocation, name: str, text: str) -> typer.Typer:
    """Adds a group of commands; the global options work between the two as well."""

    def take(**options: Any) -> None:  # noqa: ANN401 - typer passes what it parsed
        call.take(options)

    group = typer.Typer(callback=_with_parameters(take, _global_parameters()))
    parent.add_typer(group, name=name, help=text)
    return group


def _shown(function: Callable[..., Result], call: Invocation) -> Callable[..., int]:
    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> int:  # noqa: ANN401 - typer passes what it parsed
        call.take({key: options.pop(key) for key in GLOBALS})
        return _run(lambda: function(call, *args, **options), call)

    _, *own = inspect.signature(function, eval_str=True).parameters.values()
    return _with_parameters(run, [*own, *_global_parameters()])


def _global_parameters() -> list[inspect.Parameter]:
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in GLOBALS.items()
    ]


def _with_parameters(
    function: Callable[..., T], parameters: Sequence[inspect.Parameter]
) -> Callable[..., T]:
    """Lets typer see other parameters than the function itself names."""
    function.__signature__ = inspect.Signature(parameters)
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return function


def _run(function: Callable[[], Result], call: Invocation) -> int:
    """Runs a command and shows its result; what typer would swallow is handled here."""
    try:
        result = function()
        _show(result, call)
    except KeyboardInterrupt as error:
        raise call.interrupted from error
    return result.exit_code


def _show(result: Result, call: Invocation) -> None:
    """Shows a result; that it cannot be shown takes nothing of it back."""
    messages = list(dict.fromkeys([*call.messages, *result.messages]))
    try:
        show(replace(result, messages=messages), call.form, call.command, call.timing)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has left; there is nobody to tell.
        silence(sys.stdout)
        silence(sys.stderr)
    except OSError as error:
        silence(sys.stdout)
        raise Failed(
            f"the command is done, but its result could not be written: {error.strerror}"
        ) from error


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
        raise Failed("declined; nothing was changed")


def answer_to(question: str) -> str:
    """Asks on the terminal; whoever interrupts that has answered no."""
    sys.stderr.write(question)
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().lower()
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted; nothing was changed") from error
