"""`agents plan errors`: what went wrong with a plan, where its files are, and what to do next."""

from pathlib import Path

from cleveragents.cli import views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Fields, Result, Text
from cleveragents.engine.read.next_steps import next_steps, whereabouts
from cleveragents.engine.read.status import PlanStatus
from cleveragents.plans.lifecycle import written
from cleveragents.shapes.failure import failure_of

UNTOUCHED = "nothing has run yet"


def errors(call: Invocation, plan: str = "@") -> Result:
    """Tell what failed, where the files are now, and which commands make sense next."""
    app = call.app()
    found = app.plans.status(views.find(call, app, plan))
    steps = next_steps(found)
    failed = found.plan.error is not None or bool(found.not_undone)
    messages = app.cautions(found.plan)
    short = views.short_ids(call, app, [found.plan.plan_id])[found.plan.plan_id]
    return Result(
        failure_of(found, steps),
        _blocks(found, short),
        status="warn" if failed else "ok",
        messages=messages if failed else [*messages, "nothing has failed"],
        next_steps=steps,
    )


def _blocks(found: PlanStatus, short: str) -> list[Block]:
    plan, blocks = found.plan, list[Block]()
    if plan.error is not None:
        facts = [
            ("Plan", f"{short} ({written(plan.stage)})"),
            ("Step", plan.error.step or "-"),
            ("Failed with", plan.error.message),
            ("Files", whereabouts(found, plan.error) or UNTOUCHED),
        ]
        if found.failed is not None and Path(found.failed.output_path).exists():
            facts.append(("All output", found.failed.output_path))
        blocks += [Fields("What failed", facts), Text(list(plan.error.detail))]
    if found.not_undone:
        rows = [(run.step, f"{run.tool}: {run.status} ({run.summary})") for run in found.not_undone]
        blocks.append(Fields("Not undone", rows))
    return blocks
