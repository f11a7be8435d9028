"""A campaign: one operation after the other, with a fault at one place after the other."""

import multiprocessing
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from faults.judge import TORN, Judge, Problem
from faults.operations import OPERATIONS, Operation
from faults.room import Program, Room, import_everything
from faults.stage import Stage, is_newer_schema_there
from faults.tracing import Injection, SystemCall

Ended = Callable[[int, str], Iterable[Problem]]  # what is wrong with how it ended and what it said
# None: the command runs to its end, and only then something happens.
Choose = Callable[[Sequence[SystemCall]], Sequence[Injection | None]]


@dataclass(frozen=True)
class Trial:
    """One fault and what came of it."""

    operation: str
    fault: str
    happened: bool  # False: the command ended before it came so far
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Extent:
    """How much of a suite is to be run."""

    points: int  # per operation, at most
    offset: int  # another one takes other points
    names: tuple[str, ...]  # of operations; none: all
    workers: int
    first: bool = False  # stop at the first problem
    at: str = ""  # only at calls that this expression finds
    some: int | None = None  # of the operations; another offset takes others

    def operations(self) -> list[Operation]:
        """The operations that are named, or all for which there is something to do."""
        able = [
            operation
            for operation in OPERATIONS
            if (not self.names or operation.name in self.names)
            and (operation.start != "old" or is_newer_schema_there())
        ]
        first = self.offset % len(able)
        return (able[first:] + able[:first])[: self.some]

    def of(self, calls: Sequence[SystemCall]) -> list[SystemCall]:
        """Takes as many calls as are wanted at even distances."""
        calls = [call for call in calls if re.search(self.at, call.text)]
        if len(calls) <= self.points:
            return list(calls)
        step = len(calls) / max(1, self.points)
        return [calls[int(index * step + self.offset % step)] for index in range(self.points)]


class Campaign:
    """Tries faults on operations of a program; `choose` picks them from the calls it makes."""

    def __init__(
        self,
        program: Program,
        choose: Choose,
        extent: Extent,
        room: Callable[[Path, Program], Room] = Room,
        ended: Ended = lambda _, __: (),
    ) -> None:
        self._program = program
        self._choose = choose
        self._extent = extent
        self._room = room
        self.ended = ended

    def run(self, operations: Sequence[Operation]) -> list[Trial]:
        """Tries them all; each worker has a room of its own and takes its share of the faults."""
        import_everything()
        # Forked, so that workers have this object and every module already.
        forking = multiprocessing.get_context("fork")
        with tempfile.TemporaryDirectory(prefix="faults ") as home:
            answers: list[Connection] = []
            for number in range(self._extent.workers):
                answer, question = forking.Pipe(duplex=False)
                worker = _Worker(self, Path(home) / str(number), number, self._extent)
                forking.Process(target=worker.work, args=(operations, question)).start()
                question.close()
                answers.append(answer)
            return [tried for answer in answers for tried in answer.recv()]

    def choose(self, calls: Sequence[SystemCall]) -> Sequence[Injection | None]:
        """Picks the faults to try."""
        return self._choose(calls)

    def stage(self, home: Path, *, repository: bool) -> Stage:
        """Makes a place to try them."""
        return Stage(self._room(home, self._program), repository=repository)


class _Worker:
    def __init__(self, campaign: Campaign, home: Path, number: int, extent: Extent) -> None:
        self._campaign = campaign
        self._home = home
        self._number = number
        self._extent = extent
        self._stages: dict[bool, Stage] = {}

    def work(self, operations: Sequence[Operation], answer: Connection) -> None:
        tried = [one for operation in operations for one in self._share_of(operation)]
        for stage in self._stages.values():
            stage.remove()
        answer.send(tried)

    def _share_of(self, operation: Operation) -> Iterator[Trial]:
        if operation.repository not in self._stages:
            home = self._home / ("git" if operation.repository else "plain")
            self._stages[operation.repository] = self._campaign.stage(
                home, repository=operation.repository
            )
        stage = self._stages[operation.repository]
        try:
            judge = Judge(stage, operation)
        except AssertionError as error:
            wrong = Problem(TORN, str(error))
            yield Trial(
                operation.name,
                f"{operation.name}: no fault at all",
                happened=True,
                problems=(wrong,),
            )
            return
        stage.start(operation.start)
        injections = self._campaign.choose(stage.room.calls(operation.line))
        if self._number == 0:  # a whole suite takes an hour: let whoever waits see how far it is
            print(f"{operation.name}: {len(injections)} faults", file=sys.stderr, flush=True)
        for turn in range(self._number, len(injections), self._extent.workers):
            tried = self._try(stage, judge, operation, turn, injections[turn])
            yield tried
            if tried.problems and self._extent.first:
                break

    def _try(
        self,
        stage: Stage,
        judge: Judge,
        operation: Operation,
        turn: int,
        injection: Injection | None,
    ) -> Trial:
        stage.start(operation.start)
        said = f"{operation.name}: {injection or 'after its end'}"
        try:
            code = stage.room.trace(operation.line, injection)
            happened = injection is None or code == -signal.SIGKILL or stage.room.was_injected
            problems = [*self._campaign.ended(code, stage.room.said)]
            stage.room.settle()
            problems += judge.problems(turn, success=code == 0)
        except TimeoutError as error:
            return Trial(operation.name, said, happened=True, problems=(Problem(TORN, str(error)),))
        return Trial(operation.name, said, happened, tuple(problems))
