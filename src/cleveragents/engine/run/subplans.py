"""A group of subplans: spawned, run at the same time or in turn, and merged into their parent.

Each child is a plan of its own: what it has finished stays finished, whatever happens to others or
to this process, and a second run of the step does only what is left.
"""

import time
from collections.abc import Callable
from functools import partial
from threading import Event

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.counting import counted
from cleveragents.engine.back.checkpoint_acts import CheckpointActs
from cleveragents.engine.hold.stopping import StopRequests
from cleveragents.engine.run.borders import StepBorders
from cleveragents.engine.run.conflicted import ConflictStop
from cleveragents.engine.run.dispatch import Dispatcher, Work, WorkEnd, WorkStatus
from cleveragents.engine.run.merge import Conflicting, Merges
from cleveragents.engine.run.spawn import Spawns
from cleveragents.errors import CleverAgentsError
from cleveragents.events import PlanMoved, Reporter, SubplanEnded, SubplanStarted
from cleveragents.ids import PlanId
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.cursor import following, step_at
from cleveragents.plans.group import Group, Progress
from cleveragents.plans.lifecycle import CANCELLED, COMPLETE, QUEUED
from cleveragents.plans.plan import Plan, PlanRepository
from cleveragents.plans.step import MergeStrategy, Subplan, SubplansStep
from cleveragents.records import field, frozen, mutable
from cleveragents.sandbox.sandbox import Sandbox, SandboxRepository
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.storage.database import Database
from cleveragents.storage.held import Held, Hold
from cleveragents.tools.tool import failed as not_done

LOOK_SECONDS = 0.1  # between looks whether the group is to stop, or a child takes too long

UNDER_WAY = (WorkStatus.QUEUED, WorkStatus.RUNNING)

PlanDispatcher = Dispatcher[Plan]


@mutable
class _GroupRun:
    """A group while it runs."""

    held: Held
    plan: Plan
    step: SubplansStep
    group: Group
    children: dict[str, Plan]  # by name
    dispatcher: PlanDispatcher = field(init=False)
    tried: dict[str, int] = field(default_factory=dict[str, int])  # attempts so far
    began: dict[str, float] = field(default_factory=dict[str, float])
    late: set[str] = field(default_factory=set[str])  # stopped because they took too long
    problems: dict[str, str] = field(default_factory=dict[str, str])
    halted: Event = field(default_factory=Event)  # with fail_fast: nothing more may begin

    def name_of(self, child_id: PlanId) -> str:
        """Returns what a child is called in the group."""
        return next(name for name, child in self.children.items() if child.plan_id == child_id)


@frozen
class Runner:
    """How children are run: by whom, how many at once, and what stops them."""

    run: Callable[[PlanId], Plan]
    hold: Hold
    dispatcher: Callable[[int, Work[Plan]], PlanDispatcher]
    stopping: StopRequests
    conflict_stop: ConflictStop


