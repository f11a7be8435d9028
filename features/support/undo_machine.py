"""State machines about undo and redo, held against what anybody expects of two stacks."""

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from crashes import AFTER_INTENT, BEFORE_END, crash
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cleveragents.app import App
from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.engine.undo.trail import Direction, Mark, Part, Trail
from cleveragents.plans.lifecycle import APPLIED, COMPLETE

OWNERS = ("a", "b")
STEPS = 3
BROUGHT = {f"f{index}" for index in range(STEPS)}


class TrailMachine(RuleBasedStateMachine):
    """Deeds on two plans, taken back and done again, of all of them or of one."""

    def __init__(self):
        super().__init__()
        self.marks = []
        self.standing = []  # the deeds that do, in order
        self.again = {None: [], "a": [], "b": []}  # by whom one looks at: what can be done again

    def mark(self, owner, part=Part.DEED, deed="", **options):
        """Something happens."""
        number = len(self.marks)
        # Ids go down: what orders marks is told apart.
        self.marks.append(Mark(f"{999 - number}", f"{number:04}", owner, part, deed, **options))
        return self.marks[-1].mark_id

    def trail(self, owner):
        """What there is to go by."""
        return Trail(mark for mark in reversed(self.marks) if owner in (None, mark.owner))

    @rule(owner=st.sampled_from(OWNERS))
    def do(self, owner):
        """Something new is done."""
        self.standing.append((self.mark(owner), owner))
        for whose in (None, owner):
            self.again[whose].clear()

    @rule(owner=st.sampled_from(OWNERS))
    def do_what_is_taken_back_at_once(self, owner):
        """A step that fails."""
        self.mark(owner, counts=False)
        for whose in (None, owner):
            self.again[whose].clear()

    @rule(whose=st.sampled_from([None, *OWNERS]))
    def undo(self, whose):
        """The newest that stands goes."""
        mine = [one for one in self.standing if whose in (None, one[1])]
        found = self.trail(whose).next(Direction.BACK)
        assert found == (mine[-1][0] if mine else None), (found, mine)
        if mine:
            deed, owner = mine[-1]
            self.standing.remove(mine[-1])
            self.mark(owner, Part.UNDO, deed)
            for each in (None, owner):
                self.again[each].append((deed, owner))

    @rule(whose=st.sampled_from([None, *OWNERS]))
    def redo(self, whose):
        """The last undo is taken back."""
        mine = self.again[whose]
        found = self.trail(whose).next(Direction.FORWARD)
        assert found == (mine[-1][0] if mine else None), (found, mine)
        if mine:
            deed, owner = mine[-1]
            self.mark(owner, Part.REDO, deed)
            self.standing = sorted([*self.standing, (deed, owner)], reverse=True)
            for each in (None, owner):
                self.again[each] = [one for one in self.again[each] if one[0] != deed]

    @rule(owner=st.sampled_from(OWNERS))
    def begin(self, owner):
        """What was begun and not finished is whose turn it is, and nothing else of it counts."""
        self.mark(owner, is_open=True)
        for direction in Direction:
            assert self.trail(None).owner(direction) == owner
        self.marks.pop()

    @invariant()
    def stands(self):
        """Each deed stands, or does not."""
        trail = self.trail(None)
        deeds = [mark.mark_id for mark in self.marks if mark.part is Part.DEED]
        found = [deed for deed in deeds if trail.stands(deed)]
        assert found == [deed for deed, _ in self.standing], (found, self.standing)


@dataclass
class State:
    """All that an act on a plan may change."""

    files: dict  # of the sandbox; none of them while the plan is applied
    project: dict
    stage: tuple
    cursor: str


@dataclass
class Model:
    """Two stacks of states."""

    back: list = field(default_factory=list)  # the states before what stands
    forward: list = field(default_factory=list)  # those before what was taken back


