"""What every part of a kind promises, whoever wrote it: the suite that a new one has to pass.

Each kind has a table of promises, functions over a maker that the part brings with it. To add a
part is to add its maker to the table of makers; a promise that it breaks names itself.
"""

import errno
import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

from forked import RENAMES, die, forked, unwatch, watch
from inside import Inside
from oracle import assert_same, differences, picture
from trees import write

from cleveragents.checkpoints.checkpoint import CheckpointRepository
from cleveragents.engine.run.dispatch import Work
from cleveragents.engine.run.threads import ThreadDispatcher
from cleveragents.errors import CleverAgentsError, Interrupted
from cleveragents.ids import PlanId
from cleveragents.plans.action import Action
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.plans.plan import PlanRepository
from cleveragents.sandbox.project import locate, register
from cleveragents.sandbox.workplace import ProjectWorkplace
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.healing import Safeguard
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.giving_up import at_any_file
from cleveragents.snapshots.write import exchange, restore
from cleveragents.storage.held import Held

# --- workplaces ------------------------------------------------------------------------------


def _first(top):
    write(top, "same", b"same\n")
    write(top, "text", b"one\n")
    write(top, "gone", b"gone\n")
    write(top, "run", b"#!/bin/sh\n", 0o644)
    write(top, "kind", b"a file\n")
    write(top, "deep/er/est", b"deep\n", 0o600)
    write(top, "deep/same", b"same\n")
    write(top, b"\xff\n", b"no text\n")
    (top / "link").symlink_to("text")
    (top / "was/empty").mkdir(parents=True)


def _second(top):
    write(top, "same", b"same\n")
    write(top, "text", b"two\n")
    write(top, "new/in/it", b"new\n")
    write(top, "run", b"#!/bin/sh\n", 0o755)
    write(top, "kind/of", b"a directory\n")
    write(top, "deep/same", b"same\n")
    write(top, b"\xff\n", b"no text any more\n")
    (top / "link").symlink_to("same")
    (top / "now/empty").mkdir(parents=True)


TREES = {"first": _first, "second": _second}
MADE_NS = 1_700_000_000_000_000_001  # so that what is the same is of the same age
WRITTEN = {"text": b"by hand\n", "gone": b"by hand\n"}  # both differ between the two


class _Directory:
    """A directory that is brought from one state to another."""

    def __init__(self, world, top):
        self.top = top
        self.inside = Inside(world)
        self.stored = {}
        self.pictures = {}
        for name, make in TREES.items():
            self.become(make)
            self.pictures[name] = self.picture()
            self.stored[name] = self.store()

    def become(self, make):
        """Makes the files a tree, by hand."""
        for child in self.top.iterdir():
            if child.name != ".git":
                _remove(child)
        make(self.top)
        for path in self.top.rglob("*"):
            if path.is_file() and not path.is_symlink() and ".git" not in path.parts:
                os.utime(path, ns=(MADE_NS, MADE_NS))

    def picture(self):
        """What is there, as far as the kind of place promises it."""
        return picture(self.top, without=[b".git"])

    def bring(self, name, since):
        """Brings it to a tree, from what was saved; tells whether it did."""
        raise NotImplementedError


class OfPlan(_Directory):
    """The files of a plan."""

    def __init__(self, world):
        super().__init__(world, world.sandbox)

    def store(self):
        with self.inside.archive.capture(self._roots, Filter(), full=True) as capture:
            return capture.commit({"kind": "test"})

    def bring(self, name, since):
        place = self.inside.workplace("contract")
        place.bring_to(self.inside.archive.load(self.stored[name]), Safeguard(self.stored[since]))
        place.purge()
        return True

    def holds(self, path, data):
        """Whether some checkpoint has what was written there."""
        archive = self.inside.archive
        found = [
            archive.lookup(archive.load(row.sandbox_ref)).find(os.fsencode(path))
            for row in self.inside.of(CheckpointRepository)
        ]
        return data in [archive.read_file(entry) for entry in found if entry is not None]

    @property
    def _roots(self):
        return self.inside.sandboxes.require(self.inside.plan.plan_id).roots


