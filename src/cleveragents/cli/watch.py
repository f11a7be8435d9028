"""`agents plan watch`: follows a plan that another process runs."""

from cleveragents.cli import views
from cleveragents.cli.execute import told_end
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Result
from cleveragents.errors import Failed, Interrupted
from cleveragents.plans.lifecycle import RUNNING, written


def watch(call: Invocation, plan: str = "@") -> Result:
    """Follow a plan that another process runs until it ends; its exit code is that of the run."""
    app = call.app(progress=True)
    found = views.find(call, app, plan)
    if found.stage != RUNNING:
        call.messages.append(f"the plan does not run; it is {written(found.stage)}")
        return told_end(call, app, found)
    again = f"agents plan watch {found.plan_id}"
    try:
        done = app.watching.follow(found)
    except KeyboardInterrupt as error:
        raise Interrupted(
            "you watch no longer; the plan goes on", hints=[f"watch it again: {again}"]
        ) from error
    if done.stage == RUNNING:
        raise Failed(
            "the plan is interrupted: the process that ran it is gone",
            hints=[f"resume it: agents plan resume {done.plan_id}"],
        )
    return told_end(call, app, done)
