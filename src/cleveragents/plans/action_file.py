"""The file that the steps of a plan are from, for as long as the plan can take them from there."""

from pathlib import Path

from cleveragents.plans.plan import Plan

ACTION_CHANGED = (
    "the action file has changed since; the plan keeps the steps it has; take the new ones:"
)


def file_to_mend(plan: Plan) -> Path | None:
    """Returns the action file that `--reload` reads again; None: its steps came another way."""
    others = plan.parent_plan_id or plan.outline.get("strategist") or plan.added.texts
    return None if others or plan.action_path is None else Path(plan.action_path)


def reloading(plan: Plan) -> str:
    """The command that takes the steps that are left from the action file as it is now."""
    return f"agents plan execute {plan.plan_id} --reload"
