"""Steps about running commands, in this process, beside it or on a terminal."""

import os
import re
import resource
import shlex
import signal

import pexpect
from behave import given, then, when
from envelopes import check_envelope
from world import Done, wait_until

ESCAPE = "\x1b"
SHOWN = {
    "colour": re.compile(r"\x1b\[[0-9;]*?(?:3|4|9)[0-9][0-9;]*m"),
    "bold text": re.compile(r"\x1b\[1m"),
    "escape sequence": re.compile(ESCAPE),
}


@given("a git repository")
def make_repository(context):
    (context.world.project / "a.txt").write_text("one\n")
    context.world.make_repository()


@given("a plain folder")
def make_folder(context):
    (context.world.project / "a.txt").write_text("one\n")


@given('the shell has run "{command}" in the project')
@when('the shell runs "{command}" in the project')
def run_shell(context, command):
    in_project(context, command)


def in_project(context, command):
    """Runs a shell command there, for which $PLAN is the latest plan."""
    is_asked_for = "$PLAN" in command
    return context.world.sh(f"PLAN={context.world.plan.plan_id if is_asked_for else ''}\n{command}")


@given('the variable {name} is "{value}"')
def set_variable(context, name, value):
    context.world.variables[name] = value


@given("the variable {name} is {what}")
def set_variable_to(context, name, what):
    world = context.world
    values = {
        "empty": "",
        "the data directory": world.data_dir,
        "the folder of the scenario": world.home,
    }
    world.variables[name] = str(values[what])


@given('I have run "agents {line}"')
def have_run(context, line):
    done = context.world.agents(*words(context, line))
    assert done.code == 0, done.err + done.out


@given('I have run "agents {line}" in vain')
def have_run_in_vain(context, line):
    done = context.world.agents(*words(context, line))
    assert done.code == 1, done.err + done.out


@when('I run "agents {line}"')
def run_agents(context, line):
    context.world.agents(*words(context, line))


@when('I follow the hint that begins with "{start}"')
def follow_hint(context, start):
    """Types what stands behind the colon; commands of ours are confirmed."""
    lines = [line.removeprefix("hint:").strip() for line in context.world.done.err.splitlines()]
    (line,) = [hint for hint in lines if hint.startswith(start)]
    command = line.partition(": ")[2]
    if command.startswith("agents "):
        context.world.agents(*shlex.split(command)[1:], "--yes")
        assert context.world.done.code == 0, context.world.done.err
    else:
        context.world.sh(command)


@when('I run "agents {line}" below {folder}')
def run_agents_below(context, line, folder):
    place = os.path.normpath(context.world.project / folder)
    context.world.agents(*words(context, line), cwd=place)


@when('I run "agents {line}" in a directory that is gone')
def run_agents_nowhere(context, line):
    arguments = words(context, line)
    go = 'mkdir ../gone; cd ../gone; rmdir ../gone; exec "$@"'
    context.world.agents_beside(*arguments, prefix=("sh", "-c", go, "sh"))
    check_envelope(arguments, context.world.end_of_child())


@when('a process of its own runs "agents {line}"')
def run_child(context, line):
    arguments = words(context, line)
    context.world.agents_beside(*arguments)
    check_envelope(arguments, context.world.end_of_child())


@when('I run exactly "agents{line}"')
def run_exactly(context, line):
    """Without a command as well."""
    context.world.agents(*words(context, line))


@when('without the rights of root "agents {line}" is run')
def run_ordinary(context, line):
    """Modes keep this process out, as they do an ordinary user's."""
    rights = "-dac_override,-dac_read_search"
    prefix = ["setpriv", "--bounding-set", rights, "--inh-caps", rights]
    context.world.agents_beside(*words(context, line), prefix=prefix if os.geteuid() == 0 else [])
    context.world.end_of_child()


@given('a process of its own has started "agents {line}"')
def start_child(context, line):
    context.world.agents_beside(*words(context, line))


@given('its step has made "{name}"')
def wait_for_file(context, name):
    found = context.world.data_dir.glob
    wait_until(lambda: list(found(f"sandboxes/*/tree/{name}")), name)


@given("the process is killed")
def kill_child(context):
    context.world.child.kill()
    context.world.end_of_child()
    assert context.world.done.code == -signal.SIGKILL, context.world.done


@when("the process gets an interrupt")
def interrupt_child(context):
    context.world.child.send_signal(signal.SIGINT)
    context.world.end_of_child()


@when("the gate opens")
@given("the gate is open")
def open_gate(context):
    context.world.gate.touch()


@when("the process comes to its end")
def end_child(context):
    context.world.end_of_child()


@when('nobody reads what "agents {line}" prints')
def break_pipe(context, line):
    ours, theirs = os.pipe()
    os.close(ours)
    try:
        context.world.agents_beside(*words(context, line), stdout=theirs)
    finally:
        os.close(theirs)
    context.world.end_of_child()


