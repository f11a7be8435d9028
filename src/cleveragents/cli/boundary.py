"""The one error boundary: what goes wrong in a command becomes message, hint and exit code."""

import os
import re
import resource
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from typer.main import get_command

from cleveragents import __version__
from cleveragents.cli.invocation import (
    ConfigPathOption,
    DataDirOption,
    FormatOption,
    Invocation,
    ProjectOption,
    SetOption,
    VerboseOption,
    stand_in,
)
from cleveragents.cli.render import Format, show_error
from cleveragents.cli.signals import Signals
from cleveragents.cli.signs import show_every_sign
from cleveragents.errors import CleverAgentsError, Failed, InvalidInput, in_words
from cleveragents.nearest import hints_for_name
from cleveragents.sandbox.survivors import adopt_orphans
from cleveragents.storage.space import FREE_SOME, OUT_OF_SPACE, told_free

Groups = Mapping[str, tuple[str, str]]
Load = Callable[[str], ModuleType]
ONLY_GROUPS = (
    "",
    "plan",
    "plan checkpoint",
    "tool",
    "config",
    "sandbox",
)  # no command yet: show what there is
TAKES_VALUE = ("--format", "--project", "--data-dir", "--config-path", "--set")
# How typer, which tells it in words alone, says what was meant or would be possible.
POSSIBLE = re.compile(r" \(Possible options: (.*)\)$| Did you mean (.*)\?$")
# As many as are asked for: steps get the same limit, and some programs close all they might have.
DESCRIPTORS = 4096
NOT_A_CHOICE = re.compile(r"'([^']*)' is not one of '(.*)'\.$")


def guarded(arguments: Sequence[str], groups: Groups, load: Load) -> int:
    """Runs a command line; whatever goes wrong is told, and what nobody foresaw is kept."""
    command = _command_of(arguments, groups)
    if command in ONLY_GROUPS and (command or not _words(arguments)):
        arguments = [*arguments, "--help"]
    call = Invocation(command, asks_help="--help" in arguments)
    show_every_sign(sys.stdout)
    show_every_sign(sys.stderr)
    adopt_orphans()
    _allow_descriptors()
    try:
        with Signals(call.interrupt, call.notice):
            return _dispatch(arguments, groups, load, call)
    except CleverAgentsError as problem:
        error = problem
    except OSError as problem:
        error = _denied(problem, call)
    except typer.TyperException as problem:
        error = _misused(problem.format_message(), call)
    except (KeyboardInterrupt, Exception) as problem:  # noqa: BLE001 - nobody else tells it
        error = _unforeseen(problem, arguments, call)
    call.close()
    messages = list(dict.fromkeys(call.messages))
    show_error(error, _format(arguments, call), call.command, call.timing, messages)
    return error.exit_code


def _allow_descriptors() -> None:
    """Raises the soft limit on open files, as far as the hard one lets everybody."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _unforeseen(
    problem: BaseException, arguments: Sequence[str], call: Invocation
) -> CleverAgentsError:
    """Keeps a surprise; who asks for more sees at once where it happened."""
    if KeyboardInterrupt in (type(problem), type(problem.__cause__)):  # typer makes its own of it
        return call.interrupted
    from cleveragents.cli import surprise  # slow to import, and hardly ever needed

    if call.verbose:
        lines = traceback.format_exception(problem)
        sys.stderr.write(surprise.without_secrets("".join(lines), arguments))
    return surprise.told(problem, arguments, call.place)


def _dispatch(arguments: Sequence[str], groups: Groups, load: Load, call: Invocation) -> int:
    root = command_tree(groups, load, call)
    outcome = get_command(root).main(list(arguments), prog_name="agents", standalone_mode=False)
    return outcome if isinstance(outcome, int) else 0


def command_tree(groups: Groups, load: Load, call: Invocation | None = None) -> typer.Typer:
    """Builds the commands: those of the group that is called, or of all of them."""
    called = None if call is None else call.command.partition(" ")[0]
    call = call or Invocation("")
    root = typer.Typer(
        name="agents",
        add_completion=False,
        help="Runs plans in a sandbox of your project and takes them back to any checkpoint.",
    )
    root.callback()(_global_options(call))
    for name, (module, text) in groups.items():
        if called in (name, None):
            load(module).register(root, call)
        else:
            root.command(name, help=text)(stand_in)
    return root


def _tell_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"cleveragents {__version__}\n")
        raise typer.Exit


def _global_options(call: Invocation) -> Callable[..., None]:
    """Takes the options that stand before a command."""

    def take(
        format: FormatOption = None,  # noqa: A002 - the name of the option
        project: ProjectOption = None,
        data_dir: DataDirOption = None,
        config_path: ConfigPathOption = None,
        settings: SetOption = None,
        verbose: VerboseOption = None,
        version: Annotated[
            bool,
            typer.Option(
                "--version", help="Tell the version.", callback=_tell_version, is_eager=True
            ),
        ] = False,
    ) -> None:
        del version
        call.take(
            {
                "format": format,
                "project": project,
                "data_dir": data_dir,
                "config_path": config_path,
                "settings": settings,
                "verbose": verbose,
            }
        )

    return take


def _command_of(arguments: Sequence[str], groups: Groups) -> str:
    """The command without its options and arguments, as the envelope names it."""
    words = _words(arguments)
    for index, word in enumerate(words):
        if word in groups:
            depth = {
                "plan": 3 if words[index + 1 : index + 2] == ["checkpoint"] else 2,
                "tool": 2,
                "config": 2,
                "sandbox": 2,
            }
            return " ".join(words[index : index + depth.get(word, 1)])
    return ""


def _words(arguments: Sequence[str]) -> list[str]:
    """What is neither a global option nor its value."""
    return [
        word
        for before, word in pairwise(["", *arguments])
        if not word.startswith("-") and before not in TAKES_VALUE
    ]


def _format(arguments: Sequence[str], call: Invocation) -> Format:
    """The format for an error; one that came up before options were read is looked for here."""
    if call.format is not None:
        return call.format
    for word, following in pairwise([*arguments, ""]):
        given = following if word == "--format" else word.removeprefix("--format=")
        if given in (Format.JSON, Format.YAML) and word.startswith("--format"):
            return Format(given)
    return Format.RICH


def _misused(message: str, call: Invocation) -> InvalidInput:
    """A command line that cannot be read, with what may have been meant and the help for it."""
    words = call.command.split()
    known = words[:-1] if message.startswith("No such command") else words
    said, near = _meant(message.replace(": Value error, ", ": "))
    return InvalidInput(said, hints=[*near, f"see: {' '.join(['agents', *known, '--help'])}"])


def _meant(message: str) -> tuple[str, list[str]]:
    """Takes out of a message of typer what it asks for, or finds it among the choices it lists."""
    if choices := NOT_A_CHOICE.search(message):
        return message, hints_for_name(choices[1], choices[2].split("', '"))
    if asked := POSSIBLE.search(message):
        return message[: asked.start()], [f"did you mean {asked[1] or asked[2]}?"]
    return message, []


def _denied(problem: OSError, call: Invocation) -> Failed:
    """What the system denied, in its own words; of a full disk also which one, and how full."""
    said = in_words(problem)
    if problem.errno not in OUT_OF_SPACE:
        return Failed(said)
    place = Path(os.fsdecode(problem.filename)) if problem.filename else call.place
    return Failed(said, detail=[told_free(place.absolute())], hints=[FREE_SOME])
