"""Steps about checkpoints: their rows, their content, and going back to them."""

import contextlib
import os
import re
import shlex
import shutil
import time

from behave import given, then, when
from commands import words
from crashes import AFTER_INTENT, at, crash, crash_rollback
from forked import Watched, unwatch, watch
from inside import Inside

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.checkpoints.retention import CheckpointRetentionPolicy, judge
from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.service import CheckpointService
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.errors import CleverAgentsError, Damaged
from cleveragents.events import silent
from cleveragents.ids import now
from cleveragents.operations.in_sandbox import Ending
from cleveragents.plans.lifecycle import QUEUED
from cleveragents.snapshots.write import aside, restore


@then("the checkpoints are")
def check_checkpoints(context):
    """All of them, the oldest first, by the columns the table names."""
    found = [shown(row) for row in checkpoints(context)]
    expected = [row.as_dict() for row in context.table]
    picked = [{name: row[name] for name in context.table.headings} for row in found]
    assert picked == expected, "\n".join(map(str, picked))


def checkpoints(context):
    app = context.world.app()
    return app.checkpoints.list_checkpoints(app.plans.find("@").plan_id)


def shown(row):
    told = {
        "seq": row.seq,
        "type": row.checkpoint_type,
        "label": row.label,
        "step": row.step_index,
        "pinned": row.pinned,
        **{name: row.metadata.get(name) for name in ("reason", "trigger", "source_tool", "phase")},
    }
    return {name: "" if value is None else str(value) for name, value in told.items()}


@then('checkpoint {number:d} holds the file "{name}" with "{text}"')
def check_content(context, number, name, text):
    assert content(context, number)[name].rstrip(b"\n") == text.encode()


@then('some checkpoint holds the file "{name}" with "{text}"')
def check_content_somewhere(context, name, text):
    app = context.world.app()
    found: dict[int, bytes] = {}
    for row in app.checkpoints.list_checkpoints(app.plans.find("@").plan_id):
        with contextlib.suppress(Damaged):  # some scenarios damage others
            found[row.seq] = content(context, row.seq).get(name, b"").rstrip(b"\n")
    assert text.encode() in found.values(), found


@then('checkpoint {number:d} has no file "{name}"')
def check_no_content(context, number, name):
    assert name not in content(context, number)


def content(context, number):
    """The files at the top of a checkpoint, read from the store."""
    app = context.world.app()
    row = app.checkpoints.get_checkpoint(app.plans.find("@").plan_id, str(number))
    inside = Inside(context.world)
    archive, top = inside.archive, inside.entries(row.sandbox_ref)
    return {
        os.fsdecode(name): archive.read_file(entry) for name, entry in top.items() if entry.is_file
    }


@given("the store of the project cannot be written to")
def break_store(context):
    """A file where the packs should be: not even root can write below it."""
    (packs,) = context.world.data_dir.glob("projects/*/store/packs")
    packs.rename(packs.with_name("packs.away"))
    packs.touch()


@then("every checkpoint has its place and a time in UTC, and they ascend")
def check_places(context):
    """It points at the plan, its sandbox and the one before it."""
    times = [row.created_at for row in checkpoints(context)]
    assert all(time.utcoffset().total_seconds() == 0 for time in times), times
    assert times == sorted(times), times
    app = context.world.app()
    plan = app.plans.find("@")
    sandbox = app.plans.status(plan).sandbox
    before = None
    for row in context.world.done.data["checkpoints"]:
        assert row["plan_id"] == plan.plan_id, row
        assert row["resource_id"] == sandbox.sandbox_id, row
        assert row["filesystem_path"] == str(sandbox.path), row
        assert row["parent_id"] == before, row
        assert len(row["sandbox_ref"]) == len(row["state_hash"]) == 64, row
        before = row["checkpoint_id"]


@then("checkpoints {numbers} have the same state hash")
def check_same_hash(context, numbers):
    assert len(hashes(context, numbers)) == 1, hashes(context, numbers)


