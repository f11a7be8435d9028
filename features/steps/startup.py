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

# Tells which packages of others a command has imported beyond what Python starts with.
COUNT = """
import sys
before = {name.partition(".")[0] for name in sys.modules}
from cleveragents.cli.main import run
code = run(sys.argv[1:])
sys.stdout.flush()
paths = {name.partition(".")[0]: getattr(one, "__file__", "") for name, one in sys.modules.items()}
others = {name for name, path in paths.items() if "site-packages" in (path or "")}
print("PACKAGES", *sorted(others - before), file=sys.stderr)
sys.exit(code)
"""

# Tells how many modules of ours a command has imported.
OURS = """
import sys
from cleveragents.cli.main import run
code = run(sys.argv[1:])
sys.stdout.flush()
print("OURS", sum(name.startswith("cleveragents") for name in sys.modules), file=sys.stderr)
sys.exit(code)
"""


@then("these commands, read by a program, import exactly these packages")
def check_packages(context):
    found = {row["command"]: packages(context, row["command"]) for row in context.table}
    expected = {row["command"]: row["packages"].split() for row in context.table}
    assert found == expected, found


def packages(context, line):
    told = ran(context, COUNT, line).stderr.splitlines()
    return next(row for row in told if row.startswith("PACKAGES")).split()[1:]


@then('"agents {line}" imports none of')
def check_imports(context, line):
    found = imported(context, line, [row["module"] for row in context.table])
    assert not found, found


@then('"agents {line}" imports at most {most:d} modules of ours')
def check_count(context, line, most):
    count = int(ran(context, OURS, line).stderr.split()[-1])
    assert count <= most, count


@then('"agents {line}" imports {module}, and a line of "{path}" is told as who did')
def check_culprit(context, line, module, path):
    found = imported(context, line, [module])
    assert found and path in found[0], found


def imported(context, line, unwanted):
    """Returns each module that a process of its own has imported all the same, and who did."""
    done = ran(context, f"UNWANTED = {unwanted!r}\n{WATCH}", line)
    return [told for told in done.stderr.splitlines() if told.startswith("IMPORTED")]


def ran(context, program, line):
    """Runs a program in a process of its own, with a command line; what it prints is piped."""
    world = context.world
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *line.split()],
        cwd=world.project,
        env={**os.environ, **world.variables, "CLEVERAGENTS_DATA_DIR": str(world.data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done
