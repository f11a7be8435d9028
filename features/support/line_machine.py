"""A state machine that makes, forgets and goes back to checkpoints, held against a plain model.

The model knows of each checkpoint that ever was which one it went on from, as the journal tells it
in plain words, and which rows are left. From these two it says what every row must point at.
"""

import itertools
import json
import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from cleveragents.app import App
from cleveragents.checkpoints.beyond import beyond_limit
from cleveragents.checkpoints.needs import judged
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.operations.operation import OperationRepository
from cleveragents.plans.lifecycle import COMPLETE
from cleveragents.storage.database import Database

LIMIT = "sandbox.checkpoint.max-checkpoints-per-plan"
NAMED = re.compile(r"cp(\d+)")


@dataclass(frozen=True)
class Row:
    """One checkpoint as it is stored."""

    checkpoint_id: str
    seq: int
    parent_id: str | None
    decision_id: str | None
    pinned: bool


class LineMachine(RuleBasedStateMachine):
    """Plans whose checkpoints come and go."""

    def __init__(self):
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="lines "))
        (self.home / "project").mkdir()
        self.fails = self.home / "fails"
        self.by_hand = set()  # ids of checkpoints that were deleted on purpose
        self.before = {}  # the rows of each plan before the latest act
        self.changes = 0
        self.forks = 0

    def teardown(self):
        """Removes everything."""
        shutil.rmtree(self.home)

    @initialize(limit=st.integers(2, 7), fails=st.booleans())
    def run_plan(self, limit, fails):
        """Makes a plan of writes and decisions, with a step that may fail once, and runs it."""
        self.limit = limit
        self.open()
        action = self.home / "action.yaml"
        action.write_text(json.dumps({"name": "lines", "steps": steps(self.fails)}))
        self.plan_id = self.app.use(action, {}).plan_id
        self.execute(fails)

    @rule(fails=st.booleans())
    def execute(self, fails):
        """Runs what is left; a failure takes steps back, and the next run has none."""
        if fails:
            self.fails.touch()
        if self.plan().stage != COMPLETE:
            self.app.execute.run(self.plan_id)
        self.fails.unlink(missing_ok=True)

    @rule(pinned=st.booleans())
    def checkpoint(self, pinned):
        """Saves a change that nobody else made."""
        self.change()
        wanted = CheckpointRequest(CheckpointType.MANUAL, "by hand", pinned=pinned)
        self.app.checkpoints.create_checkpoint(self.plan_id, wanted)

    @rule(data=st.data(), changed=st.booleans())
    def roll_back(self, data, changed):
        """Goes to any checkpoint; what is there may have to be saved first."""
        if changed:
            self.change()
        target = self.any_of(data, self.rows())
        result = self.app.checkpoints.rollback_to_checkpoint(self.plan_id, target)
        assert result.checkpoints_remaining == len(self.model().line()), result

    @rule(data=st.data())
    def correct(self, data):
        """Decides anew what has a checkpoint on the line, by the model's word."""
        line = self.model().line()
        held = {row.decision_id for row in self.rows() if row.checkpoint_id in line}
        active = [row for row in self.decisions() if row.decision_id in held]
        if active:
            decision = data.draw(st.sampled_from(active), label="corrected")
            option = data.draw(st.sampled_from("ab"), label="chosen")
            self.app.corrections.revert(self.plan_id, decision, "otherwise", option)

    @rule(limit=st.integers(2, 7))
    def prune(self, limit):
        """Lets another limit, or the same, have its way."""
        self.limit = limit
        self.open()
        verdicts = self.app.checkpoints.prune_checkpoints(self.plan_id)
        kept = [verdict.checkpoint.checkpoint_id for verdict in verdicts if verdict.stays]
        assert kept == [row.checkpoint_id for row in self.rows()], kept

    @precondition(lambda self: len(self.rows()) > 1)
    @rule(data=st.data())
    def delete(self, data):
        """Deletes any but the newest, as it was read before others went."""
        stale = [self.any_of(data, self.rows()[:-1]) for _ in range(2)]
        for checkpoint in stale if stale[0] != stale[1] else stale[:1]:
            self.by_hand.add(checkpoint.checkpoint_id)
            self.app.checkpoints.delete_checkpoint(self.plan_id, checkpoint)

    @rule(data=st.data(), pinned=st.booleans())
    def pin(self, data, pinned):
        """Pins or unpins any."""
        self.app.checkpoints.pin_checkpoint(
            self.plan_id, self.any_of(data, self.rows()), pinned=pinned
        )

    @precondition(lambda self: self.forks < 2)
    @rule(data=st.data(), stay=st.booleans())
    def fork(self, data, stay):
        """Tries another way beside; what follows happens there or here."""
        self.forks += 1
        source = self.any_of(data, self.rows())
        made = self.app.fork(self.plan(), source, f"fork {self.forks}")
        here, self.plan_id = self.plan_id, made.plan_id
        self.app.execute.run(self.plan_id)
        if not stay:
            self.plan_id = here

    @invariant()
    def lines_are_right(self):
        """Holds every plan against the model."""
        for plan_id in self.plans():
            model = self.model(plan_id)
            found = {row.checkpoint_id: row.parent_id for row in model.rows}
            assert found == model.parents(), (plan_id, found, model.parents())
            assert self.app.checkpoints.current_line(plan_id) == set(model.line()), plan_id
            self.what_is_needed_stays(plan_id, model)
            self.before[plan_id] = model.rows

    @invariant()
    def the_database_judges_alike(self):
        """What one statement says goes first is what the rules say, whatever the limit."""
        with Database(self.home / "data" / "cleveragents.db").reading() as connection:
            for plan_id, limit in itertools.product(self.plans(), range(2, 8)):
                verdicts = judged(connection, plan_id, CheckpointRetentionPolicy(limit))
                unfinished = OperationRepository(connection).unfinished(plan_id)
                surplus = max(0, len(verdicts) - limit)
                found = beyond_limit(connection, plan_id, surplus, unfinished)
                wanted = [verdict.checkpoint for verdict in verdicts if not verdict.stays]
                assert found == wanted, (plan_id, limit, found, wanted)

    def what_is_needed_stays(self, plan_id, model):
        """Nothing but a hand takes the first, a pinned one, or the state before a decision."""
        left = {row.checkpoint_id for row in model.rows}
        held = {row.decision_id for row in model.rows if row.checkpoint_id in model.line()}
        active = {row.decision_id for row in self.decisions(plan_id)}
        for number, row in enumerate(self.before.get(plan_id, [])):
            if row.checkpoint_id in left | self.by_hand:
                continue
            assert not row.pinned, row
            assert number > 0, f"the first went: {row}"
            on_line = row.checkpoint_id in model.ancestry()
            assert not (on_line and row.decision_id in active - held), row

    def any_of(self, data, rows):
        """One of a plan's checkpoints, drawn by its place."""
        row = rows[data.draw(st.integers(0, len(rows) - 1), label="checkpoint")]
        return self.app.checkpoints.get_checkpoint(self.plan_id, row.checkpoint_id)

    def change(self):
        """Changes a file of the sandbox."""
        self.changes += 1
        sandbox = self.app.plans.status(self.plan()).sandbox.path
        (sandbox / "hand").write_text(str(self.changes))

    def open(self):
        """Begins anew, with the limit of the moment."""
        flags = [f"{LIMIT}={self.limit}"]
        self.app = App(self.home / "project", data_dir=self.home / "data", flags=flags)

    def plan(self):
        """The plan at hand, as it is stored."""
        return self.app.plans.find(self.plan_id)

    def decisions(self, plan_id=None):
        """The choices of a plan that count."""
        plan = self.app.plans.find(plan_id or self.plan_id)
        rows = [node for root in self.app.tree.read(plan) for node in below(root)]
        return [row for row in rows if row.cursor is not None]

    def plans(self):
        """The ids of all plans."""
        return [plan_id for (plan_id,) in self.sql("SELECT plan_id FROM plans")]

    def rows(self):
        """The checkpoints of the plan at hand."""
        return self.model().rows

    def model(self, plan_id=None):
        """What the model knows of a plan by now."""
        plan_id = plan_id or self.plan_id
        rows = self.sql(
            "SELECT checkpoint_id, seq, parent_id, decision_id, pinned FROM checkpoints"
            " WHERE plan_id = ? ORDER BY seq",
            plan_id,
        )
        told = self.sql(
            "SELECT ref_id, detail_json FROM journal"
            " WHERE plan_id = ? AND kind = 'checkpoint' ORDER BY seq",
            plan_id,
        )
        return Model([Row(*row) for row in rows], [(ref, json.loads(text)) for ref, text in told])

    def sql(self, statement, *values):
        """Asks the database itself."""
        with closing(sqlite3.connect(self.home / "data" / "cleveragents.db")) as connection:
            return connection.execute(statement, values).fetchall()