@then("checkpoints {numbers} have different state hashes")
def check_different_hashes(context, numbers):
    assert len(hashes(context, numbers)) == len(numbers.split(", ")), hashes(context, numbers)


def hashes(context, numbers):
    wanted = [int(number) for number in numbers.split(", ")]
    return {row.state_hash for row in checkpoints(context) if row.seq in wanted}


@then('the service finds checkpoint {number:d} as "{text}"')
def check_found_as(context, number, text):
    """ID stands for its id, id for that in small letters, PREFIX for all but its last letter."""
    row = checkpoints(context)[number - 1]
    full = row.checkpoint_id
    for word, meant in {"ID": full, "id": full.lower(), "PREFIX": full[:25]}.items():
        text = re.sub(rf"\b{word}$|(?<=_){word}$", meant, text)
    assert find(context, text) == row, text


@then('the service refuses "{text}" as "{code}"')
def check_not_found(context, text, code):
    try:
        found = find(context, text)
    except CleverAgentsError as error:
        assert error.code == code, error.code
    else:
        raise AssertionError(found)


@then('the service refuses the prefix that all of them share as "{code}"')
def check_ambiguous(context, code):
    ids = [row.checkpoint_id for row in checkpoints(context)]
    try:
        find(context, ids[0][:6])  # the leading characters are the time
    except CleverAgentsError as error:
        assert error.code == code, error.code
        assert [line.split()[-1] for line in error.detail] == ids, error.detail
    else:
        raise AssertionError


def find(context, text):
    app = context.world.app()
    return app.checkpoints.get_checkpoint(app.plans.find("@").plan_id, text)


@then('the service makes no checkpoint for "{trigger}"')
def check_not_made(context, trigger):
    assert auto_create(context, trigger) is None


@then('the service makes a checkpoint of type "{kind}" for "{trigger}"')
def check_made(context, kind, trigger):
    context.made = auto_create(context, trigger)
    assert context.made.checkpoint_type == kind, context.made
    assert context.made == checkpoints(context)[-1]


@then('the service makes the same checkpoint again for "{trigger}"')
def check_made_again(context, trigger):
    assert auto_create(context, trigger) == context.made


def auto_create(context, trigger):
    app = context.world.app()
    plan = app.plans.find("@")
    return app.checkpoints.auto_create_if_configured(plan.plan_id, Trigger(trigger), "by hand")


@when('the service makes a checkpoint labelled "{label}"')
def make_labelled(context, label):
    app = context.world.app()
    wanted = CheckpointRequest(CheckpointType.MANUAL, "by hand", label=label, pinned=True)
    made = app.checkpoints.create_checkpoint(app.plans.find("@").plan_id, wanted)
    assert made.label == label, made


@when("the service {act} checkpoint {number:d}")
def act_on_checkpoint(context, act, number):
    app = context.world.app(report=context.events.append if "events" in context else silent)
    ACTS[act](app.checkpoints, app.plans.find("@").plan_id, find(context, str(number)))


ACTS = {
    "deletes": CheckpointService.delete_checkpoint,
    "goes back to": CheckpointService.rollback_to_checkpoint,
}


@then("the service tells what became of each checkpoint")
def check_verdicts(context):
    app = context.world.app()
    verdicts = app.checkpoints.prune_checkpoints(app.plans.find("@").plan_id)
    found = [(str(verdict.checkpoint.seq), verdict.why) for verdict in verdicts]
    assert found == [(row["seq"], row["why"]) for row in context.table], found
    kept = [verdict.checkpoint.seq for verdict in verdicts if verdict.stays]
    assert [row.seq for row in checkpoints(context)] == kept


@then("the summary names the plan and checkpoint {number:d}")
def check_summary_names(context, number):
    found = context.world.done.data["rollback_summary"]
    row = checkpoints(context)[number - 1]
    assert (found["plan"], found["checkpoint"]) == (row.plan_id, row.checkpoint_id), found


@then("there are {count:d} checkpoints")
def check_number(context, count):
    found = [f"{row.name} {row.reason}" for row in checkpoints(context)]
    assert len(found) == count, found


