"""Steps about what is left out, too large or given up."""

import signal

from behave import then, when
from commands import words
from world import wait_until

from cleveragents.sandbox.process import CUT, OUTPUT_CAP

BEGUN = {
    "the project is read": "projects/*/store/packs/writing-*",
    "the sandbox is written": "sandboxes/*/tree/many-*",
}


@then("of the kept outputs one ends with a mark, and the other has none")
def check_marks(context):
    loud, just = sorted(context.world.data_dir.glob("output/*/*.log"))
    mark = f"\n{CUT}\n".encode()
    assert loud.read_bytes() == b"x" * OUTPUT_CAP + mark, loud.stat().st_size
    assert just.read_bytes() == b"x" * OUTPUT_CAP, just.stat().st_size


@when('"agents {line}" gets {name} while {what}')
def interrupt(context, line, name, what):
    child = context.world.agents_beside(*words(context, line))
    wait_until(lambda: any(context.world.data_dir.glob(BEGUN[what])), what)
    child.send_signal(signal.Signals[name])
    context.world.end_of_child()
