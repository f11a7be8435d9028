"""Steps that kill an apply, let it fail, or edit files under its hands, at every step it takes."""

import contextlib
import ctypes
import errno
import os
import signal
from dataclasses import replace
from types import SimpleNamespace

from behave import given, then, when
from crashes import BEFORE_END, BEFORE_INTENT, at
from forked import POINTS, RENAMES, Watched, die, forked, unwatch, watch
from oracle import differences, picture

from cleveragents.engine.bring.proposal import ApplyOptions
from cleveragents.errors import CleverAgentsError
from cleveragents.sandbox.project import Project
from cleveragents.sandbox.users_repository import folds_case
from cleveragents.snapshots.write import exchange, look, renaming, restore
from cleveragents.storage import space

MOST = 80  # moments at most; there are fewer
STRIDE = 4  # every so many of them are tried: the suite of faults tries each system call


def _watch(context, on_point, names=POINTS):
    watch(exchange, on_point, names)
    context.add_cleanup(unwatch, exchange)


def _files(context):
    seen = picture(context.world.project, without=[b".git"])
    return {path: replace(each, mtime=None) for path, each in seen.items()}


def _act(context, verb):
    app = context.world.app()
    plan_id = app.plans.find("@").plan_id
    if verb == "apply":
        app.apply.run(plan_id, ApplyOptions())
    else:
        app.apply.unapply(plan_id)


def _recover(context):
    app = context.world.app()
    plan_id = app.plans.find("@").plan_id
    with app.ownership.hold(plan_id, "recovering"):
        return


def _reset(context, verb):
    """Brings project and plan back to where the trials begin."""
    back = "unapply" if verb == "apply" else "apply"
    stage = "/".join(context.world.plan.stage)
    if stage == ("apply/applied" if verb == "apply" else "execute/complete"):
        _act(context, back)


@when("an {verb} is killed at each of its steps and recovered")
def kill_everywhere(context, verb):
    before = _files(context)
    context.verdicts = []
    moments = (
        at(BEFORE_INTENT, verb, die),
        at(BEFORE_END, verb, die),
        *(_at_point(n) for n in range(0, MOST, STRIDE)),
    )
    for moment in moments:
        code = forked(lambda moment=moment: _act_within(moment, context, verb))
        left = _files(context)
        if code == 0:
            break
        assert code == -signal.SIGKILL, code
        _recover(context)
        stage = "/".join(context.world.plan.stage)
        context.verdicts.append((before, left, _files(context), stage))
        _reset(context, verb)
        assert not differences(before, _files(context))
    context.after = _files(context)
    context.verb = verb


@given("an {verb} has been killed {moment}")
def killed(context, verb, moment):
    """As root, whom nothing is closed to."""
    code = forked(lambda: (KILLS[moment](), _act(context, verb)))
    assert code == -signal.SIGKILL, code


def _at_rename(module, number):
    """Dies at so manyeth rename of a module; this process ends with the act, so all may stay."""
    renames = iter(range(number - 1))

    def count(_):
        if next(renames, None) is None:
            die()

    watch(module, count, RENAMES)


def _at_second_sync():
    """The first comes when all is built beside its place, the second when it is placed."""
    acts = iter([exchange.sync_file_system])

    def sync_or_die(root):
        next(acts, lambda _: die())(root)

    exchange.sync_file_system = sync_or_die


KILLS = {
    "half-way": lambda: _at_rename(exchange, 2),
    "once a new directory had its file": lambda: _at_rename(exchange, 5),
    "after everything was placed": _at_second_sync,
    "while it made the sandbox again": lambda: _at_rename(restore, 7),
}


def _act_within(moment, context, verb):
    with moment:
        _act(context, verb)


@contextlib.contextmanager
def _at_point(number):
    """Dies at a call that changes files; this process ends with the act, so all may stay."""
    points = iter(range(number))

    def count(_):
        if next(points, None) is None:
            die()

    watch(exchange, count)
    yield


@then("it was before or after each time")
def before_or_after(context):
    begun, ended = "execute/complete", "apply/applied"
    if context.verb == "unapply":
        begun, ended = ended, begun
    stages = set()
    for before, _, found, stage in context.verdicts:
        wanted = {begun: before, ended: context.after}[stage]
        assert not differences(wanted, found), (stage, differences(wanted, found))
        stages.add(stage)
    assert stages == {begun, ended}, stages


@then("more than {count:d} moments were tried")
def enough(context, count):
    assert len(context.verdicts) > count, len(context.verdicts)