@then('"{command}" in the sandbox prints')
def check_shell(context, command):
    found = context.world.sh(command, cwd=context.world.sandbox)
    assert found.rstrip("\n") == context.text, found


@when("I follow the hint that takes it back")
def follow_hint(context):
    """By the very command that was printed."""
    told = context.world.done.err
    (line,) = re.findall(r"agents (.*)# takes (?:it|this one) back", told)
    context.world.agents(*shlex.split(line), "--yes")


@given("I remember checkpoint {number:d}")
def remember_checkpoint(context, number):
    context.checkpoint_id = checkpoints(context)[number - 1].checkpoint_id


@when("I go back to the checkpoint I remember")
def go_back_to_remembered(context):
    context.world.agents("plan", "rollback", "@", f"cp_{context.checkpoint_id}", "--yes")


@given("the sandbox directory is lost")
def lose_sandbox(context):
    shutil.rmtree(context.world.sandbox.parent)


def packs(context):
    return sorted(context.world.data_dir.glob("projects/*/store/packs/*.pack"))


@then("going back to checkpoint {number:d} for a failed step is refused, naming {other}")
def check_nearest(context, number, other):
    app = context.world.app()
    plan = app.plans.find("@")
    target = app.checkpoints.get_checkpoint(plan.plan_id, str(number))
    try:
        app.checkpoints.rollback_to_checkpoint(plan.plan_id, target, ending=Ending(QUEUED))
    except Damaged as error:
        good = other.removeprefix("checkpoint ")
        hint = f"nearest intact checkpoint: agents plan rollback {plan.plan_id} {good}"
        named = [line for line in error.hints if line.startswith("nearest")]
        assert named == ([] if other == "no other" else [hint]), error.hints
    else:
        raise AssertionError


@given("the row of checkpoint {number:d} names the snapshot of checkpoint {other:d}")
def swap_snapshots(context, number, other):
    rows = checkpoints(context)
    statement = "UPDATE checkpoints SET sandbox_ref = ? WHERE checkpoint_id = ?"
    context.world.sql(statement, rows[other - 1].sandbox_ref, rows[number - 1].checkpoint_id)


@given("a rollback to checkpoint {number:d} has crashed {moment}")
def crash_going_back(context, number, moment):
    crash_rollback(context.world, number, moment)


@given('"agents plan {line}" has crashed {moment}')
def crash_command(context, line, moment):
    """The command is called as what it does is."""
    act = words(context, line)
    crash(moment, act[0], lambda: context.world.agents("plan", *act))


@when('a rollback to checkpoint {number:d} meets a write to "{path}" {moment}')
def write_meanwhile(context, number, path, moment):
    app = context.world.app()
    plan_id = app.plans.find("@").plan_id
    target = app.checkpoints.get_checkpoint(plan_id, str(number))
    late = context.world.sandbox / path
    context.error = None
    with MOMENTS[moment](lambda: late.write_text("late")):
        try:
            context.rolled_back = app.checkpoints.rollback_to_checkpoint(plan_id, target)
        except CleverAgentsError as error:
            context.error = error


@contextlib.contextmanager
def _put_aside(act):
    """Acts once, when the first file is about to be renamed out of the way."""
    acts = iter([act])
    aside.os = Watched(lambda _: next(acts, lambda: None)(), ["rename"])
    try:
        yield
    finally:
        aside.os = os
    assert next(acts, None) is None, "it did not come to that"


@contextlib.contextmanager
def _placed(act):
    """Acts once, when the first file that was built is about to be renamed to its place."""
    acts = iter([act])
    watch(restore, lambda _: next(acts, lambda: None)(), ["place_new"])
    try:
        yield
    finally:
        unwatch(restore)
    assert next(acts, None) is None, "it did not come to that"


@contextlib.contextmanager
def _each_put_aside(act):
    """Acts whenever a file is about to be renamed out of the way."""
    aside.os = Watched(lambda _: (time.sleep(0.01), act()), ["rename"])
    try:
        yield
    finally:
        aside.os = os


