"""Steps about previews: everything there is, looked at from outside before and after each."""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pexpect
from behave import given, then, when
from forked import die, forked, start
from world import Done

from cleveragents.operations.operation import OperationRepository
from cleveragents.quoting import quoted
from cleveragents.storage.unit_of_work import UnitOfWork

REFUSALS = {
    "it has changed since it was shown": ["has changed since you were shown this"],
    "the sandbox lies in another data directory": [
        "the sandbox of this plan lies in another data directory",
        "--data-dir DATA",
    ],
}
OPEN_SHARE = 3  # what is open refuses them all in one place: each kind meets one preview of three


@given('the shell has run "{command}" in the sandbox of the plan')
def run_in_sandbox(context, command):
    context.world.sh(command, cwd=context.world.sandbox)


@then('"{command}" succeeds in the sandbox of the plan')
def succeeds_in_sandbox(context, command):
    run_in_sandbox(context, command)


@given("the previews")
def the_previews(context):
    context.previews = [row.as_dict() for row in context.table]


@when("each is taken in these states")
def take_all(context):
    """Starts from the same files each time; the project's own directory stays the same one."""
    world = context.world
    plan = world.plan.plan_id
    tops = [world.data_dir, world.project]
    kept = [shutil.copytree(top, f"{top}.kept", symlinks=True) for top in tops]
    context.taken = []
    for number, row in enumerate(context.table):
        for top, copy in zip(tops, kept, strict=True):
            _empty(top)
            subprocess.run(["cp", "-a", f"{copy}/.", top], check=True)
        owner = _bring_about(context, row["state"], row[1].replace("DECISION", _decision(world)))
        finish = row["to finish it"].replace("PLAN", plan)
        for each in (
            context.previews[number % OPEN_SHARE :: OPEN_SHARE] if finish else context.previews
        ):
            words = each["preview"].replace("DECISION", _decision(world)).split()
            context.taken.append(_taken(world, row["state"], finish, each, words))
        if owner is not None:
            os.kill(owner, signal.SIGKILL)
            os.waitpid(owner, 0)


@given('another process has recorded the intent of "agents {line}" and is at it')
def is_under_way(context, line):
    kind, words = line.split()[1], line.split()
    pid = _standing_still(lambda stop: _run_until(kind, context.world, words, stop))
    context.add_cleanup(os.waitpid, pid, 0)
    context.add_cleanup(os.kill, pid, signal.SIGKILL)


@then("no preview has changed anything")
def check_unchanged(context):
    wrong = [(one["state"], one["preview"], one["changed"]) for one in context.taken]
    wrong = [one for one in wrong if one[2]]
    assert not wrong, "\n".join(map(str, wrong))


@then("each ended as it should, and told what is open and what would finish it")
def check_told(context):
    wrong = [one for one in context.taken if _wrong(one)]
    assert not wrong, "\n".join(f"{_wrong(one)}: {one}" for one in wrong)
    assert len(context.taken) > len(context.previews)


@then("its counts are those of what it lists")
def check_counts(context):
    data = context.world.done.data
    named = {"files": "changes"}
    for name, count in data["counts"].items():
        assert len(data[named.get(name, name)]) == count, (name, count, data)
        assert count, f"there are no {name}: this proves nothing"


@when('the sandbox\'s "later" or the project\'s "text" changes while the question of each stands')
def change_meanwhile(context):
    world = context.world
    sandbox = world.sandbox
    context.answers = []
    for row in context.table:
        line = row["question"].replace("DECISION", _decision(world))
        terminal = world.agents_on_terminal(*line.split())
        terminal.expect_exact("[y/N]")
        for path in (sandbox / "later", world.project / "text"):
            path.write_text(f"{path.read_text()}10\n")
        terminal.sendline("y")
        terminal.expect(pexpect.EOF)
        terminal.close()
        context.answers.append(Done(terminal.exitstatus, terminal.before, ""))


@when('the sandbox gets the file "{name}" while the question of "agents {line}" stands')
def write_meanwhile(context, name, line):
    sandbox = context.world.sandbox
    terminal = context.world.agents_on_terminal(*line.split())
    terminal.expect_exact("[y/N]")
    (sandbox / name).write_text("meanwhile")
    terminal.sendline("y")
    terminal.expect(pexpect.EOF)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, terminal.before, "")