class UndoMachine(RuleBasedStateMachine):
    """One plan, run, taken back, applied and edited, and all of that undone and redone."""

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="undo "))
        (self.home / "project").mkdir()
        self.model = Model()
        self.edits = 0
        self.kept = set()  # files of the plan's that the user has made their own

    def teardown(self):
        """Removes everything."""
        shutil.rmtree(self.home)

    @initialize()
    def make(self):
        """Makes a plan whose steps each add a line to a file of theirs, and runs it."""
        (self.home / "project" / "own").write_text("own\n")
        action = self.home / "action.yaml"
        steps = [{"tool": "shell", "with": {"command": line(i)}} for i in range(STEPS)]
        action.write_text(json.dumps({"name": "machine", "steps": steps}))
        self.app = self.opened()
        self.plan_id = self.app.use(action, {}).plan_id
        self.execute()

    @precondition(lambda self: self.plan().stage not in (COMPLETE, APPLIED))
    @rule()
    def execute(self):
        """Runs what is left: each step is a deed."""
        before = self.state() if self.app.plans.status(self.plan()).sandbox else None
        cursor = int(self.plan().cursor)
        self.app.run(self.plan_id)
        files = {"own": "own\n"} if before is None else dict(before.files)
        for index in range(cursor, STEPS):
            # To undo a step leaves the plan where it runs on from.
            state = State(dict(files), self.project(), ("execute", "queued"), str(index))
            self.did(state)
            files[f"f{index}"] = files.get(f"f{index}", "") + "x\n"

    @precondition(lambda self: self.plan().stage != APPLIED)
    @rule(data=st.data())
    def roll_back(self, data):
        """Goes to any checkpoint."""
        rows = self.app.checkpoints.list_checkpoints(self.plan_id)
        target = data.draw(st.sampled_from(rows), label="target")
        before = self.state()
        if self.app.checkpoints.rollback_to_checkpoint(self.plan_id, target).safety is not None:
            self.did(before)

    @precondition(lambda self: self.plan().stage != APPLIED)
    @rule(data=st.data())
    def restore(self, data):
        """Takes one path back from the start."""
        name = data.draw(st.sampled_from(sorted(contents(self.sandbox()))), label="path")
        first = self.app.checkpoints.list_checkpoints(self.plan_id)[0]
        before = self.state()
        if self.app.restore.run(self.plan_id, first, [name]) is not None:
            self.did(before)

    @precondition(lambda self: self.plan().stage == COMPLETE and not self.kept)
    @rule()
    def apply(self):
        """Brings the result into the project; what was kept would stand in the way."""
        before = self.state()
        self.app.apply.run(self.plan_id, ApplyOptions())
        self.did(before)

    @precondition(lambda self: self.plan().stage == APPLIED)
    @rule()
    def unapply(self):
        """Takes it out again."""
        before = self.state()
        self.app.apply.unapply(self.plan_id)
        self.did(before)

    @precondition(lambda self: self.plan().stage == APPLIED)
    @rule()
    def unapply_and_keep(self):
        """The same, with an edit of what was applied, which stays whatever is undone or redone."""
        brought = sorted(name for name in self.project() if name in BROUGHT - self.kept)
        if brought:
            self.kept.add(brought[0])
            (self.home / "project" / brought[0]).write_text("kept\n")
            before = self.state()
            self.app.apply.unapply(self.plan_id, keep_mine=True)
            self.did(before)

    @precondition(lambda self: len(self.model.back) > 1)
    @rule(data=st.data())
    def pick(self, data):
        """One of the acts that stand is taken back, with everything newer."""
        standing = self.app.undo_series.standing(None)
        deed = data.draw(st.sampled_from(standing), label="deed")
        series, state = self.app.undo_series.series(deed.deed_id, None), self.state()
        done = self.app.undertakings.retrace_series(deed.deed_id).carry_out()
        assert done.error is None, done.error
        told = [each.deed.deed_id for each in done.done]
        assert told == [each.deed_id for each in series], (told, series)
        for _ in series:
            self.model.forward.append(state)
            state = self.model.back.pop()
        self.check(state)

    @rule()
    def edit(self):
        """Somebody writes into the project, and into the sandbox if it is there.

        Not before what applies the plan again: it would be applied with it.
        """
        self.edits += 1
        (self.home / "project" / "mine").write_text(f"{self.edits}\n")
        next_ones = [*self.model.back[-1:], *self.model.forward[-1:]]
        stages = [self.plan().stage, *(state.stage for state in next_ones)]
        if APPLIED not in stages:
            (self.sandbox() / "hand").write_text(f"{self.edits}\n")

    @rule(moment=st.sampled_from([None, None, AFTER_INTENT, BEFORE_END]))
    def undo(self, moment):
        """What was done last is taken back."""
        self.retrace(Direction.BACK, self.model.back, self.model.forward, moment)

    @rule(moment=st.sampled_from([None, None, AFTER_INTENT, BEFORE_END]))
    def redo(self, moment):
        """What was taken back last is done again."""
        self.retrace(Direction.FORWARD, self.model.forward, self.model.back, moment)

    def retrace(self, direction, there, other, moment):
        """Goes to the state on top of a stack, killed on the way or not."""
        act = self.app.undertakings.retrace(direction)
        assert (act is not None) == bool(there), (direction, there)
        if act is None:
            return
        before, wanted = self.state(), there.pop()
        other.append(before)
        if moment is not None:
            kind = self.kind(act.preview().would.deed, direction)
            crash(moment, kind, lambda: self.opened().undertakings.retrace(direction).carry_out())
            act = self.app.undertakings.retrace(direction)
        done = act.carry_out()
        assert (done.done is None) == (moment is not None), done
        self.check(wanted)

    def kind(self, deed, direction):
        """The operation that takes a deed back, or does it again."""
        pairs = {"apply": ("unapply", "apply"), "unapply": ("apply", "unapply")}
        return pairs.get(deed.kind, ("rollback",) * 2)[direction is Direction.FORWARD]

    def check(self, wanted):
        """Everything is as it was, but for what the user has written into the project since."""
        found = self.state()
        own = {"mine", *self.kept}
        edited = {name: text for name, text in found.project.items() if name in own}
        wanted.project = {**wanted.project, **edited}
        assert found == wanted, f"{found}\nis not\n{wanted}"

    def did(self, before):
        """A new deed was done."""
        self.model.back.append(before)
        self.model.forward.clear()

    def opened(self):
        """A new application; the one of another process would have nothing in memory, either."""
        return App(self.home / "project", data_dir=self.home / "data")

    def plan(self):
        """The plan as it is stored."""
        return self.app.plans.find(self.plan_id)

    def sandbox(self):
        """Where it works."""
        return self.app.plans.status(self.plan()).sandbox.path

    def project(self):
        """The files of the user."""
        return contents(self.home / "project")

    def state(self):
        """All of it, as it is."""
        plan = self.plan()
        files = {} if plan.stage == APPLIED else contents(self.sandbox())
        return State(files, self.project(), tuple(map(str, plan.stage)), plan.cursor)


def line(index):
    """The command of a step."""
    return f"echo x >> f{index}"


def contents(folder):
    """The files of a folder."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
