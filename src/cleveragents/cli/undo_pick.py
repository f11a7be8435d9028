"""`agents undo --pick`: one of the acts that stand is chosen, on plans with everything newer."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from cleveragents.app import App
from cleveragents.cli import changes, differences, previewing, views
from cleveragents.cli.invocation import Invocation
from cleveragents.cli.picker import can_pick, pick
from cleveragents.cli.picking import Choice, Picking
from cleveragents.cli.render import Block, Fields, Result, Text
from cleveragents.counting import counted
from cleveragents.engine.undo.deeds import Deed
from cleveragents.engine.undo.series import PICK, Part, SeriesForesight, SeriesResult
from cleveragents.engine.undo.service import NOTHING
from cleveragents.engine.undo.trail import Direction
from cleveragents.errors import CleverAgentsError, Declined, InvalidInput
from cleveragents.ids import PlanId
from cleveragents.records import frozen
from cleveragents.shapes.act import REDO
from cleveragents.shapes.deed import nothing, undo_series_of, undo_series_preview_of

QUESTION = "Take back, with everything newer:"
WITH_TURNS = "Take back (a turn of a chat goes alone, an act on a plan with all newer ones):"
REFUSED = 4  # the exit code of what would be refused
LISTED = 20  # acts that are named where nobody can pick


@frozen
class Offer:
    """One of the acts to pick from, with what is shown of it and what taking it back is."""

    at: datetime
    line: str
    seen: Callable[[], list[str]]
    diff: Callable[[], list[str]]
    take: Callable[[], Result]


def undo_picked(
    call: Invocation,
    app: App,
    chosen: PlanId | None,
    turns: Sequence[Offer],
    *,
    has_plans: bool,
    yes: bool,
    dry_run: bool,
) -> Result:
    """Lets an act be picked, shows what goes with it, asks, and takes just that back."""

    def offered() -> list[Offer]:
        deeds = app.undo_series.standing(chosen) if has_plans else []
        on_plans = [_offer(call, app, deed, chosen, yes=yes, dry_run=dry_run) for deed in deeds]
        return sorted([*on_plans, *turns], key=lambda one: one.at, reverse=True)

    _refuse_unseen(offered())
    if has_plans and not dry_run:
        _recover(app, chosen)
    offers = offered()
    if not offers:
        return Result(nothing(), messages=[NOTHING[Direction.BACK]])
    return _picked(offers, WITH_TURNS if turns else QUESTION).take()


def _offer(
    call: Invocation, app: App, deed: Deed, chosen: PlanId | None, *, yes: bool, dry_run: bool
) -> Offer:
    return Offer(
        deed.at,
        _line(deed),
        partial(_seen, app, deed, chosen),
        partial(_diff, app, deed, chosen),
        partial(_taken, call, app, deed, chosen, yes=yes, dry_run=dry_run),
    )


def _taken(
    call: Invocation, app: App, deed: Deed, chosen: PlanId | None, *, yes: bool, dry_run: bool
) -> Result:
    """Takes an act on a plan back, with everything newer on plans."""
    act = app.undertakings.retrace_series(deed.deed_id, chosen)
    if dry_run:
        found = previewing.dry_run(call, act)
        return _preview(found.would, moving=found.is_moving)
    would = act.foresee()
    if yes or would.first.obstacles:  # what is refused needs no question
        return _done(act.carry_out(would.digest))
    question = f"Take back {counted(len(would.deeds), 'act')}?"
    again = PICK if chosen is None else f"{PICK} --plan {chosen}"
    digest = previewing.asked(call, would, again=again, show=_blocks(would), question=question)
    return _done(act.carry_out(digest))


def _refuse_unseen(offers: Sequence[Offer]) -> None:
    """Refuses where nobody can pick, with what there is to pick from."""
    if not offers or can_pick():
        return
    lines = [f"{number:>4}  {one.line}" for number, one in enumerate(offers, 1)]
    more = [f"and {len(lines) - LISTED} more: agents op log"] if len(lines) > LISTED else []
    raise InvalidInput(
        "which act? there is no terminal to pick it on",
        detail=[*lines[:LISTED], *more],
        hints=["take the newest back: agents undo --yes"],
    )


def _recover(app: App, chosen: PlanId | None) -> None:
    """Finishes what was interrupted: it may be the newest act then."""
    act = app.undertakings.retrace(Direction.BACK, chosen)
    if act is not None:
        act.finish()


def _picked(offers: Sequence[Offer], question: str) -> Offer:
    """The act that was picked; numbers count from the newest, which comes first."""
    numbered = {str(number): one for number, one in enumerate(offers, 1)}
    choices = [Choice(number, one.line) for number, one in numbered.items()]
    picked = pick(
        question,
        Picking(choices, 0),
        lambda one: numbered[one.name].seen(),
        lambda one: numbered[one.name].diff(),
    )
    if picked is None:
        raise Declined
    return numbered[picked.name]


def _line(deed: Deed) -> str:
    return f"{deed.title} ({deed.plan.name}, {views.moment(deed.at)})"


def _seen(app: App, deed: Deed, chosen: PlanId | None) -> list[str]:
    """The changes of taking one back; where they cannot be told, that is said."""
    try:
        series = app.undo_series.series(deed.deed_id, chosen)
        parts = app.undo_series.parts(deed.deed_id, chosen)
    except CleverAgentsError as error:
        return [error.message]
    told = [line for part in parts for line in _part_lines(part)]
    return [f"Takes back {counted(len(series), 'act')}", *told]


def _part_lines(part: Part) -> list[str]:
    files = [f"{change.action:<8}  {change.file}" for change in part.files]
    return [_headed(part), *files, *_mine(part)]


def _mine(part: Part) -> list[str]:
    return [f"left as you have it: {previewing.first_of(part.mine)}"] if part.mine else []


def _headed(part: Part) -> str:
    """Where something would change, and how much; of a branch all is said by its name."""
    if part.unknown:
        return f"{part.where}: {part.unknown}"
    return part.where if part.is_branch else f"{part.where}: {counted(len(part.files), 'path')}"


def _diff(app: App, deed: Deed, chosen: PlanId | None) -> list[str]:
    try:
        found = app.undo_series.diff(deed.deed_id, chosen)
    except CleverAgentsError as error:
        return [error.message]
    return differences.lines(found)


def _blocks(would: SeriesForesight) -> list[Block]:
    named = [(str(number), _line(deed)) for number, deed in enumerate(would.deeds, 1)]
    ways = [block for part in would.parts for block in _part_blocks(part)]
    met = [(each.path, each.why) for each in would.first.obstacles]
    return [
        Fields(f"Would take back {counted(len(named), 'act')}", named),
        *ways,
        *([Fields("In the way", met)] if met else []),
    ]


def _part_blocks(part: Part) -> list[Block]:
    if part.unknown or part.is_branch:
        return [Text([_headed(part)])]
    mine = [Text(_mine(part))] if part.mine else []
    return [changes.panel(_headed(part), part.files), *mine, *previewing.blocks(part.besides)]


def _preview(would: SeriesForesight, *, moving: bool) -> Result:
    refused = bool(would.first.obstacles)
    return Result(
        undo_series_preview_of(would, moving=moving),
        _blocks(would),
        status="warn" if refused else "ok",
        exit_code=REFUSED if refused else 0,
        messages=[previewing.DRY_RUN],
        next_steps=would.first.ways_out or [PICK],
    )


def _done(result: SeriesResult) -> Result:
    """The acts that were taken back and, if one was refused, exactly those that were not."""
    done = [(str(number), _line(each.deed)) for number, each in enumerate(result.done, 1)]
    left = [("", _line(deed)) for deed in result.left]
    blocks: list[Block] = [Fields(f"Took back {counted(len(done), 'act')}", done)]
    runs = [run for each in result.done if each.done is not None for run in each.done.calls]
    calls = [run.told for run in runs if not run.worked]
    again = [f"{REDO}    # does the last of them again"] if result.last.is_more_forward else []
    error = result.error
    if error is None:
        return Result(
            undo_series_of(result),
            blocks,
            "Taken back",
            status="warn" if calls else "ok",
            messages=calls,
            next_steps=again,
        )
    met = f"stopped: {error.message}"
    return Result(
        undo_series_of(result),
        [*blocks, Fields(f"Did not take back {counted(len(left), 'act')}", left)],
        status="warn",
        exit_code=error.exit_code,
        messages=[*calls, met, *error.detail],
        next_steps=[*error.hints, *again],
    )
