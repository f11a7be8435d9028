"""A state machine that decides, corrects and rolls back, held against a simple reference.

The plan asks a chooser for every decision, which notes whom it was asked for and takes the first
option. The reference is a few dictionaries: what stands, who used whom, what users chose.
"""

import json
import os
import shutil
import tempfile
from copy import deepcopy
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from cleveragents.app import App
from cleveragents.plans.lifecycle import COMPLETE

OPTIONS = ("a", "b")


class DecisionMachine(RuleBasedStateMachine):
    """One plan, corrected and taken back again and again."""

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="decisions "))
        (self.home / "project").mkdir()
        self.asked = self.home / "asked"
        self.asked.touch()
        self.reference = None
        self.kept = []  # states before corrections: the checkpoint, and the reference as it was

    def teardown(self):
        """Removes everything."""
        shutil.rmtree(self.home)

    @initialize(data=st.data())
    def run_plan(self, data):
        """Makes a plan of some decisions, some inside an option of others, and runs it."""
        steps = []
        for index in range(data.draw(st.integers(2, 4), label="decisions")):
            nested = []
            if data.draw(st.booleans(), label="nested"):
                nested = [self.decision(f"n{index}", data, steps, [])]
            steps.append(self.decision(f"d{index}", data, steps, nested))
        action = self.home / "action.yaml"
        action.write_text(json.dumps({"name": "machine", "steps": steps}))
        os.environ["ASKED"] = str(self.asked)
        self.app = App(self.home / "project", data_dir=self.home / "data")
        self.plan_id = self.app.use(action, {}).plan_id
        self.reference = Reference(steps)
        self.run_on()

    @rule(data=st.data())
    def correct(self, data):
        """Corrects any decision that counts, with a choice or without."""
        cursor = data.draw(st.sampled_from(sorted(self.reference.standing)), label="corrected")
        option = data.draw(st.sampled_from([*OPTIONS, None]), label="chosen")
        before = deepcopy(self.reference)
        decision = next(row for row in self.counting() if row.cursor == cursor)
        impact = self.app.corrections.preview(self.plan_id, decision)
        affected = self.reference.affected(cursor)
        assert {row.cursor for row in impact.affected} == affected, impact.affected
        attempt = self.app.corrections.revert(self.plan_id, decision, "otherwise", option)
        self.kept.append((attempt.before_id, before))
        self.reference.correct(cursor, option)
        self.run_on()

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def roll_back(self, data):
        """Goes to a state before one of the corrections."""
        number = data.draw(st.integers(0, len(self.kept) - 1), label="kept")
        checkpoint_id, reference = self.kept[number]
        target = self.app.checkpoints.get_checkpoint(self.plan_id, checkpoint_id)
        self.app.checkpoints.rollback_to_checkpoint(self.plan_id, target)
        self.reference = deepcopy(reference)
        self.run_on()

    def run_on(self):
        """Runs the plan to its end and holds everything against the reference."""
        self.asked.write_text("")
        done = self.app.execute.run(self.plan_id)
        assert done.stage == COMPLETE, done
        expected = self.reference.run()
        assert self.asked.read_text().split() == expected, (self.asked.read_text(), expected)
        found = {row.cursor: row.chosen for row in self.counting()}
        assert found == self.reference.standing, (found, self.reference.standing)
        sandbox = self.app.plans.status(self.app.plans.find(self.plan_id)).sandbox.path
        files = {path.name: path.read_text() for path in sandbox.iterdir() if path.is_file()}
        assert files == self.reference.files(), (files, self.reference.files())

    def counting(self):
        """The choices that count."""
        rows = [node for root in self.app.tree.read(self.plan()) for node in below(root)]
        return [row for row in rows if row.cursor is not None]

    def plan(self):
        """The plan as it is stored."""
        return self.app.plans.find(self.plan_id)

    def decision(self, name, data, earlier, nested):
        """A decision that may use earlier ones; the second option may hold another decision."""
        names = [step["name"] for step in earlier]
        uses = data.draw(st.sets(st.sampled_from(names)) if names else st.just(set()), label="uses")
        chooser = f'echo {name} >> "$ASKED"; echo \'{{"choose": "a"}}\''
        options = {option: [write(name, option)] for option in OPTIONS}
        options["b"] += nested
        return {
            "name": name,
            "pass_env": ["ASKED"],
            "decide": {
                "question": name,
                "options": options,
                "chooser": chooser,
                "uses": sorted(uses),
            },
        }


class Reference:
    """What must come out, told with nothing but the steps."""

    def __init__(self, steps):
        self.steps = steps
        self.standing = {}  # cursor -> option
        self.used = {}  # cursor -> cursors it depends on
        self.chosen_by_user = {}  # cursor -> option

    def run(self):
        """Goes through the plan; returns who is asked."""
        return [name for cursor, step in self.way() for name in self._decide(cursor, step)]

    def way(self):
        """Yields the decisions the plan comes by, one after the other."""
        for index, step in enumerate(self.steps):
            yield str(index), step
            if self.standing[str(index)] == "b":
                for inner, nested in enumerate(step["decide"]["options"]["b"][1:], 1):
                    yield f"{index}.b.{inner}", nested

    def affected(self, cursor):
        """Everything that hangs on a decision, by looking until nothing more is found."""
        found = {cursor}
        while True:
            more = {
                other
                for other in self.standing
                if other.rpartition(".b.")[0] in found or self.used[other] & found
            }
            if more <= found:
                return found
            found |= more

    def correct(self, cursor, option):
        """Takes back what is affected and keeps what the user chose."""
        for other in self.affected(cursor):
            del self.standing[other]
        self.chosen_by_user[cursor] = option

    def files(self):
        """One file for each decision on the way."""
        return {step["name"]: self.standing[cursor] for cursor, step in self.way()}

    def _decide(self, cursor, step):
        if cursor in self.standing:
            return
        names = {other: self._name(other) for other in self.standing}
        uses = step["decide"]["uses"]
        self.used[cursor] = {other for other, name in names.items() if name in uses}
        option = self.chosen_by_user.get(cursor)
        if option is None:
            yield step["name"]
        self.standing[cursor] = option or "a"

    def _name(self, cursor):
        index, _, inner = cursor.partition(".b.")
        step = self.steps[int(index)]
        return step["decide"]["options"]["b"][int(inner)]["name"] if inner else step["name"]


def write(name, option):
    """A step that leaves a trace."""
    return {"tool": "write_file", "with": {"path": name, "content": option}}


def below(node):
    """The decisions of a tree."""
    return [node.decision, *(row for child in node.children for row in below(child))]
