"""`agents run`: make a plan and run it in one go."""

import sys
from collections.abc import Sequence
from pathlib import Path

from cleveragents.cli.execute import run_plan
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.plan import make_plan
from cleveragents.cli.render import Result
from cleveragents.errors import InvalidInput


def run(
    call: Invocation,
    action: Path,
    arg: Sequence[str] = (),
    apply: bool = False,
    yes: bool = False,
) -> Result:
    """Make a plan from an action file and run it."""
    if apply and not yes and not sys.stdin.isatty():  # before anything runs in vain
        raise InvalidInput(
            "--apply asks before it changes your files, and there is no terminal to ask on",
            hints=["confirm it: agents run … --apply --yes"],
        )
    app = call.app(progress=True)
    made = make_plan(app, action, arg, to_run=True)
    done = run_plan(call, app, made)
    if not apply or done.exit_code:  # a plan that waits has no result yet
        return done
    from cleveragents.cli.apply import apply_plan
    from cleveragents.engine.bring.proposal import ApplyOptions

    return apply_plan(call, app, made, ApplyOptions(), yes=yes)
