"""Steps about what a shell offers when Tab is pressed."""

import os
import subprocess
import sys
from pathlib import Path

import pexpect
from behave import then
from world import Done

from cleveragents.cli.main import COMPLETE


@then('Tab after "agents {line}" offers "{offered}"')
def check_offered(context, line, offered):
    assert [value for value, _ in press(context, line)] == [offered], press(context, line)


@then('Tab after "agents {line}" offers ""')
def check_nothing(context, line):
    assert press(context, line) == [], press(context, line)


@then('Tab after "agents {line}" offers these')
def check_all(context, line):
    check_rows(context, press(context, line))


@then('Tab after "agents {line}" below {folder} offers these')
def check_all_below(context, line, folder):
    check_rows(context, press(context, line, cwd=context.world.project / folder))


@then("Tab after the first {count:d} letters of the newer plan offers it")
def check_prefix(context, count):
    newer = plans(context)["NEWER"]
    offered = press(context, f"plan status {newer[:count]}")
    assert newer in [value for value, _ in offered], offered


@then('Tab after "agents {line}" offers {count:d} ids')
def check_ids(context, line, count):
    offered = press(context, line)
    assert len(offered) == count, offered
    assert all(len(value) == 26 for value, _ in offered), offered


@then('Tab after "agents {line}" offers something that is "{text}"')
def check_something(context, line, text):
    assert text in [told for _, told in press(context, line)], press(context, line)


@then('answering Tab imports none of "{names}"')
def check_imports(context, names):
    code = (
        "import sys; from cleveragents.cli.main import run;"
        f"run([{COMPLETE!r}, 'plan', 'status', '']); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = {name.partition(".")[0] for name in done.stderr.split()}
    assert found.isdisjoint(names.split(", ")), found & set(names.split(", "))


@then('bash with the completion offers for "agents {line}"')
def check_bash(context, line):
    *before, last = line.split(" ")
    script = (
        'eval "$(agents completion bash)"; COMP_WORDS=(agents "$@"); COMP_CWORD=$#; _agents;'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = run_shell(context, "bash", "-c", script, "bash", *before, last)
    assert done.stdout.splitlines() == context.text.splitlines(), done.stdout + done.stderr


@then('fish with the completion offers for "agents {line}"')
def check_fish(context, line):
    script = f'agents completion fish | source; complete -C "agents {line}"'
    done = run_shell(context, "fish", "--no-config", "-c", script)
    offered = [row.partition("\t")[0] for row in done.stdout.splitlines()]
    assert offered == context.text.splitlines(), done.stdout + done.stderr


@then('zsh with the completion makes "agents {line}" of "agents {begun}"')
def check_zsh(context, line, begun):
    """It is written where zsh looks for functions, as `agents completion --help` says."""
    place = context.world.home / "functions"
    place.mkdir()
    (place / "_agents").write_text(run_shell(context, "agents", "completion", "zsh").stdout)
    terminal = pexpect.spawn(
        "zsh", ["-f", "-i"], env=environment(context), cwd=context.world.project, encoding="utf-8"
    )
    terminal.setwinsize(50, 200)
    start = "fpath=($HOME/functions $fpath); autoload -Uz compinit; compinit -u -D; PS1='rea''dy '"
    terminal.sendline(start)
    terminal.expect_exact("ready ")
    terminal.send(f"agents {begun}\t")
    terminal.expect_exact(f"agents {line}")
    terminal.close(force=True)


def run_shell(context, *command):
    """Runs a command that finds `agents`, and the plans of the scenario."""
    return subprocess.run(
        command,
        cwd=context.world.project,
        env=environment(context),
        capture_output=True,
        text=True,
        check=True,
    )


def environment(context):
    place = Path(sys.executable).parent
    return {
        **os.environ,
        "HOME": str(context.world.home),
        "PATH": f"{place}{os.pathsep}{os.environ['PATH']}",
        "CLEVERAGENTS_DATA_DIR": str(context.world.data_dir),
    }


def press(context, line, cwd=None):
    """What is offered after a line, as values and what each is."""
    for name, plan_id in plans(context).items():
        line = line.replace(name, plan_id)
    context.world.variables["CLEVERAGENTS_DATA_DIR"] = str(context.world.data_dir)
    done: Done = context.world.agents(COMPLETE, *line.split(" "), cwd=cwd)
    assert done.code == 0, done
    return [tuple(row.split("\t")) for row in done.out.splitlines()]


def check_rows(context, offered):
    known = plans(context)
    expected = [(known.get(row["value"], row["value"]), row["text"]) for row in context.table]
    assert offered == expected, offered


def plans(context):
    """The newest plan and the one before it."""
    if not context.world.data_dir.exists():
        return {}
    ids = [row[0] for row in context.world.sql("SELECT plan_id FROM plans ORDER BY number DESC")]
    return dict(zip(["NEWER", "OLDER"], ids, strict=False))
