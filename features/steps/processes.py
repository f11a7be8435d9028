"""Steps about the processes of a step: what they see, what they leave, and that they end."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

from behave import given, then, when

from cleveragents.errors import Failed
from cleveragents.sandbox import survivors
from cleveragents.sandbox.process import CUT, OUTPUT_CAP, Job, run

ADDED_BY_SHELLS = {"PWD", "OLDPWD", "SHLVL", "_"}


# --- what there is -----------------------------------------------------------------------------


@given("steps may take {seconds:g} seconds")
def limit_time(context, seconds):
    _options(context)["timeout"] = seconds


@given('steps pass on "{passed}" and set "{names}"')
def pass_on(context, passed, names):
    _options(context)["pass_env"] = passed.split(", ")
    _options(context)["env"] = {name: f"{name} of the plan" for name in names.split(", ")}


@given('the caller\'s environment has "{names}"')
def set_variables(context, names):
    for name in names.split(", "):
        context.world.variables[name] = f"{name} of the caller"


@given("the caller has an open file that its children may inherit")
def open_file(context):
    fd = os.open(context.world.home, os.O_RDONLY)
    context.add_cleanup(os.close, fd)
    os.set_inheritable(fd, True)


@given("a process of somebody else")
def start_other(context):
    context.other = subprocess.Popen([_sleeper(context, "other"), "1000"])
    context.add_cleanup(context.other.wait)
    context.add_cleanup(context.other.kill)


def _options(context):
    if "options" not in context:
        context.options = {}
    return context.options


# --- steps -------------------------------------------------------------------------------------


@when("a step runs")
def run_step(context):
    context.world.agents("run", _action(context, {"tool": "shell"}, context.text))


@when("a step in a process of its own runs")
def run_step_beside(context):
    action = _action(context, {"tool": "shell"}, context.text)
    context.world.agents_beside("run", action)
    done = context.world.end_of_child()
    assert done.code == 0, done


@when("a declared tool runs")
def run_declared(context):
    tool = {"name": "declared", "command": _command(context, context.text)}
    action = {"name": "declared", "tools": [tool], "steps": [{"tool": "declared"}]}
    context.world.agents("run", context.world.write_action(json.dumps(action)))


def _action(context, step, command):
    step = {**step, **_options(context), "with": {"command": _command(context, command)}}
    action = {"name": "one step", "rollback": {"on_failure": "keep"}, "steps": [step]}
    return context.world.write_action(json.dumps(action))


def _command(context, text):
    """SLEEPER stands for a program of our own that sleeps: its processes can be told apart."""
    return text.replace("SLEEPER", f"{_sleeper(context, 'sleeper')} 1000").replace("${", "$${")


def _sleeper(context, name):
    """Makes the program; its path has no space, so that it can be used within quotes."""
    context.sleeper = Path("/tmp") / f"{name}-{context.world.home.name.split()[-1]}"
    shutil.copy(shutil.which("sleep"), context.sleeper)
    context.add_cleanup(_end, context.sleeper)
    return context.sleeper


def _end(sleeper):
    """Ends what a failed test left, and nothing but that."""
    for pid in _alive(sleeper):
        os.kill(pid, signal.SIGKILL)
    sleeper.unlink(missing_ok=True)


def _alive(sleeper):
    """The processes that run the program."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe") == str(sleeper):
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended, or is not ours to look at
    return found


# --- what came of it ---------------------------------------------------------------------------


@then("the step succeeded")
def check_success(context):
    assert context.world.done.code == 0, context.world.done.err


@then('the step failed with "{text}"')
def check_failure(context, text):
    done = context.world.done
    assert done.code == 1, done
    assert text in done.err, done.err


@then("nothing that the step started is alive")
def check_no_survivor(context):
    sleepers = _alive(Path("/tmp") / f"sleeper-{context.world.home.name.split()[-1]}")
    assert sleepers == [], sleepers


@then("the process of somebody else is alive")
def check_other(context):
    assert context.other.poll() is None


@then('the step\'s output is "{text}"')
def check_output(context, text):
    expected = text.replace("\\n", "\n")
    assert _output(context).decode().rstrip("\n") == expected, _output(context)


@then('the step\'s output has the bytes "{written}"')
def check_bytes(context, written):
    assert _output(context) == bytes.fromhex(written), _output(context)


@then("the step's output is capped")
def check_cap(context):
    marked = f"\n{CUT}\n".encode()
    assert _output(context) == b"x" * OUTPUT_CAP + marked


@then("the step's output is the path of the sandbox")
def check_place(context):
    assert _output(context).decode() == f"{context.world.sandbox}\n", _output(context)


@then('the step saw the variables "{names}" and what a shell adds')
def check_variables(context, names):
    assert _seen(context).keys() - ADDED_BY_SHELLS == set(names.split(", ")), _seen(context)


@then('the step saw "{name}" as the plan set it')
def check_variable(context, name):
    assert _seen(context)[name] == f"{name} of the plan"


def _seen(context):
    lines = _output(context).decode().splitlines()
    return dict(line.split("=", 1) for line in lines)


def _output(context):
    ((path,),) = context.world.sql("SELECT output_path FROM step_runs")
    return Path(path).read_bytes()


# --- what does not end ---------------------------------------------------------------------------


@when("a step leaves a process that does not end in time")
def leave_process(context):
    context.add_cleanup(setattr, survivors, "KILL_SECONDS", survivors.KILL_SECONDS)
    survivors.KILL_SECONDS = -1.0
    home = context.world.home
    command = "setsid sh -c 'echo $$ > pid; exec sleep 1000' & while [ ! -s pid ]; do :; done"
    environment = {"PATH": os.environ["PATH"], survivors.MARK: "a mark"}
    job = Job(["/bin/sh", "-c", command], home, environment, "a mark", home / "out")
    try:
        run(job, on_line=lambda _: None, must_stop=lambda: False)
    except Failed as error:
        context.error = error
    context.pid = int((home / "pid").read_text())


@then("the step is told to have left it")
def check_told(context):
    assert f"cannot be ended: [{context.pid}]" in context.error.message, context.error


@then("with more time it is ended")
def check_ended(context):
    survivors.KILL_SECONDS = 10.0
    survivors.end_left_behind("a mark", context.world.home)
    assert not Path(f"/proc/{context.pid}").exists(), "it is still there"


@then("nobody is found in any directory under the pid of a process that has ended")
def check_nobody(context):
    process = subprocess.Popen(["true"], cwd=context.world.home)
    process.wait()
    assert not survivors.works_in(process.pid, Path("/"))
