"""The keeper: a process beside the agents of a user that takes what their hooks tell.

One thread listens and is always there; another records, one event after the other. It sleeps until
somebody speaks, and ends when nobody has for half an hour, when it is asked to, or when its lock or
its socket is another's by now. It knows nothing of chats: who records is handed in.
"""

import contextlib
import json
import os
import select
import socket
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic

from cleveragents.hooks.client import DONE, FAILED, OTHER, SPOOL, WAIT
from cleveragents.hooks.identity import Identity
from cleveragents.hooks.intake import Intake, NotNow, Recorder, Told
from cleveragents.ids import now
from cleveragents.records import frozen
from cleveragents.storage import address

UNWATCHED = 1.0  # seconds between looks at its lock and socket, where nobody tells of them
QUIET = 10.0  # seconds without an event, after which there is time to free space
IDLE = 30 * 60.0  # seconds after which it ends
MOST_BYTES = 8 << 20  # of one line
PIECE = 1 << 16
PATIENCE = 1.0  # seconds that who asked may take to read an answer
GONE_ON = 0.0  # a moment that has passed
GONE = select.POLLHUP | select.POLLRDHUP | select.POLLERR

Roots = Callable[[], list[str]]


@frozen
class Job:
    """An event that waits to be recorded, and who waits for the answer."""

    line: socket.socket
    told: Told
    until: float


