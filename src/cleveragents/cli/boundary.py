"""The one error boundary: what goes wrong in a command becomes message, hint and exit code."""

import errno
import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from cleveragents import __version__
from cleveragents.cli.console import silence
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.printed import PrintedCommands
from cleveragents.cli.reading import CommandLine
from cleveragents.cli.render import Format, Result, paper_for, show, show_error
from cleveragents.cli.signals import Signals
from cleveragents.cli.signs import show_every_sign
from cleveragents.cli.table.entries import Command
from cleveragents.cli.table.words import VERSION
from cleveragents.errors import CleverAgentsError, Failed, Gone, in_words
from cleveragents.sandbox.adoption import ADOPTS

Load = Callable[[str], ModuleType]
# As many as are asked for: steps get the same limit, and some programs close all they might have.
DESCRIPTORS = 4096


def guarded(arguments: Sequence[str], load: Load) -> int:
    """Runs a command line; whatever goes wrong is told, and what nobody foresaw is kept."""
    line, call = CommandLine(arguments), Invocation()
    show_every_sign(sys.stdout)
    show_every_sign(sys.stderr)
    try:
        with Signals(call.interrupt, call.notice):
            return _answered(line, load, call)
    except CleverAgentsError as problem:
        error = problem
    except OSError as problem:
        error = _denied(problem, call)
    except KeyboardInterrupt:
        error = call.interrupted
    except Exception as problem:  # noqa: BLE001 - nobody else tells it
        error = _unforeseen(problem, arguments, call)
    call.close()
    printed = PrintedCommands.of(call)
    messages = printed.texts(list(dict.fromkeys(call.messages)))
    show_error(
        _masked(printed.error(error)), _form(line, call), call.command, call.timing, messages
    )
    return error.exit_code


def _masked(error: CleverAgentsError) -> CleverAgentsError:
    """Masks secrets in what is told of an error: git and others quote what they were given."""
    from cleveragents.masking import Masking  # only errors are told here

    masked = Masking().text
    error.message = masked(error.message)
    error.detail, error.hints = (tuple(map(masked, said)) for said in (error.detail, error.hints))
    return error


def _answered(line: CommandLine, load: Load, call: Invocation) -> int:
    """Reads the line and does what it says; help and version are answers as well."""
    try:
        line.read()
    finally:
        call.take(line.command, line.everywhere)
    if line.asked is not None or not isinstance(line.node, Command):
        _write(lambda: _tell(line, call))
        return 0
    _prepare_for_steps()
    module, _, name = line.node.function.partition(":")
    function = getattr(load(f"cleveragents.cli.{module}"), name)
    result: Result = function(call, **line.given)
    call.close()
    messages = list(dict.fromkeys([*call.messages, *result.messages]))
    whole = PrintedCommands.of(call).result(result._replace(messages=messages))
    _write(lambda: show(whole, call.form, call.command, call.timing))
    return result.exit_code


def _tell(line: CommandLine, call: Invocation) -> None:
    """Tells the version or shows help."""
    if line.asked is VERSION:
        sys.stdout.write(f"cleveragents {__version__}\n")
        return
    from cleveragents.cli.help import show_help  # what is carried out needs none

    show_help(line.command.split(), line.node, paper_for(_form(line, call), sys.stdout))


def _form(line: CommandLine, call: Invocation) -> Format:
    """The format that was asked for, also by words that were not read any more."""
    return call.format or Format(line.format_unread or Format.RICH)


def _write(write: Callable[[], None]) -> None:
    """Lets something be written; that it cannot be takes nothing of it back."""
    try:
        write()
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


def _prepare_for_steps() -> None:
    """Adopts what steps leave, and raises the limit on open files as far as everybody may."""
    ADOPTS.set()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _unforeseen(
    problem: Exception, arguments: Sequence[str], call: Invocation
) -> CleverAgentsError:
    """Keeps a surprise; who asks for more sees at once where it happened."""
    import traceback  # slow to import, and hardly ever needed

    from cleveragents.cli import surprise

    if call.verbose:
        lines = traceback.format_exception(problem)
        sys.stderr.write(surprise.without_secrets("".join(lines), arguments))
    return surprise.told(problem, arguments, call.place)


def _denied(problem: OSError, call: Invocation) -> CleverAgentsError:
    """The refusal of the system, in its own words; of a full disk also which one, and how full."""
    from cleveragents.storage.space import FREE_SOME, OUT_OF_SPACE, told_free

    said = in_words(problem)
    if problem.errno == errno.ENOENT and _stands_nowhere():
        return Gone(
            "the directory that you are in is gone",
            hints=[
                "go to where it is now, or to another one: cd DIR",
                'or, if it was made again, into the new one: cd "$PWD"',
            ],
        )
    if problem.errno not in OUT_OF_SPACE:
        return Failed(said)
    place = Path(os.fsdecode(problem.filename)) if problem.filename else call.place
    return Failed(said, detail=[told_free(place.absolute())], hints=[FREE_SOME])


def _stands_nowhere() -> bool:
    """Whether the directory that this process is in was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False