@when('files may have {size:d} bytes for "agents {line}"')
def run_limited(context, size, line):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        context.world.agents(*words(context, line))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@when('I type on a terminal "agents {line}"')
def start_on_terminal(context, line):
    type_answers(context, context.world.agents_on_terminal(*words(context, line)))


@when('I type on a terminal, the output going to a file, "agents {line}"')
def start_on_terminal_into_file(context, line):
    context.file = context.world.home / "output"
    terminal = context.world.agents_on_terminal(*words(context, line), into=context.file)
    type_answers(context, terminal)


def type_answers(context, terminal):
    """Types the answers of the table at the questions beside them, and reads to the end."""
    shown = ""
    for row in context.table or ():
        terminal.expect_exact(row["question"])
        shown += terminal.before + terminal.after
        if row["answer"] == "Ctrl-C":
            terminal.sendintr()
        else:
            terminal.sendline(row["answer"])
    terminal.expect(pexpect.EOF)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, shown + terminal.before, "")


@when('I press Ctrl-C on a terminal while "agents {line}" runs a step')
def interrupt_on_terminal(context, line):
    terminal = context.world.agents_on_terminal(*words(context, line))
    terminal.expect_exact(f"{ESCAPE}[?25l")  # the spinner hides the cursor while a step runs
    shown = terminal.before + terminal.after
    wait_for_file(context, "started")
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, shown + terminal.before, "")


@then("the terminal has its cursor back")
def check_cursor(context):
    shown = context.world.done.out
    assert shown.rfind(f"{ESCAPE}[?25h") > shown.rfind(f"{ESCAPE}[?25l"), repr(shown)


@then("the terminal shows no {what}")
def check_not_shown(context, what):
    found = SHOWN[what].findall(context.world.done.out)
    assert not found, found


@then("the terminal shows {what}")
def check_shown(context, what):
    assert SHOWN[what].search(context.world.done.out), repr(context.world.done.out)


@then("the exit code is {code:d}")
def check_code(context, code):
    done = context.world.done
    assert done.code == code, f"{done.code}\n{done.out}\n{done.err}"


@then('the output says "{text}"')
def check_output(context, text):
    assert text in context.world.done.out, context.world.done.out


@then("the output says")
def check_output_lines(context):
    for line in context.text.splitlines():
        assert line.strip() in context.world.done.out, f"{line}\n{context.world.done.out}"


@then("the output begins with")
def check_output_start(context):
    shown = [line.rstrip() for line in context.world.done.out.splitlines()]
    expected = context.text.splitlines()
    assert shown[: len(expected)] == expected, context.world.done.out


@then('the output does not say "{text}"')
def check_not_output(context, text):
    assert text not in context.world.done.out, context.world.done.out


@then("the output is empty")
def check_no_output(context):
    assert context.world.done.out == "", context.world.done.out


@then('the error says "{text}"')
def check_error(context, text):
    assert text in context.world.done.err, context.world.done.err


@then('the error says once "{text}"')
def check_error_once(context, text):
    assert context.world.done.err.count(text) == 1, context.world.done.err


@then("the error says")
def check_error_lines(context):
    for line in context.text.splitlines():
        assert line.strip() in context.world.done.err, f"{line}\n{context.world.done.err}"


@then('the error does not say "{text}"')
def check_not_error(context, text):
    assert text not in context.world.done.err, context.world.done.err


@then("the error is empty")
def check_no_error(context):
    assert context.world.done.err == "", context.world.done.err


def words(context, line):
    """Splits a command line; a word in capitals stands for something of the scenario."""
    stands_for = {
        "ACTION": getattr(context, "action", None),
        "HOME": context.world.home,
        "DATA": context.world.data_dir,
        "PLAN": getattr(context, "plan_id", None),
        "OTHER": getattr(context, "other_id", None),
        "BEFORE": getattr(context, "before", None),
        "CORRECTION": getattr(context, "correction", None),
    }
    found = [str(stands_for.get(word) or word) for word in shlex.split(line)]
    return [re.sub("^PROJECT(?=/)", lambda _: str(context.world.project), one) for one in found]


@when('nobody reads what "agents {line}" tells')
def run_unread(context, line):
    process = context.world.agents_beside(*words(context, line))
    process.stdout.close()
    process.stderr.close()
    context.world.done = Done(process.wait(), "", "")


@when('{count:d} processes run "agents {line}" at the same time')
def run_together(context, count, line):
    started = [context.world.agents_beside(*words(context, line)) for _ in range(count)]
    context.codes = [(process.communicate()[1], process.returncode) for process in started]


@then("all of them end with exit code {code:d}")
def check_together(context, code):
    assert all(found == code for _, found in context.codes), context.codes