class Keeper:
    """Listens, and has recorded what it hears."""

    def __init__(
        self,
        identity: Identity,
        recorder: Recorder,
        intake: Intake,
        speaks: str,
        roots: Roots,
        quiet: float = QUIET,
    ) -> None:
        self._identity = identity
        self._recorder = recorder
        self._intake = intake
        self._speaks = speaks
        self._roots = roots
        self._since = now()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._unfinished = 0  # jobs, as the listening thread counts them
        self._recorded = 0  # jobs, as the recording thread does
        self._looks: dict[str, float] = {}  # first looks under way, and until when they are awaited
        self._heard: dict[int, tuple[socket.socket, bytes]] = {}  # lines that are not whole yet
        self._ready = select.poll()
        self._is_ending = False
        self._is_tidy = True
        self._quiet = quiet

    def serve(self, idle: float = IDLE) -> None:
        """Works until there is a reason to end; nothing that was answered is lost then."""
        self._ready.register(self._identity.listener, select.POLLIN)
        if self._identity.watch >= 0:
            self._ready.register(self._identity.watch, select.POLLIN)
        recording = Thread(target=self._record_all, name="recording")
        recording.start()
        try:
            self._listen(idle)
        finally:
            self._identity.leave()
            self._jobs.put(None)
            recording.join()
            self._identity.release()
            for line, _ in self._heard.values():
                line.close()

    def _listen(self, idle: float) -> None:
        until = monotonic() + idle
        while not self._is_ending:
            found = self._ready.poll(self._pause(until) * 1000)
            if found:
                until = monotonic() + idle
            elif monotonic() >= until:
                if self._unfinished == self._recorded:
                    return
                until = monotonic() + idle
            for fd, _ in found:
                self._hear(fd)
            if self._identity.watch < 0:
                self._is_ending |= not self._identity.is_ours

    def _pause(self, until: float) -> float:
        """Seconds until something is to be done though nobody speaks."""
        left = max(0.0, until - monotonic())
        return left if self._identity.watch >= 0 else min(left, UNWATCHED)

    def _hear(self, fd: int) -> None:
        if fd == self._identity.listener.fileno():
            self._accept()
        elif fd == self._identity.watch:
            with contextlib.suppress(BlockingIOError):
                os.read(fd, PIECE)
            self._is_ending |= not self._identity.is_ours
        else:
            self._read(fd)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # it is gone again, or there are too many
            line, _ = self._identity.listener.accept()
            if not address.is_ours(line):
                line.close()
                return
            line.settimeout(0)
            self._heard[line.fileno()] = (line, b"")
            self._ready.register(line, select.POLLIN)

    def _read(self, fd: int) -> None:
        """Reads on; a line that is whole is no longer listened to, but answered."""
        line, heard = self._heard[fd]
        piece = b""
        with contextlib.suppress(OSError):
            piece = line.recv(PIECE)
        heard += piece
        self._heard[fd] = (line, heard)
        is_whole = heard.endswith(b"\n")
        if piece and not is_whole and len(heard) < MOST_BYTES:
            return
        del self._heard[fd]
        self._ready.unregister(fd)
        if not is_whole or not self._is_heeded(line, heard):
            line.close()

    def _is_heeded(self, line: socket.socket, heard: bytes) -> bool:
        """Does what was asked; False: nothing more will be said to who asked."""
        speaks, _, asked = heard.strip().partition(b" ")
        verb, _, rest = asked.partition(b" ")
        if speaks != self._speaks.encode():
            _say(line, f"{OTHER} {self._speaks}")
            self._is_ending = True
        elif verb == b"event":
            return self._is_queued(line, rest)
        elif verb == b"status":
            _say(line, json.dumps(self._status()))
        elif verb == b"stop":
            # Who asked waits until this is closed, and that is when all is done.
            self._heard[line.fileno()] = (line, b"")
            self._is_ending = True
            return True
        return False

    def _is_queued(self, line: socket.socket, rest: bytes) -> bool:
        until, _, body = rest.partition(b" ")
        try:
            told, awaited = Told.of_line(body), float(until)
        except ValueError:
            return False
        if told.is_call and told.root in self._looks:
            awaited = self._looks[told.root]
            _say(line, f"{WAIT} {awaited!r}")
        self._unfinished += 1
        self._jobs.put(Job(line, told, awaited))
        return True

    def _status(self) -> dict[str, object]:
        return {
            "pid": os.getpid(),
            "since": self._since.isoformat(),
            "socket": self._identity.path,
            "events": self._recorded,
            "waiting": self._unfinished - self._recorded,
            "roots": self._roots(),
        }

    def _record_all(self) -> None:
        """Records what comes, in the thread that is there for that."""
        self._intake.take_spooled()
        while (job := self._next()) is not None:
            self._record(job)
            self._recorded += 1
            self._is_tidy = False

    def _next(self) -> Job | None:
        """Waits for what comes; once nobody has spoken for a while, there is time to tidy up."""
        if not self._is_tidy:
            with contextlib.suppress(Empty):
                return self._jobs.get(timeout=self._quiet)
            self._is_tidy = True
            try:
                self._recorder.tidy(lambda: not self._jobs.empty())
            except Exception as problem:  # noqa: BLE001 - events are recorded all the same
                self._intake.failed(problem)
        return self._jobs.get()

    def _record(self, job: Job) -> None:
        job.line.settimeout(PATIENCE)
        with job.line:
            try:
                until = GONE_ON if _has_left(job.line) else self._awaited(job)
                said = f"{DONE} {self._intake.take(job.told, until)}"
            except NotNow:
                said = SPOOL
            except Exception as problem:  # noqa: BLE001 - the next event may be recorded again
                self._intake.failed(problem)
                said = FAILED
            self._looks.pop(job.told.root, None)
            _say(job.line, said)

    def _awaited(self, job: Job) -> float:
        """Until when the event is waited for: longer where a directory is looked at first.

        That only calls wait for: who tells anything else goes on before.
        """
        more = self._recorder.patience(job.told)
        if not more:
            return job.until
        until = max(job.until, monotonic() + more)
        self._looks[job.told.root] = until
        if not job.told.is_call:
            return job.until
        _say(job.line, f"{WAIT} {until!r}")
        return until


def _has_left(line: socket.socket) -> bool:
    """Whether who asked has gone: it has spooled the event, or was killed."""
    ready = select.poll()
    ready.register(line, select.POLLRDHUP)
    return any(what & GONE for _, what in ready.poll(0))


def _say(line: socket.socket, text: str) -> None:
    """Says one line; who asked may have gone."""
    with contextlib.suppress(OSError):
        line.sendall(text.encode("utf-8", "replace") + b"\n")
