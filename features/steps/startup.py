"""Steps about start-up: what a command imports, and who is to blame for it."""

import os
import subprocess
import sys

from behave import then

# Stands before all that find modules, and tells who asks first for one that is not wanted.
WATCH = """
import sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in UNWANTED:
            frame = sys._getframe()
            while "importlib" in frame.f_code.co_filename:
                frame = frame.f_back
            while frame and "cleveragents" not in frame.f_code.co_filename:
                frame = frame.f_back
            if frame:
                where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                print(f"IMPORTED {name} by {where}", file=sys.stderr)
sys.meta_path.insert(0, Watch())
from cleveragents.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@then('"agents {line}" imports none of')
def check_imports(context, line):
    found = imported(context, line, [row["module"] for row in context.table])
    assert not found, found


@then('"agents {line}" imports {module}, and a line of "{path}" is told as who did')
def check_culprit(context, line, module, path):
    found = imported(context, line, [module])
    assert found and path in found[0], found


# Tells the packages of a process that were installed: those of the virtual environment, not ours.
BELOW = """
import sys
from pathlib import Path
from cleveragents.app import App
def request():
    from cleveragents.checkpoints.saving import CheckpointRequest
    from cleveragents.checkpoints.triggers import CheckpointType
    return CheckpointRequest(CheckpointType.MANUAL, "made by hand")
app = App(sys.argv[1], data_dir=sys.argv[2])
{act}
where = [Path(entry) for entry in sys.path if entry.endswith("site-packages")]
tops = {{name for name in sys.modules if "." not in name}}
files = {{name: getattr(sys.modules[name], "__file__", None) or "" for name in tops}}
print(*sorted(name for name in tops if any(Path(files[name]).is_relative_to(at) for at in where)))
"""


@then("these packages are imported below the command line")
def check_packages(context):
    world = context.world
    for row in context.table:
        code = BELOW.format(act=row["act"])
        line = [sys.executable, "-P", "-c", code, str(world.project), str(world.data_dir)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        # An installed package may start others in every process: so does the one that measures us.
        found = [name for name in done.stdout.split() if name[0] != "_" and name != "coverage"]
        assert found == row["packages"].split(), (row["act"], found)


def imported(context, line, unwanted):
    """Returns each module that a process of its own has imported all the same, and who did."""
    world = context.world
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"UNWANTED = {unwanted!r}\n{WATCH}", *line.split()],
        cwd=world.project,
        env={**os.environ, **world.variables, "CLEVERAGENTS_DATA_DIR": str(world.data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [told for told in done.stderr.splitlines() if told.startswith("IMPORTED")]