class OfUser(_Directory):
    """The user's own directory."""

    def __init__(self, world):
        super().__init__(world, world.project)

    def picture(self):
        found = super().picture()  # what is new there is as old as the act that brought it
        return {path: replace(seen, mtime=None) for path, seen in found.items()}

    def store(self):
        left_out = b".git".__eq__
        with self.inside.archive.capture_once(self.top, left_out) as capture:
            return capture.commit({"kind": "test"})

    def bring(self, name, since):
        outcome = ProjectWorkplace(
            root=self.top,
            archive=self.inside.archive,
            saved=Safeguard(self.stored[since]),
            target=self.stored[name],
            mark="01CONTRACT",
            stamp_ns=MADE_NS,
            owners={},
        ).bring_to(again=False)
        self.error = outcome.error
        return outcome.error is None

    def holds(self, path, data):
        """Whether it still stands there."""
        return (self.top / path).read_bytes() == data


def becomes_what_it_is_brought_to(place):
    for name, since in (("first", "second"), ("second", "first")):
        place.become(TREES[since])
        assert place.bring(name, since)
        assert_same(place.pictures[name], place.picture())


def is_brought_there_twice_as_once(place):
    place.become(TREES["first"])
    assert place.bring("second", "first")
    before = _signatures(place.top)
    assert place.bring("second", "first")
    assert _signatures(place.top) == before


def leaves_alone_what_does_not_differ(place):
    place.become(TREES["first"])
    before = _signatures(place.top)
    assert place.bring("second", "first")
    after = _signatures(place.top)
    for path in ("same", "deep/same"):
        assert after[path] == before[path], path


def goes_on_after_a_kill_at_any_of_its_calls(place):
    for number in range(_calls(place)):
        place.become(TREES["first"])

        def until_then(number=number):
            with _watched(_at(number, die)):
                place.bring("second", "first")

        code = forked(until_then)
        assert code in (0, -signal.SIGKILL), code
        assert place.bring("second", "first"), number
        assert_same(place.pictures["second"], place.picture())


def is_whole_after_an_error_at_any_of_its_calls(place):
    """As before if it says that it was not brought there; else what it shall be, or to be tried."""
    for number in range(_calls(place)):
        place.become(TREES["first"])
        try:
            with _watched(_at(number, _fail)):
                brought = place.bring("second", "first")
        except (CleverAgentsError, OSError):
            assert place.bring("second", "first"), number
            brought = True
        expected = "second" if brought else "first"
        assert_same(place.pictures[expected], place.picture())


def loses_nothing_that_was_written_meanwhile(place):
    for path, data in WRITTEN.items():
        place.become(TREES["first"])
        write(place.top, path, data)
        written = place.picture()
        if place.bring("second", "first"):
            assert_same(place.pictures["second"], place.picture())
        else:
            assert_same(written, place.picture())
        assert place.holds(path, data), path


WORKPLACES = {"the files of a plan": OfPlan, "the user's directory": OfUser}
OF_WORKPLACES = (
    becomes_what_it_is_brought_to,
    is_brought_there_twice_as_once,
    leaves_alone_what_does_not_differ,
    goes_on_after_a_kill_at_any_of_its_calls,
    is_whole_after_an_error_at_any_of_its_calls,
    loses_nothing_that_was_written_meanwhile,
)


def _calls(place):
    """How many calls that change files it takes."""
    counted = []
    place.become(TREES["first"])
    with _watched(counted.append):
        assert place.bring("second", "first")
    return len(counted)


def _at(number, act):
    """Acts at the call of that number."""
    left = iter(range(number + 1))

    def called(_):
        if next(left, None) == number:
            act()

    return called


def _fail():
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@contextmanager
def _watched(on_point):
    names = (*RENAMES, "unlink", "mkdir", "rmdir", "symlink", "link")
    for module in (restore, exchange):
        watch(module, on_point, names)
    try:
        yield
    finally:
        for module in (restore, exchange):
            unwatch(module)


