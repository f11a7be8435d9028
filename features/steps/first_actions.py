"""Steps about the first action of a project."""

import shutil
import subprocess

from behave import given, then


@given('the project has "{name}" that says "{text}"')
@given('the project has "{name}" that says ""')
def write_file(context, name, text=""):
    """A script can be run if it looks like one."""
    path = context.world.project / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("\\n", "\n").replace("\\t", "\t"))
    path.chmod(0o755 if text.startswith("#!") else 0o644)


@then('what was written can be used, and runs where "{command}" can')
def check_action(context, command):
    """Every one is read and checked; those whose tool is on this machine are run."""
    world = context.world
    text = (world.project / "action.yaml").read_text()
    assert f"command: {command}\n" in text, text
    done = world.agents(*(["run"] if _can_run(world, command) else ["plan", "use"]), "action.yaml")
    assert done.code == 0, done.err


def _can_run(world, command):
    program = command.split()[0]
    if (world.project / program).exists():
        return True
    if program == "make":
        return shutil.which(program) is not None
    asked = ["python3", "-c", "import pytest"]
    done = subprocess.run(asked, capture_output=True, check=False)
    return "pytest" in command and done.returncode == 0
