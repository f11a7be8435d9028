"""Steps about subplans: where they stand, what they start from, and what becomes of them."""

import json
import shutil
import signal
from pathlib import Path

from behave import given, then, when
from crashes import AFTER_INTENT, crash, crash_rollback
from forked import RENAMES, die, forked, watch
from inside import Inside
from world import wait_until

from cleveragents.plans.child import ChildRepository
from cleveragents.plans.decision import DecisionRepository
from cleveragents.plans.lifecycle import written
from cleveragents.snapshots.write import restore


@then("the subplans are")
def check_subplans(context):
    """Those that count, in order."""
    found = [
        [child.name, written(child.stage), "yes" if child.merged_ref else "no"]
        for child in children(context)
        if child.superseded_by is None
    ]
    assert found == [list(row.cells) for row in context.table], found


@then("no subplan counts")
def check_none_counts(context):
    found = [child.name for child in children(context) if child.superseded_by is None]
    assert found == [], found


@then('every subplan that was taken back is "{stage}"')
def check_taken_back(context, stage):
    found = [child for child in children(context) if child.superseded_by is not None]
    assert found, "none was taken back"
    assert {written(child.stage) for child in found} == {stage}, found


@then("each subplan's first decision hangs on the one that spawned it")
def check_roots(context):
    plan = context.world.plan
    spawned = {row.decision_id: row for row in decisions(context, plan.plan_id)}
    for child in children(context):
        root, *_ = decisions(context, child.plan_id)
        parent = spawned[root.parent_id]
        assert (parent.decision_type, parent.chosen) == ("subplan_spawn", child.name), parent


@then('the subplan "{name}" has a sandbox in which "{file}" holds "{text}"')
def check_file(context, name, file, text):
    found = (sandbox(context, name).path / file).read_text().rstrip("\n")
    assert found == text.encode().decode("unicode_escape"), repr(found)


@then('the subplan "{name}" has no files')
def check_no_files(context, name):
    found = sandbox(context, name)
    assert not found.home.exists(), found.path
    assert found.status == "removed", found.status


@given("the subplans have lost {what}")
def lose_files(context, what):
    for path, plan_id in _children(context, "path, sandboxes.plan_id"):
        shutil.rmtree(Path(path).parent)
        if what == "files and checkpoints":
            context.world.sql("DELETE FROM checkpoints WHERE plan_id = ?", plan_id)
        else:
            assert what == "their files", what


@given("a rollback to checkpoint {number:d} was killed while it made them again")
def kill_refilling(context, number):
    def roll_back():
        made = iter(range(2))

        def count(_):
            if next(made, None) is None:
                die()

        watch(restore, count, RENAMES)
        app = context.world.app()
        plan_id = app.plans.find("@").plan_id
        target = app.checkpoints.get_checkpoint(plan_id, str(number))
        app.checkpoints.rollback_to_checkpoint(plan_id, target)

    code = forked(roll_back)
    assert code == -signal.SIGKILL, code


@then("no files of a subplan are left")
def check_no_files_left(context):
    found = _children(context, "path, sandboxes.status")
    assert found, "there is no subplan"
    for path, status in found:
        assert not Path(path).exists(), path
        assert status == "removed", status


def _children(context, columns):
    return context.world.sql(
        f"SELECT {columns} FROM sandboxes JOIN plans ON plans.plan_id = sandboxes.plan_id"
        " WHERE parent_plan_id IS NOT NULL"
    )


@then('the subplan "{name}" ran {count:d} times')
def check_runs(context, name, count):
    """Its attempts, counted by a file beside the gate that each of them writes to."""
    log = context.world.gate.with_name(f"gate.{name}")
    found = len(log.read_text().splitlines()) if log.exists() else 0
    assert found == count, found


@then("at most {most:d} of them ran at once, and {total:d} in all")
def check_at_once(context, most, total):
    lines = context.world.gate.with_name("gate.running").read_text().split()
    running = highest = 0
    for line in lines:
        running += 1 if line == "+" else -1
        highest = max(highest, running)
    assert highest == most, lines
    assert lines.count("+") == total, lines


