"""Bisect: finds the first checkpoint at which a command fails.

Each state is tried in a throw-away directory, never in the plan's sandbox. Only what is stored is
read, and nothing of that goes meanwhile; so the plan needs no owner and may be running.
"""

import os
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cleveragents.checkpoints.checkpoint import Checkpoint, lineage
from cleveragents.checkpoints.stored import document_of, verified
from cleveragents.errors import Failed, InvalidInput, Refused
from cleveragents.events import CheckpointTried, Reporter, StepOutput
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.handed import handed_by
from cleveragents.plans.plan import Plan
from cleveragents.plans.step_run import StepRun, StepRunRepository
from cleveragents.records import frozen
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.sandbox.throw_away import ThrowAway
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.tree.record import Snapshot
from cleveragents.storage.database import Database
from cleveragents.tools.commands import CallRules, Commands, run_line

TAIL_LINES = 10


@frozen
class Trial:
    """How the command ended at a checkpoint."""

    checkpoint: Checkpoint
    exit_code: int
    seconds: float
    tail: tuple[str, ...]  # the last of what it printed

    @property
    def passed(self) -> bool:
        """Whether it came to a good end."""
        return self.exit_code == 0


@frozen
class Found:
    """Where a command starts to fail."""

    good: Checkpoint  # the last one at which it passes
    bad: Trial  # the first one at which it fails
    steps: tuple[StepRun, ...]  # what ran between the two
    subplans: tuple[Plan, ...]  # whose results were merged between them
    tried: tuple[Trial, ...]  # in the order they were tried


@frozen
class SameFiles:
    """Checkpoints in a row that hold the same files."""

    rows: tuple[Checkpoint, ...]
    snapshot: Snapshot


class Bisection:
    """Tries a command at checkpoints of plans; changes nothing and needs no lock."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        commands: Commands,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._commands = commands
        self._report = report

    def find(self, plan: Plan, rows: Sequence[Checkpoint], command: str) -> Found:
        """Finds the first of the checkpoints at which the command fails."""
        archive = self._sandboxes.archive(plan.project_id)
        tried: dict[int, Trial] = {}
        with (
            archive.holding("looking for the first checkpoint at which a command fails"),
            self._sandboxes.throw_away(plan.project_id) as room,
        ):
            states = distinct(archive, rows)

            def passes(index: int) -> bool:
                tried[index] = self._try(plan, room, states[index], command)
                return tried[index].passed

            _refuse_without_border(states, passes, tried)
            good = last_good(len(states), passes)
            last, first = states[good].rows[-1], states[good + 1].rows[0]
            steps, merged = self._between(archive, last, first)
        return Found(last, tried[good + 1], steps, merged, tuple(tried.values()))

    def _between(
        self, archive: Archive, good: Checkpoint, bad: Checkpoint
    ) -> tuple[tuple[StepRun, ...], tuple[Plan, ...]]:
        """Returns the steps that ran between two checkpoints, and the subplans merged there."""
        before, after = (document_of(verified(archive, row)) for row in (good, bad))
        with self._database.reading() as connection:
            runs = StepRunRepository(connection).of_plan(good.plan_id)
            children = ChildRepository(connection).of_plan(good.plan_id)
        ran = set(after.counting) - set(before.counting)
        merged = {one for one, ref in after.children.items() if ref != before.children.get(one)}
        return (
            tuple(run for run in runs if run.step_run_id in ran),
            tuple(child for child in children if child.plan_id in merged),
        )

    def _try(self, plan: Plan, room: ThrowAway, state: SameFiles, command: str) -> Trial:
        tree = room.become(state.snapshot)
        row = state.rows[0]
        _refuse_closed(tree, row)
        began = time.monotonic()
        self._commands.heed(plan.plan_id, lambda: handed_by(plan.action))
        call = self._commands.call(
            plan.plan_id,
            tree,
            room.mark,
            room.home / "output",
            must_stop=lambda: False,  # an interrupt ends it: nothing here must come to an end
            on_line=lambda text: self._report(StepOutput(plan.plan_id, text)),
            rules=CallRules(confine=tuple(filter(None, [plan.action.confine]))),
        )
        ended = run_line(call, command)
        seconds = round(time.monotonic() - began, 3)
        failed_for = call.cell.limits.met(ended.exit_code, ended.tail) if ended.exit_code else None
        if why := ended.exceeded or failed_for:
            raise Failed(
                f"at {row.name} the command was kept from its end, which tells nothing: {why}",
                hints=["try again with a higher limit: --set KEY=VALUE, or agents config set"],
            )
        self._report(CheckpointTried(plan.plan_id, row.seq, ended.exit_code, seconds))
        tail = tuple(ended.tail.splitlines()[-TAIL_LINES:])
        return Trial(row, ended.exit_code, seconds, tail)


def last_good(count: int, passes: Callable[[int], bool]) -> int:
    """Returns the last of so many states that passes, by halving; the first does, the last not."""
    good, bad = 0, count - 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if passes(middle):
            good = middle
        else:
            bad = middle
    return good


def line_between(
    rows: Sequence[Checkpoint], first: Checkpoint | None, last: Checkpoint | None
) -> Sequence[Checkpoint]:
    """Returns the checkpoints that lead from one to another, the oldest first.

    Without a first one from the start, without a last one to the newest.
    """
    until = [row for row in rows if last is None or row.seq <= last.seq]
    on_line = lineage(until)
    line = [row for row in until if row.checkpoint_id in on_line]
    if first is None:
        return line
    if first not in line:
        raise InvalidInput(
            f"{first.name} does not lead to {line[-1].name}",
            hints=[f"see: agents plan checkpoint list {first.plan_id}"],
        )
    return line[line.index(first) :]


def distinct(archive: Archive, rows: Sequence[Checkpoint]) -> Sequence[SameFiles]:
    """Puts checkpoints in a row that hold the same files together."""
    states: list[SameFiles] = []
    for row in rows:
        snapshot = verified(archive, row)
        if states and states[-1].snapshot.roots == snapshot.roots:
            states[-1] = SameFiles((*states[-1].rows, row), snapshot)
        else:
            states.append(SameFiles((row,), snapshot))
    return states


def _refuse_closed(tree: Path, row: Checkpoint) -> None:
    """Refuses a state whose top directory lets no command in."""
    if not os.access(tree, os.X_OK, effective_ids=True):
        mode = stat.S_IMODE(tree.stat().st_mode)
        raise Refused(
            f"the command cannot run at {row.name}: nobody may enter its top directory ./"
            f" (mode {mode:03o})",
            hints=[f"end the search before {row.name}, or start it later: --to, --from CHECKPOINT"],
        )


def _refuse_without_border(
    states: Sequence[SameFiles], passes: Callable[[int], bool], tried: Mapping[int, Trial]
) -> None:
    """Refuses unless the command fails at the last of the states and passes at the first."""
    if len(states) < 2:  # noqa: PLR2004 - a border lies between two
        raise Refused("there is nothing to search: the checkpoints all hold the same files")
    newest, oldest = len(states) - 1, 0
    if passes(newest):
        raise Refused(
            f"the command does not fail at {states[newest].rows[-1].name}, where the search ends",
            hints=["name one at which it fails: --to CHECKPOINT"],
        )
    if not passes(oldest):
        ended = tried[oldest]
        raise Refused(
            f"the command fails at {ended.checkpoint.name} already, where the search starts:"
            f" exit code {ended.exit_code}",
            detail=ended.tail,
            hints=["name one at which it passes: --from CHECKPOINT"],
        )
