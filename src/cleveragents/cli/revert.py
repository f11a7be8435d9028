"""`agents plan revert`: plans anew."""

from cleveragents.cli import changes, previewing, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Block, Result, Text
from cleveragents.counting import counted
from cleveragents.engine.correct.revert import BackToStart
from cleveragents.shapes.plan import plan_of
from cleveragents.shapes.reversion import reversion_preview_of

STRATEGIZE = "strategize"  # the phase a plan goes back to


def revert(
    call: Invocation,
    plan: str = "@",
    to_phase: str = STRATEGIZE,
    guidance: str = "planned anew",
    yes: bool = False,
    dry_run: bool = False,
) -> Result:
    """Plan anew: read the action file or ask the strategist again, and go back to the start."""
    app = call.app(progress=True)
    found = views.meant(call, app, plan)
    again = f"agents plan revert {found.plan_id}"
    act = app.undertakings.revert(found.plan_id, guidance)
    if dry_run:
        looked = previewing.dry_run(call, act)
        data = reversion_preview_of(looked.would, to_phase, moving=looked.is_moving)
        shown = _blocks(looked.would)
        return Result(data, shown, messages=[previewing.DRY_RUN], next_steps=[again])
    reverted = previewing.undertake(
        call,
        act,
        yes=yes,
        again=again,
        show=_blocks,
        question=lambda would: f"Plan anew? {_told(would)}.",
    )
    done, safety = reverted.plan, reverted.safety
    back = [] if safety is None else [f"agents plan rollback {done.plan_id} {safety.seq}"]
    return Result(
        plan_of(done),
        [Text([f"{done.name} was planned anew"])],
        messages=app.cautions(done),
        next_steps=[
            f"agents plan execute {done.plan_id}",
            *(f"{b}    # takes it back" for b in back),
        ],
    )


def _told(would: BackToStart) -> str:
    often = counted(would.times_left, "more time")
    return f"all that {would.plan.name} has done goes back to the start; it may be done {often}"


def _blocks(would: BackToStart) -> list[Block]:
    panel = changes.panel("Would change", would.files)
    return [Text([_told(would)]), panel, *previewing.blocks(would.besides)]