class SubplanSteps:
    """Runs the steps that are groups of subplans."""

    def __init__(
        self,
        database: Database,
        sandboxes: Sandboxes,
        checkpoints: CheckpointActs,
        borders: StepBorders,
        merges: Merges,
        runner: Runner,
        report: Reporter,
    ) -> None:
        self._database = database
        self._sandboxes = sandboxes
        self._checkpoints = checkpoints
        self._borders = borders
        self._merges = merges
        self._spawning = Spawns(database, sandboxes, checkpoints)
        self._runner = runner
        self._report = report

    def run(
        self,
        held: Held,
        plan: Plan,
        step: SubplansStep,
        sandbox: Sandbox,  # noqa: ARG002 - of every kind
    ) -> bool:
        """Runs what is left of the group; tells if all of it is merged."""
        self._borders.enter(held, plan, step)
        children = self._children(held, plan)
        progress = {name: _progress(child) for name, child in children.items()}
        group = Group(step.subplans, progress)
        running = _GroupRun(held, plan, step, group, children)
        work = Work(partial(self._run, running), self._runner.stopping.ask)
        with self._runner.dispatcher(group.at_once, work) as running.dispatcher:
            for name in group.names(Progress.RUNNING):
                self._submit(running, name)
            while not group.is_over and not self._waits(running):
                self._go_on(running)
        failed = group.names(Progress.FAILED, Progress.SKIPPED)
        if failed:
            self._give_up(running, failed)
        elif group.is_over:
            self._close(held, plan)
        else:
            self._wait(held)
        return group.is_over and not failed

    def merge_again(self, child: Plan) -> None:
        """Merges what a child has become since it was merged, if it was run by itself."""
        waits = self._runner.conflict_stop.waited_for
        if child.stage != COMPLETE or child.merged_ref is None or child.parent_plan_id is None:
            return
        with self._runner.hold(child.parent_plan_id, f"merging {child.name} again") as held:
            plan = self._plan(child.parent_plan_id)
            step = step_at(plan.action.steps, str(child.parent_step))
            if isinstance(step, SubplansStep) and not waits(child.plan_id):
                self._merge_one(held, plan, child, step.subplans.merge)

    def _children(self, held: Held, plan: Plan) -> dict[str, Plan]:
        """Returns the children that an earlier run of the step left; skipped ones are let go."""
        with self._database.writing(held) as connection:
            repository = ChildRepository(connection)
            found = [
                child
                for child in repository.counting(plan.plan_id)
                if child.parent_step == plan.cursor
            ]
            places = SandboxRepository(connection)
            skipped = [child for child in found if places.of_plan(child.plan_id) is None]
            for child in skipped:
                repository.supersede(child.plan_id, by=plan.plan_id)
        return {child.name: child for child in found if child not in skipped}

    def _go_on(self, running: _GroupRun) -> None:
        """Does what can be done, then waits for a moment for something to end."""
        group = running.group
        for subplan in group.hopeless():
            self._skip(running, subplan)
        ready = group.ready()
        if ready and not self._runner.conflict_stop.waited_for(running.plan.plan_id):
            for child in self._spawning.spawn(running.held, running.plan, ready):
                running.children[child.name] = child
                group.progress[child.name] = Progress.RUNNING
                self._submit(running, child.name)
        name = group.to_merge()
        if name is not None:
            self._merge(running, name)
        elif group.names(Progress.RUNNING):
            ended = running.dispatcher.wait(LOOK_SECONDS)
            self._look(running)
            if ended is not None:
                self._note_end(running, ended)

    def _waits(self, running: _GroupRun) -> bool:
        """Tells whether all that is left waits until conflicts are resolved."""
        group = running.group
        if group.names(Progress.RUNNING) or group.to_merge() is not None:
            return False
        is_held = bool(self._runner.conflict_stop.waited_for(running.plan.plan_id))
        return is_held or bool(group.names(Progress.CONFLICTED))

    def _submit(self, running: _GroupRun, name: str) -> None:
        child_id = running.children[name].plan_id
        running.tried[name] = running.tried.get(name, 0) + 1
        running.late.discard(name)
        running.began.pop(name, None)
        self._report(SubplanStarted(running.plan.plan_id, child_id, name, running.tried[name]))
        running.dispatcher.submit(child_id)

    def _run(self, running: _GroupRun, child_id: PlanId) -> Plan:
        """Runs a child, in whatever thread the dispatcher has for it."""
        child = self._plan(child_id)
        if running.halted.is_set():
            return child
        name = child.name  # not from `running`: its children are added to by another thread
        running.began[name] = time.monotonic()
        complete = False
        try:
            child = self._run_child(child_id)
            complete = child.stage == COMPLETE
        finally:  # here: once this thread is free, the next one that waits begins
            subplans = running.step.subplans
            is_last = subplans.fail_fast and running.tried[name] > subplans.retries
            if is_last and not complete and not self._runner.conflict_stop.waited_for(child_id):
                running.halted.set()
        return child

    def _run_child(self, child_id: PlanId) -> Plan:
        try:
            return self._runner.run(child_id)
        finally:
            sandbox = self._sandboxes.find(child_id)
            if sandbox is not None:  # its changes need no longer be followed
                project_id = self._plan(child_id).project_id
                self._sandboxes.archive(project_id).release(sandbox.roots)

    def _look(self, running: _GroupRun) -> None:
        """Stops everything if the parent is to stop, and children that take too long."""
        plan_id, stopping = running.plan.plan_id, self._runner.stopping
        if stopping.is_due(plan_id):
            self._stop_all(running)
            stopping.check(plan_id)
        timeout = running.step.subplans.timeout
        for name in running.group.names(Progress.RUNNING):
            began = running.began.get(name)  # none while it is queued
            if timeout and began is not None and time.monotonic() - began > timeout:
                running.late.add(name)
                running.dispatcher.cancel(running.children[name].plan_id)

    def _stop_all(self, running: _GroupRun) -> None:
        """Stops what runs and takes what is queued out; returns when nothing runs any more."""
        dispatcher = running.dispatcher
        ids = [running.children[name].plan_id for name in running.group.names(Progress.RUNNING)]
        while going := [key for key in ids if dispatcher.status(key) in UNDER_WAY]:
            for key in going:  # one that was just about to begin forgets what it was asked before
                dispatcher.cancel(key)
            dispatcher.wait(LOOK_SECONDS)
        for child_id in ids:
            self._cancel_queued(running.held, child_id)

    def _note_end(self, running: _GroupRun, ended: WorkEnd[Plan]) -> None:
        """Notes what came of an attempt: it is complete, tried again, or has failed for good."""
        name = running.name_of(ended.plan_id)
        if ended.error is not None and not isinstance(ended.error, CleverAgentsError | OSError):
            raise ended.error
        child = running.children[name] = self._plan(ended.plan_id)
        if self._holds_up(running, child):
            return
        if child.stage == QUEUED and running.halted.is_set():
            return  # it did not begin; whoever has failed takes it along
        if child.stage == COMPLETE:
            running.group.progress[name] = Progress.COMPLETE
            self._report(SubplanEnded(running.plan.plan_id, name, child.state, "", 0))
            return
        reason = _reason(running, child, ended)
        is_final = child.stage == CANCELLED and name not in running.late
        left = 0 if is_final else running.step.subplans.retries + 1 - running.tried[name]
        self._report(SubplanEnded(running.plan.plan_id, name, child.state, reason, left))
        if left > 0:
            self._submit(running, name)
            return
        self._fail(running, name, reason)

    def _holds_up(self, running: _GroupRun, child: Plan) -> bool:
        """Notes that a child waits for the user, if it does: that is neither failure nor result."""
        left = self._runner.conflict_stop.waited_for(child.plan_id)
        if not left or child.stage == CANCELLED:
            return False
        running.group.progress[child.name] = Progress.CONFLICTED
        reason = f"{counted(len(left), 'conflict is', 'conflicts are')} open in it"
        self._report(SubplanEnded(running.plan.plan_id, child.name, child.state, reason, 0))
        return True

    def _fail(self, running: _GroupRun, name: str, reason: str) -> None:
        group = running.group
        group.progress[name] = Progress.FAILED
        running.problems[name] = reason
        if group.is_stopped:
            others = group.names(Progress.RUNNING)
            self._stop_all(running)
            for other in others:
                group.progress[other] = Progress.SKIPPED
                running.problems[other] = f"stopped because {name} failed"

    def _skip(self, running: _GroupRun, subplan: Subplan) -> None:
        lost = [name for name in subplan.needs if name in running.problems]
        reason = f"not run: {', '.join(lost or running.problems)} failed"
        running.children[subplan.name] = self._spawning.skip(
            running.held, running.plan, subplan, reason
        )
        running.group.progress[subplan.name] = Progress.SKIPPED
        running.problems[subplan.name] = reason

    def _merge(self, running: _GroupRun, name: str) -> None:
        child, strategy = running.children[name], running.step.subplans.merge
        if self._holds_up(running, child):  # its conflicts are older than this run
            return
        try:
            self._merge_one(running.held, running.plan, child, strategy)
        except Conflicting as error:
            self._fail(running, name, "; ".join((error.message, *error.detail)))
            return
        running.group.progress[name] = Progress.MERGED

    def _merge_one(self, held: Held, plan: Plan, child: Plan, strategy: MergeStrategy) -> None:
        self._merges.merge(held, plan, child, strategy)
        if plan.keeps_checkpoints:
            self._checkpoints.make_due(held, Trigger.AFTER_SUBPLAN, f"merged {child.name}")

    def _give_up(self, running: _GroupRun, failed: list[str]) -> None:
        """Fails the step; what is merged stays, so that only the rest runs again."""
        plan = running.plan
        lines = [f"{name}: {running.problems[name]}" for name in failed]
        outcome = not_done(f"subplans did not succeed: {', '.join(failed)}", "\n".join(lines))
        before = None
        if plan.keeps_checkpoints:
            wanted = CheckpointRequest(
                CheckpointType.SUBPLAN, "subplans ended", even_if_unchanged=False
            )
            before = self._checkpoints.make(running.held, wanted)
        self._borders.give_up(running.held, plan, outcome, before, tool="subplans")

    def _wait(self, held: Held) -> None:
        """Leaves the plan before what is left of the group, until conflicts are resolved."""
        with self._database.writing(held) as connection:
            moved = PlanRepository(connection).move(held.plan_id, QUEUED)
        self._report(PlanMoved(held.plan_id, moved.phase, moved.state))

    def _close(self, held: Held, plan: Plan) -> None:
        with self._database.writing(held) as connection:
            reached = following(plan.action.steps, plan.cursor)
            PlanRepository(connection).set_cursor(plan.plan_id, reached)

    def _cancel_queued(self, held: Held, child_id: PlanId) -> None:
        with self._database.writing(held) as connection:
            child = PlanRepository(connection).get(child_id)
            if child.stage == QUEUED:
                ChildRepository(connection).cancel(child)

    def _plan(self, plan_id: PlanId) -> Plan:
        with self._database.reading() as connection:
            return PlanRepository(connection).get(plan_id)


def _progress(child: Plan) -> Progress:
    if child.merged_ref is not None:
        return Progress.MERGED
    return Progress.COMPLETE if child.stage == COMPLETE else Progress.RUNNING


def _reason(running: _GroupRun, child: Plan, ended: WorkEnd[Plan]) -> str:
    if child.name in running.late:
        return f"took longer than {running.step.subplans.timeout:g} s"
    if child.error is not None:
        step = f"step {child.error.step}: " if child.error.step else ""
        return f"{step}{child.error.message}"
    return str(ended.error) if ended.error is not None else "cancelled"