@then("each was refused, because {why}")
def check_refused(context, why):
    place = quoted(str(context.world.data_dir))
    for done in context.answers:
        assert done.code == 4, done
        for text in REFUSALS[why]:
            assert text.replace("DATA", place) in done.out + done.err, done


def _decision(world):
    """The choice that the latest plan made."""
    asked = "SELECT decision_id FROM decisions WHERE question = 'Which storage'"
    return world.sql(f"{asked} ORDER BY decision_id")[-1][0]


def _bring_about(context, state, line):
    """Makes a state; returns the pid of who owns the plan in it."""
    world = context.world
    if state == "owned":
        return _owner(world)
    if state in ("applied", "unapply"):
        stays = ("--set", "sandbox.cleanup=manual")  # else there is no sandbox to be pruned
        assert world.agents("plan", "apply", "@", "--yes", *stays).code == 0, world.done
    if state in ("refresh", "conflict", "resolve"):
        (world.project / "text").write_text("9\n")
    if state in ("conflict", "resolve"):
        assert world.agents("plan", "refresh", "@", "--yes").code == 0, world.done
    if line:
        words = [str(context.action) if word == "ACTION" else word for word in line.split()]
        assert forked(lambda: _run_until(state, world, words, die)) == -signal.SIGKILL, state
    return None


def _run_until(kind, world, words, stop):
    """Runs a command in this process and stops as soon as its intent is recorded."""
    opened, leave, begun = OperationRepository.open, UnitOfWork.__exit__, []

    def open_and_note(self, plan_id, intent):
        begun.append(str(intent.kind))
        return opened(self, plan_id, intent)

    def leave_and_stop(self, *error):
        left = leave(self, *error)
        if kind in begun:
            stop()
        return left

    OperationRepository.open, UnitOfWork.__exit__ = open_and_note, leave_and_stop
    world.agents(*words)


def _owner(world):
    plan_id = world.plan.plan_id

    def hold(stand_still):
        with world.app().ownership.hold(plan_id, "holding still"):
            stand_still()

    return _standing_still(hold)


def _standing_still(act):
    """Starts a process; returns its pid when it stands still, as it is told to."""
    reading, writing = os.pipe()

    def stand_still():
        os.write(writing, b"x")
        signal.pause()

    pid = start(lambda: act(stand_still))
    os.close(writing)
    assert os.read(reading, 1) == b"x"
    os.close(reading)
    return pid


def _taken(world, state, finish, preview, words):
    before = _everything(world.home)
    done = world.agents(*words, "--format", "json")
    envelope = done.envelope
    told = world.agents(*words).err if state in ("complete", "owned") else done.out
    wanted = 4 if finish else int(preview.get(state, preview["complete"]))
    return {
        "state": state,
        "preview": preview["preview"],
        "changed": _differing(before, _everything(world.home)),
        "finish": finish,
        "wanted": wanted,
        "code": done.code,
        "told": told,
        "data": envelope.get("data"),
    }


def _wrong(one):
    is_moving = one["state"] == "owned"
    if one["code"] != one["wanted"]:
        return "another exit code"
    if one["finish"] and not (one["finish"] in one["told"] and one["state"] in one["told"]):
        return "not told what is open, or what would finish it"
    if one["wanted"] == 0 and one["data"]["moving"] != is_moving:
        return "moving is not told"
    if one["wanted"] == 0 and is_moving and "moving: another process" not in one["told"]:
        return "moving is not told to people"
    return ""


def _everything(top):
    """All that can be seen of all files: names, kinds, modes, times and bytes."""
    found = {}
    for folder, directories, files in os.walk(top):
        for name in [*directories, *files, "."]:
            path = Path(folder, name)
            about = os.lstat(path)
            content = b""
            if stat.S_ISREG(about.st_mode):
                content = path.read_bytes()
            elif stat.S_ISLNK(about.st_mode):
                content = os.fsencode(os.readlink(path))
            found[str(path)] = (
                about.st_mode,
                about.st_mtime_ns,
                about.st_ino,
                hashlib.sha256(content).hexdigest(),
            )
    return found


def _differing(first, second):
    return [key for key in first.keys() | second.keys() if first.get(key) != second.get(key)]


def _empty(top):
    for path in top.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