def _signatures(top):
    """What changes with whatever is done to a path, even if it is as before afterwards."""
    found = {}
    for path in sorted(top.rglob("*")):
        name, seen = str(path.relative_to(top)), path.lstat()
        if not name.startswith(".git"):
            found[name] = (seen.st_ino, seen.st_ctime_ns)
    return found


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        for child in path.iterdir():
            _remove(child)
        path.rmdir()
    else:
        path.unlink()


# --- strategies ------------------------------------------------------------------------------


class Copies:
    """Makes sandboxes of the project by one strategy."""

    def __init__(self, world, strategy):
        world.variables["CLEVERAGENTS_SANDBOX_STRATEGY"] = strategy
        world.agents("plan", "list")  # the data directory is there
        self.world = world
        self.inside = Inside(world)
        located = locate(world.project, world.project, world.home)
        with self.inside.database.registering() as connection:
            self.project_id = register(connection, located)

    def make(self, check=lambda: None):
        """Makes one for a new plan."""
        with self.inside.database.registering() as connection:
            plan = PlanRepository(connection).add(
                self.project_id, Action(name="contract"), stage=QUEUED
            )
        held = Held(plan.plan_id, None)
        with at_any_file(check):
            sandbox, _ = self.inside.sandboxes.create(held, self.project_id)
        return sandbox

    @property
    def archive(self):
        return self.inside.sandboxes.archive(self.project_id)


def starts_from_what_the_user_sees(copies):
    seen = picture(copies.world.project, without=[b".git"])
    assert_same(seen, picture(copies.make().path, without=[b".git"]))


def leaves_the_user_alone(copies):
    before = picture(copies.world.project)
    sandbox = copies.make()
    (sandbox.path / "text").write_bytes(b"changed\n")
    assert_same(before, picture(copies.world.project))


def finds_the_project_as_it_was_until_it_changes(copies):
    sandbox, project = copies.make(), copies.world.project
    for path, changed in ((None, []), ("text", [b"text"])):
        if path is not None:
            (project / path).write_bytes(b"changed since\n")
        state = copies.inside.sandboxes.capture_project(sandbox, copies.project_id)
        base, now = (copies.archive.load(one) for one in (sandbox.base, state.reference))
        assert [one.path for one in copies.archive.changes(base, now)[MAIN]] == changed


def looks_as_it_captures(copies):
    """Who only looks sees what who acts stores."""
    sandbox = copies.make()
    beside = copies.archive.see(sandbox.roots, Filter())
    seen = copies.inside.sandboxes.see_project(sandbox, copies.project_id, beside)
    state = copies.inside.sandboxes.capture_project(sandbox, copies.project_id)
    assert seen.snapshot.roots[MAIN] == copies.archive.load(state.reference).roots[MAIN]


def makes_the_same_twice(copies):
    first, second = (picture(copies.make().path, without=[b".git"]) for _ in range(2))
    assert not differences(first, second)


def leaves_nothing_when_it_is_given_up(copies):
    asked = iter(range(3))

    def check():
        if next(asked, None) is None:
            raise Interrupted("enough")

    homes = set((copies.world.data_dir / "sandboxes").glob("*"))
    try:
        copies.make(check)
    except Interrupted:
        assert set((copies.world.data_dir / "sandboxes").glob("*")) == homes
    else:
        raise AssertionError("it was not given up")


STRATEGIES = ("git_worktree", "filesystem_copy")
OF_STRATEGIES = (
    starts_from_what_the_user_sees,
    leaves_the_user_alone,
    looks_as_it_captures,
    makes_the_same_twice,
    leaves_nothing_when_it_is_given_up,
    finds_the_project_as_it_was_until_it_changes,
)


# --- dispatchers -----------------------------------------------------------------------------


