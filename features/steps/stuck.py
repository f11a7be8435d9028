"""Steps about operations that nobody can carry out, and what goes on beside them."""

import json
import os
import resource

from behave import given, then, when
from oracle import differences, picture

from cleveragents.checkpoints.saving import CheckpointRequest
from cleveragents.checkpoints.triggers import CheckpointType
from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.errors import CleverAgentsError, Refused
from cleveragents.ids import new_id
from cleveragents.operations.kind import Kind
from cleveragents.snapshots.store.pack import Pack

GONE = "00" * 32  # the id of a snapshot or checkpoint that is nowhere
OTHER_VERSION = "transmogrify"  # a kind that only another version of the program knows
IN_PROJECT = (Kind.APPLY, Kind.UNAPPLY)
# What each kind writes down, with content and checkpoints that are gone.
BACK = {"target": GONE, "safety": GONE, "record": GONE, "stage": ["execute", "queued"]}
MERGED = {"target": GONE, "present": GONE, "base": GONE, "child": GONE, "theirs": GONE, "files": 1}
PLACED = {"as": "changes", "old": GONE, "new": GONE, "paths": ["v"]}
TAKEN_BACK = {**PLACED, "safety": GONE, "record": GONE, "stamp": 0, "turn": 1}
INTENTS = {
    Kind.ROLLBACK: BACK,
    Kind.CORRECT: BACK,
    Kind.REVERT: BACK,
    Kind.REFRESH: MERGED,
    Kind.MERGE: MERGED,
    Kind.RESOLVE: MERGED,
    Kind.RESTORE: {"source": GONE, "safety": GONE, "snapshot": GONE, "paths": ["v"], "files": 1},
    Kind.VALIDATE: {"snapshot": GONE},
    Kind.APPLY: PLACED,
    Kind.UNAPPLY: PLACED,
    Kind.UNDO: TAKEN_BACK,
    Kind.REDO: TAKEN_BACK,
    Kind.PRUNE: {"refs": [GONE], "names": ["cp9"], "bytes": 1},
    OTHER_VERSION: {"any": 1},
}
BROKEN = {
    "lacks what it needs": lambda _: '{"keeps": []}',
    "cannot be read": lambda _: "neither this nor that",
    "names what is gone": lambda kind: json.dumps({**INTENTS[kind], "keeps": []}),
}


def _roll_back(app, plan_id):
    target = app.checkpoints.get_checkpoint(plan_id, "2")
    return app.checkpoints.rollback_to_checkpoint(plan_id, target, ending=None, rebuild=True)


def _restore(app, plan_id):
    app.restore.run(plan_id, app.checkpoints.get_checkpoint(plan_id, "1"), ["v"])


def _prune(app):
    plans = app.plans.list()
    for done in app.cleanup.prune(plans, app.cleanup.propose(plans, discard=True)):
        if done.error is not None:
            raise done.error


def _pin(app, plan_id):
    app.checkpoints.pin_checkpoint(
        plan_id, app.checkpoints.get_checkpoint(plan_id, "2"), pinned=True
    )


CHANGES_FILES = {
    "rollback": _roll_back,
    "restore": _restore,
    "execute": lambda app, plan_id: app.execute.run(plan_id),
    "refresh": lambda app, plan_id: app.refresh.run(plan_id),
    "apply": lambda app, plan_id: app.apply.run(plan_id, ApplyOptions()),
    "prune": lambda app, _: _prune(app),
    "cancel": lambda app, plan_id: app.cancellation.cancel(plan_id),
}
LEAVES_FILES = {
    "pin": _pin,
    "checkpoint": lambda app, plan_id: app.checkpoints.create_checkpoint(
        plan_id, CheckpointRequest(CheckpointType.MANUAL, "by hand")
    ),
    "forget": lambda app, plan_id: app.checkpoints.prune_checkpoints(plan_id),
    "status": lambda app, plan_id: app.plans.status(app.plans.find(plan_id)),
    "list": lambda app, _: app.plans.unsettled(app.plans.list()),
    "log": lambda app, plan_id: app.history.of(app.plans.find(plan_id)),
    "doctor": lambda app, _: app.doctor.examine(),
}


@then("each kind of operation whose intent {fault} lets go on and refuses what it should")
def check_each_kind(context, fault):
    roots = [context.world.project, context.world.sandbox]
    for kind in [*(kind for kind in Kind if kind is not Kind.UNKNOWN), OTHER_VERSION]:
        _check_kind(context, kind, BROKEN[fault](kind), roots)