class Model:
    """Who went on from whom, told by what was said when each checkpoint was made."""

    def __init__(self, rows, told):
        self.rows = rows
        self.ids = [checkpoint_id for checkpoint_id, _ in told]
        self.told = [about for _, about in told]

    def origin(self, checkpoint_id):
        """The checkpoint whose state one went on from, gone or not; None: it was the first."""
        number = self.ids.index(checkpoint_id)
        about = self.told[number]
        if about["type"] == "rollback":
            return self.ids[int(NAMED.search(about["reason"])[1]) - 1]
        return self.ids[number - 1] if number else None

    def ancestry(self):
        """All that ever led to the newest, gone or not, the newest first."""
        found, current = [], self.rows[-1].checkpoint_id if self.rows else None
        while current is not None:
            found.append(current)
            current = self.origin(current)
        return found

    def line(self):
        """What is left of it."""
        left = {row.checkpoint_id for row in self.rows}
        return [checkpoint_id for checkpoint_id in self.ancestry() if checkpoint_id in left]

    def parents(self):
        """What every row must point at: the nearest of those it came from that is left."""
        left = {row.checkpoint_id for row in self.rows}
        found = {}
        for row in self.rows:
            current = self.origin(row.checkpoint_id)
            while current is not None and current not in left:
                current = self.origin(current)
            found[row.checkpoint_id] = current
        return found


def steps(fails):
    """Writes and decisions; the last but one step fails if a file is there."""
    flaky = f'test ! -e "{fails}" || {{ rm "{fails}"; echo half > half; exit 1; }}'
    return [
        write("s1"),
        decision("d1"),
        write("s2"),
        decision("d2"),
        {"name": "flaky", "tool": "shell", "with": {"command": flaky}},
        write("s3"),
    ]


def decision(name):
    """A choice with a trace."""
    options = {option: [write(f"{name}{option}")] for option in "ab"}
    return {"name": name, "decide": {"question": name, "options": options, "choose": "a"}}


def write(name):
    """A step that leaves a trace."""
    return {"tool": "write_file", "with": {"path": name, "content": name}}


def below(node):
    """The decisions of a tree."""
    return [node.decision, *(row for child in node.children for row in below(child))]