class Job:
    """Work whose end the test decides; it notes who runs and who was asked to stop."""

    def __init__(self):
        self.running, self.most, self.stopped = set(), 0, []
        self.gate = threading.Event()
        self._counting = threading.Lock()

    def work(self):
        return Work(self.run, self.stop)

    def run(self, plan_id):
        with self._counting:
            self.running.add(plan_id)
            self.most = max(self.most, len(self.running))
        try:
            while plan_id.startswith("long") and plan_id not in self.stopped:
                if self.gate.wait(0.005):
                    break
            return 1 / 0 if plan_id == "bad" else f"{plan_id} ran"
        finally:
            with self._counting:
                self.running.discard(plan_id)

    def stop(self, plan_id):
        if plan_id not in self.stopped:
            self.stopped.append(plan_id)


def tells_each_end_once(make):
    job = Job()
    with make(2, job.work()) as dispatcher:
        for name in ("one", "two", "three", "bad"):
            dispatcher.submit(PlanId(name))
        ended = _all(dispatcher, 4)
        assert dispatcher.wait(0) is None
    assert {name: end.result for name, end in ended.items() if end.error is None} == {
        name: f"{name} ran" for name in ("one", "two", "three")
    }
    assert isinstance(ended["bad"].error, ZeroDivisionError)


def runs_no_more_at_once_than_it_may(make):
    job = Job()
    with make(2, job.work()) as dispatcher:
        for number in range(5):
            dispatcher.submit(PlanId(f"long {number}"))
        _until(lambda: len(job.running) == 2)
        queued = [one for one in range(5) if dispatcher.status(f"long {one}") == "queued"]
        assert len(queued) == 3
        job.gate.set()
        _all(dispatcher, 5)
    assert job.most == 2


def takes_what_waits_out_of_the_queue(make):
    job = Job()
    with make(1, job.work()) as dispatcher:
        for name in ("long", "never"):
            dispatcher.submit(PlanId(name))
        dispatcher.cancel("never")
        assert dispatcher.status("never") == "cancelled"
        first = dispatcher.wait(10)
        assert (first.plan_id, first.result, first.error) == ("never", None, None)
    assert job.stopped == ["long"]


def stops_what_has_begun(make):
    job = Job()
    with make(1, job.work()) as dispatcher:
        dispatcher.submit(PlanId("long"))
        _until(lambda: dispatcher.status("long") == "running")
        dispatcher.cancel("long")
        assert dispatcher.wait(10).result == "long ran"
        assert dispatcher.status("long") == "ended"
    assert job.stopped == ["long"]


def takes_a_plan_again_once_it_has_ended(make):
    with make(1, Job().work()) as dispatcher:
        for _ in range(2):
            dispatcher.submit(PlanId("again"))
            assert dispatcher.wait(10).result == "again ran"


def stops_what_runs_when_it_is_left_in_a_hurry(make):
    job = Job()
    try:
        with make(2, job.work()) as dispatcher:
            dispatcher.submit(PlanId("long"))
            _until(lambda: job.running)
            raise KeyError  # noqa: TRY301 - whatever goes wrong while it runs
    except KeyError:
        pass
    assert job.stopped == ["long"]
    assert not job.running


DISPATCHERS = {"threads": ThreadDispatcher}
OF_DISPATCHERS = (
    tells_each_end_once,
    runs_no_more_at_once_than_it_may,
    takes_what_waits_out_of_the_queue,
    stops_what_has_begun,
    takes_a_plan_again_once_it_has_ended,
    stops_what_runs_when_it_is_left_in_a_hurry,
)


def _all(dispatcher, count):
    ended = {}
    while len(ended) < count:
        done = dispatcher.wait(10)
        assert done is not None, f"only {sorted(ended)} have ended"
        assert done.plan_id not in ended, f"{done.plan_id} was told twice"
        ended[done.plan_id] = done
    return ended


def _until(is_so):
    for _ in range(2000):
        if is_so():
            return
        time.sleep(0.005)
    raise AssertionError("it did not come to that")


def named(promise):
    """A promise as a scenario writes it."""
    return promise.__name__.replace("_", " ")
