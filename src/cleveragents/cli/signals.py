"""Signals: the first lets what is under way stop safely, a second ends the process at once."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from types import FrameType, TracebackType
from typing import Self

from cleveragents.cli.console import Paper

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED = 130
SAFELY = "stopping where it is safe; once more ends it at once"
SHOW_CURSOR = "\x1b[?25h"


class Signals:
    """While inside, signals are heeded; those that the caller ignores stay ignored."""

    def __init__(
        self,
        interrupt: Callable[[], bool],
        show: Callable[[str], bool] = lambda _: False,
        end: Callable[[int], object] = os._exit,
    ) -> None:
        self._interrupt = interrupt  # tells whether something will stop by itself
        self._show = show  # shows a notice with what is drawn; tells whether anything is
        self._end_process = end
        self._restore = ExitStack()
        self._told = False

    def __enter__(self) -> Self:
        for number in STOPPING:
            before = signal.getsignal(number)
            if before not in (signal.SIG_IGN, None):
                self._restore.callback(signal.signal, number, before)
                signal.signal(number, self._heed)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore.close()

    def _heed(self, _: int, __: FrameType | None) -> None:
        if self._told:
            self._end()
        elif self._interrupt():
            self._told = True
            if not self._show(SAFELY):
                self._say(f"{SAFELY}\n")
        else:
            raise KeyboardInterrupt

    def _end(self) -> None:
        """Ends this process as a crash would: the next command recovers."""
        from cleveragents.sandbox.survivors import kill_steps  # here by now, if there are any

        kill_steps()
        self._say(f"\n{SHOW_CURSOR}" if Paper(sys.stderr).can_be_drawn_on else "")
        self._end_process(INTERRUPTED)

    def _say(self, text: str) -> None:
        with suppress(OSError):  # a terminal that was closed hears nothing
            os.write(sys.stderr.fileno(), text.encode())