def _check_kind(context, kind, intent, roots):
    operation_id = _interrupt(context, kind, intent)
    frees = kind == Kind.PRUNE and intent.startswith("{")  # what it lacks keeps none from freeing
    before, app = _files(roots), context.world.app()
    for name, act in LEAVES_FILES.items():
        _tried(app, f"{name} beside {kind}", act)
    assert _status(context, operation_id) == ("done" if frees else "stuck"), kind
    for name, act in CHANGES_FILES.items() if kind != Kind.PRUNE else ():
        refused = _tried(app, f"{name} beside {kind}", act, refused=True)
        assert "agents doctor --repair" in " ".join(refused.hints), (name, kind, refused.hints)
    assert frees or _status(context, operation_id) == "stuck", kind
    repaired = app.doctor.repair()
    assert frees or "given up" in " ".join(repaired.repairs), (kind, repaired.repairs)
    assert differences(before, _files(roots)) == [], kind
    assert _status(context, operation_id) == ("done" if frees else "aborted"), kind
    story = _story(app, operation_id)
    assert frees or "given up: " in story, (kind, story)
    _leave_applied(context)
    _tried(app, f"a rollback after {kind} was given up", _roll_back)
    app.execute.run(app.plans.find("@").plan_id)


def _interrupt(context, kind, intent):
    """Leaves an open operation, with the stage that its kind gives the plan."""
    if kind == Kind.UNAPPLY:
        _add(context, Kind.APPLY, "done", intent)
    if kind in IN_PROJECT:
        context.world.sql("UPDATE plans SET phase = 'apply', state = 'processing'")
    return _add(context, kind, "open", intent)


def _add(context, kind, status, intent):
    operation_id, columns = new_id(), "operation_id, plan_id, kind, status, intent_json, opened_at"
    row = (operation_id, context.world.plan.plan_id, str(kind), status, intent)
    context.world.sql(
        f"INSERT INTO operations ({columns}) VALUES (?, ?, ?, ?, ?, '2026-01-01 00:00:00')", *row
    )
    context.world.sql(
        "INSERT INTO journal (plan_id, seq, at, kind, ref_id, detail_json)"
        " SELECT plan_id, max(seq) + 1, '2026-01-01 00:00:00', 'operation', ?, '{}'"
        " FROM journal WHERE plan_id = ?",
        operation_id,
        context.world.plan.plan_id,
    )
    return operation_id


def _leave_applied(context):
    """An unapply that was given up leaves the plan applied: that is where it came from."""
    if context.world.plan.stage == ("apply", "applied"):
        context.world.sql("UPDATE plans SET phase = 'execute', state = 'complete'")


def _tried(app, what, act, *, refused=False):
    try:
        act(app, app.plans.find("@").plan_id)
    except Refused as error:
        assert refused, f"{what} was refused: {error}"
        assert "cannot be finished" in error.message, f"{what}: {error}"
        return error
    except CleverAgentsError as error:
        raise AssertionError(f"{what} failed: {error}") from error
    assert not refused, f"{what} was not refused"
    return None


def _story(app, operation_id):
    """What the log tells of an operation."""
    told = app.history.of(app.plans.find("@"))
    return next(one.story for one in told if one.facts.get("operation_id") == operation_id)


def _files(roots):
    return {
        os.fsencode(root.name) + b"/" + path: each
        for root in roots
        for path, each in picture(root).items()
    }


def _status(context, operation_id):
    ((status,),) = context.world.sql(
        "SELECT status FROM operations WHERE operation_id = ?", operation_id
    )
    return status


@then('the operation is "{status}"')
def check_status(context, status):
    ((newest,),) = context.world.sql("SELECT MAX(operation_id) FROM operations")
    found = _status(context, context.operation_id if "operation_id" in context else newest)
    assert found == status, found


@when("no file can grow beyond {size:d} bytes while the plan is executed")
def limit_files(context, size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    context.world.agents_beside("plan", "execute", "@", preexec_fn=limit)
    done = context.world.end_of_child()
    assert done.code == 1, done
    assert "File too large" in done.err, done


@given("{what} has been interrupted")
def interrupt(context, what):
    context.operation_id = _interrupt(context, *INTERRUPTED[what](context))


def _merge_of_nothing(context):
    newest = context.world.app().checkpoints.latest_checkpoint(context.world.plan.plan_id)
    intent = {**INTENTS[Kind.MERGE], "present": newest.sandbox_ref, "keeps": []}
    return Kind.MERGE, json.dumps(intent)


INTERRUPTED = {
    "something of another version": lambda _: (OTHER_VERSION, "{}"),
    "a prune of this plan": lambda _: (Kind.PRUNE, json.dumps(INTENTS[Kind.PRUNE])),
    "a merge whose result is gone": _merge_of_nothing,
}


@given("to look for what can be freed is a mistake")
def mistaken_sweep(context):
    context.add_cleanup(setattr, Pack, "sizes", Pack.sizes)
    Pack.sizes = lambda _: 1 // 0
