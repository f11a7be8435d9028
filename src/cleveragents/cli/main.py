"""`agents`: finds the command and runs it; what it does not need is not imported."""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType

COMPLETE = "__complete"  # asked by the shell, see completion.py

OTHERS = 0o077  # the part of a mode that is about anybody but the owner
STREAMS = (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", STDERR := 2, "w"))


def main() -> None:
    """The entry point of the installed command."""
    os.umask(os.umask(0) & OTHERS)  # what keeps us from our own files would keep us from all
    _open_standard_streams()  # before anything else is opened and takes one of their numbers
    if sys.getfilesystemencoding() != "utf-8":
        _start_again_with_utf8_names()
    code = run(sys.argv[1:], _load_for_good)
    gc.freeze()  # all of it goes with the process: to look for garbage in it took a fifth of a call
    sys.exit(code)


def _open_standard_streams() -> None:
    """Connects the standard streams that the caller has closed to nothing, for steps as well."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        os.set_inheritable(number, True)
    os.close(number)
    for name, number, mode in STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115 - never closed


def _start_again_with_utf8_names() -> None:
    """Lets Python take names and files for UTF-8, whatever the locale; the terminal keeps its own.

    In a locale such as de_DE.ISO-8859-1 it would refuse names that the locale cannot write.
    """
    import locale

    terminal = {"PYTHONIOENCODING": locale.getencoding()}  # unless the caller has said more
    again = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execve(sys.executable, again, {**terminal, **os.environ})  # noqa: S606 - this very program


def _load(name: str) -> ModuleType:
    """Imports the module of the command that is called: the last thing before it starts."""
    module = import_module(name)
    gc.enable()
    return module


def _load_for_good(name: str) -> ModuleType:
    """The same for a process of one command: no look for garbage goes through what is imported."""
    module = _load(name)
    gc.freeze()
    return module


def run(arguments: Sequence[str], load: Callable[[str], ModuleType] = _load) -> int:
    """Runs one command line and returns its exit code."""
    if list(arguments) == ["--version"]:  # answered before anything slow is imported
        from cleveragents import __version__

        sys.stdout.write(f"cleveragents {__version__}\n")
        return 0
    if arguments[:1] == [COMPLETE]:  # likewise, at every Tab
        from cleveragents.cli.candidates import lines

        sys.stdout.writelines(lines(arguments[1:]))
        return 0
    gc.disable()  # what is imported stays; to look for garbage in it is a tenth of start-up
    try:
        from cleveragents.cli.boundary import guarded

        return guarded(arguments, load)
    finally:
        gc.enable()