MOMENTS = {
    "each time a file is put aside": _each_put_aside,
    "just after its intent": lambda act: at(AFTER_INTENT, "rollback", act),
    "as the first file is put aside": _put_aside,
    "as the first file is placed": _placed,
}


@then('the rollback has changed "{paths}"')
def check_changed(context, paths):
    found = [change.file for change in context.rolled_back.changes]
    assert found == paths.split(", "), found


@when('the checkpoints "{rows}" are judged with a limit of {limit:d}')
def judge_rows(context, rows, limit):
    """Rows by their numbers: p pinned, s safety, n needed."""
    texts = [] if rows == "none" else rows.split()
    context.rows = [row_of(text) for text in texts]
    needed = {row_of(text).checkpoint_id: "needed" for text in texts if "n" in text}
    context.verdicts = judge(context.rows, CheckpointRetentionPolicy(limit), needed)


def row_of(text):
    seq = int(text.rstrip("psn"))
    return Checkpoint(
        checkpoint_id=f"id {seq}",
        plan_id="plan",
        seq=seq,
        decision_id=None,
        checkpoint_type=CheckpointType.SAFETY if "s" in text else CheckpointType.STEP,
        resource_id="sandbox",
        sandbox_ref="00",
        filesystem_path="/",
        size_bytes=0,
        created_at=now(),
        label=None,
        step_index=0,
        state_hash="00",
        metadata={},
        parent_id=None,
        pinned="p" in text,
    )


@then('the verdicts are "{verdicts}"')
def check_judgement(context, verdicts):
    found = ", ".join(verdict.why for verdict in context.verdicts) or "nothing"
    assert found == verdicts, found
    assert [verdict.checkpoint for verdict in context.verdicts] == context.rows


@when("{count:d} more checkpoints are made by the service")
def make_many(context, count):
    app = context.world.app()
    plan = app.plans.find("@")
    for number in range(count):
        wanted = CheckpointRequest(CheckpointType.STEP, f"number {number}")
        app.checkpoints.create_checkpoint(plan.plan_id, wanted)


@then("the checkpoints left are {numbers}")
def check_left(context, numbers):
    """Numbers and ranges of them."""
    wanted = []
    for part in numbers.split(", "):
        first, _, last = part.partition(" to ")
        wanted += range(int(first), int(last or first) + 1)
    found = [row.seq for row in checkpoints(context)]
    assert found == wanted, found


@then("no checkpoint is left behind")
def check_line(context):
    rows = checkpoints(context)
    line = context.world.app().checkpoints.current_line(rows[0].plan_id)
    assert line == {row.checkpoint_id for row in rows}


@then('the store holds {some} of the {total} contents of "{name}"')
def check_store(context, some, total, name):
    """The contents are random and all of one size, so the size of the packs tells their number."""
    numbers = {"one": 1, "two": 2, "four": 4}
    stored = sum(path.stat().st_size for path in packs(context))
    size = (context.world.sandbox / name).stat().st_size
    assert stored // size == numbers[some], f"{stored} bytes of {numbers[total]} times {size}"


@then("pruning in the middle of it keeps checkpoints {numbers}")
def check_needed(context, numbers):
    verdicts = Inside(context.world).prune()
    kept = [verdict.checkpoint.seq for verdict in verdicts if verdict.stays]
    assert ", ".join(map(str, kept)) == numbers, kept
    assert "an unfinished operation needs it" in {verdict.why for verdict in verdicts}


@then('the folder "{name}" beside the project holds')
def check_folder(context, name):
    folder = context.world.home / name
    found = {
        str(path.relative_to(folder)): path.read_text().strip()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert found == {row["file"]: row["content"] for row in context.table}, found


@then('the checkpoints hold one of type "{kind}"')
def check_kind(context, kind):
    found = [row.checkpoint_type for row in checkpoints(context)]
    assert found.count(kind) == 1, found