@when("an {verb} meets the error {name} at each of its steps")
def fail_everywhere(context, verb, name):
    before = _files(context)
    context.verdicts = []
    number = errno.errorcode and getattr(errno, name)
    for moment in range(0, MOST, STRIDE):
        points = iter(range(moment))
        failed = []

        def fail(_, points=points, failed=failed):
            if next(points, None) is None and not failed:
                failed.append(True)
                raise OSError(number, os.strerror(number))

        watch(exchange, fail)
        try:
            _act(context, verb)
        except exchange.Unsettled:  # all is done: from here on it only goes on
            unwatch(exchange)
            _recover(context)
            break
        except (CleverAgentsError, OSError) as error:
            context.verdicts.append((str(error), differences(before, _files(context))))
            context.stage = "/".join(context.world.plan.stage)
        else:
            break
        finally:
            unwatch(exchange)


@then('the project was as before each time, and the plan "{stage}"')
def as_before(context, stage):
    for error, found in context.verdicts:
        assert not found, (error, found)
    assert context.stage == stage, context.stage


@when('"{name}" is edited {when} an apply')
def edit_during(context, name, when):
    call, edit = EDITS[when](context.world.project / name)
    _watch(context, edit, call)
    context.world.agents("plan", "apply", "@", "--yes")
    unwatch(exchange)


def _at_second_rename(file):
    renames = []

    def edit(_):
        renames.append(True)
        if len(renames) == 2:
            file.unlink()
            file.write_text("edited\n")

    return RENAMES, edit


def _once_placed(file):
    old = file.read_text()

    def edit(_):
        if file.read_text() != old:
            file.write_text("edited\n")

    return ["fchmod"], edit


EDITS = {"in the middle of": _at_second_rename, "at the end of": _once_placed}


@when('an apply meets an edit of "{name}" just as {what}')
def edit_as_renamed(context, name, what):
    """Between the last look at the file and the rename that concerns it."""
    file, call, edits = context.world.project / name, CALLS[what], []

    def edit_first(first, second, *folders):
        if os.fsencode(file.name) in (first, second) and not edits:
            edits.append(file.write_text("edited\n"))
        return getattr(renaming, call)(first, second, *folders)

    exchange.renaming = SimpleNamespace(**{**vars(renaming), call: edit_first})
    context.add_cleanup(unwatch, exchange)
    context.world.agents("plan", "apply", "@", "--yes")
    assert edits, "it did not come to that"


CALLS = {"it is replaced": "swap", "it is taken": "place_new", "it is made": "place_new"}


@given("the file system knows only plain renames")
def only_plain_renames(context):
    context.add_cleanup(setattr, renaming, "renameat2", renaming.renameat2)

    def unknown(*_):
        ctypes.set_errno(errno.EINVAL)
        return -1

    renaming.renameat2 = unknown


@when('"{name}" keeps changing while a plan is applied')
def keep_changing(context, name):
    file = context.world.project / name
    read = look.store_file

    def changing(fd, size, put):
        content = read(fd, size, put)
        if os.fstat(fd).st_ino == file.stat().st_ino:
            file.write_text(file.read_text() + "more\n")
        return content

    look.store_file = changing
    try:
        context.world.agents("plan", "apply", "@", "--yes")
    finally:
        look.store_file = read


@then('the project folds names only if "{other}" is "{name}"')
def folds_names(context, other, name):
    project = Project(context.world.project)
    assert not folds_case(project)
    there = os.path.lexists
    os.path.lexists = lambda path: there(path) or os.path.basename(path) == name.swapcase()
    try:
        assert folds_case(project)
    finally:
        os.path.lexists = there


@then('all but "{name}" is as it was')
def all_but(context, name):
    skipped = os.fsencode(name)
    wanted = {path: replace(each, mtime=None) for path, each in context.users_files.items()}
    found = _files(context)
    del wanted[skipped], found[skipped]
    assert not differences(wanted, found), differences(wanted, found)


@when("an apply meets an error of the disk {moment}")
def meet_error(context, moment):
    name, faulty = FAULTS[moment]()
    sound = getattr(exchange, name)
    setattr(exchange, name, faulty)
    try:
        context.world.agents("plan", "apply", "@", "--yes")
    finally:
        setattr(exchange, name, sound)


def _fail(*_):
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def _all_but_first_rename():
    renames = iter(range(1))

    def fail(_):
        if next(renames, None) is None:
            _fail()

    return "renaming", Watched(fail, RENAMES, renaming)


FAULTS = {
    "from its second rename on": _all_but_first_rename,
    "when it is made durable": lambda: ("sync_file_system", _fail),
}


@given("a project that is nearly full")
def nearly_full(context):
    class Full(Watched):
        def statvfs(self, path):
            found = os.statvfs(path)
            return os.statvfs_result((*found[:4], 0, *found[5:]))

    space.os = Full(lambda _: None, ())
    context.add_cleanup(setattr, space, "os", os)


@given('the project is back from "{where}"')
def move_back(context, where):
    (context.world.project / where).resolve().rename(context.world.project)