@then("the first checkpoint of each subplan added less than {size:d} bytes")
def check_sizes(context, size):
    app = context.world.app()
    for child in children(context):
        first = app.checkpoints.list_checkpoints(child.plan_id)[0]
        assert first.size_bytes < size, first


@given('the subplan "{name}" has been rolled back to checkpoint {number:d}')
def roll_child_back(context, name, number):
    app = context.world.app()
    child = newest(context, name)
    target = app.checkpoints.get_checkpoint(child.plan_id, str(number))
    app.checkpoints.rollback_to_checkpoint(child.plan_id, target)


@when('on the subplan "{name}" I run "agents {line}"')
def run_on_child(context, name, line):
    child = newest(context, name)
    context.world.agents(*(child.plan_id if word == "CHILD" else word for word in line.split()))


@given('the subplan "{name}" is run by a process of its own')
def start_child(context, name):
    context.world.agents_beside("plan", "execute", newest(context, name).plan_id)


@given('a merge of "{name}" has crashed after its {done}')
def crash_merge(context, name, done):
    plan_id = context.world.plan.plan_id
    crash(f"after its {done}", "merge", lambda: context.world.app().execute.run(plan_id))
    ((intent,),) = context.world.sql("SELECT intent_json FROM operations WHERE status = 'open'")
    assert json.loads(intent)["child"] == newest(context, name).plan_id, intent


@given("the result of the merge is damaged")
def damage_result(context):
    """Spoils the record of the merged state, which no other pack holds."""
    ((intent,),) = context.world.sql("SELECT intent_json FROM operations WHERE status = 'open'")
    identity = bytes.fromhex(json.loads(intent)["target"])
    for path in context.world.data_dir.rglob("*.pack"):
        data = bytearray(path.read_bytes())
        at = data.find(identity)
        if 0 <= at < len(data) - 200:
            data[at + 45] ^= 0xFF
            path.write_bytes(data)


@given("a rollback past the spawn has crashed after its intent was recorded")
def crash_past_spawn(context):
    crash_rollback(context.world, 2, AFTER_INTENT)


@given('the subplans "{names}" are at their end')
def wait_for_end(context, names):
    def ended():
        found = {child.name: written(child.stage) for child in children(context)}
        return all(found.get(name) == "execute/complete" for name in names.split(", "))

    wait_until(ended, names)


@given('the subplans "{names}" are merged')
def wait_for_merge(context, names):
    def merged():
        found = {child.name: child.merged_ref for child in children(context)}
        return all(found.get(name) is not None for name in names.split(", "))

    wait_until(merged, names)


@then('in the plan\'s sandbox "{command}" holds')
def check_sandbox(context, command):
    context.world.sh(command.replace("\\|", "|"), cwd=context.world.sandbox)


@given("{count:d} lines are in the log of what ran")
def wait_for_log(context, count):
    log = context.world.gate.with_name("gate.log")
    wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= count, "the log")


@then('the log of what ran is "{words}"')
def check_log(context, words):
    found = context.world.gate.with_name("gate.log").read_text().split()
    assert sorted(found) == sorted(words.split()), found


def children(context):
    return Inside(context.world).of(ChildRepository)


def newest(context, name):
    return [child for child in children(context) if child.name == name][-1]


def sandbox(context, name):
    return context.world.app().plans.status(newest(context, name)).sandbox


def decisions(context, plan_id):
    with Inside(context.world).database.reading() as connection:
        return DecisionRepository(connection).of_plan(plan_id)


@when('in the subplan "{name}" I choose "{option}" for "{step}" by saying "{guidance}"')
def correct_in_child(context, name, option, step, guidance):
    child = newest(context, name)
    rows = decisions(context, child.plan_id)
    found = next(row for row in rows if row.question == "how" and row.superseded_by is None)
    assert child.action.steps[int(found.cursor)].title == step
    arguments = ("--choose", option, "--guidance", guidance, "--yes", found.decision_id)
    context.world.agents("plan", "correct", *arguments)
