"""Steps about a user who goes on saving while an undo is under way."""

from behave import then, when
from chat_undo import undertaking
from forked import RENAMES, unwatch, watch
from played_chat import state_of

from cleveragents.errors import CleverAgentsError
from cleveragents.snapshots.write import exchange


@when("I undo here while the user saves {how}, a file at each rename: {names}")
def undo_while_saving(context, how, names):
    """Every file once, in that order, from the first rename on."""
    waiting = names.split()
    context.saves = {}

    def save(_):
        if waiting:
            name = waiting.pop(0)
            context.saves[name] = f"save {len(names.split()) - len(waiting)}: {name}\n"
            _save(context.world.project / name, context.saves[name], by_renaming="new" in how)

    _undo_met(context, save)
    assert not waiting, f"it did not come to {waiting}"


def _save(path, text, *, by_renaming):
    written = path.with_name("save~") if by_renaming else path
    written.write_text(text)
    written.rename(path)


@when('I undo here and at rename {number:d} the user runs "{command}"')
def undo_with_user(context, number, command):
    """A change that the undo meets later follows at once, so that it has to go back."""
    count = iter(range(1, number + 1))
    last = context.world.project / "z.txt"

    def run(_):
        if next(count, None) == number:
            context.world.sh(command)
            last.write_text("saved\n")

    _undo_met(context, run)


def _undo_met(context, on_point):
    act = undertaking(context, "")
    watch(exchange, on_point, RENAMES)
    try:
        act.carry_out()
    except CleverAgentsError as error:
        context.error = error
    else:
        raise AssertionError("it was not refused")
    finally:
        unwatch(exchange)


@then("all of it is there, and every other file as the agent left it")
def saves_there(context):
    found = state_of(context.world.project)
    for name, text in context.saves.items():
        assert found[name][1] == text.encode(), (name, found[name])
    wanted = context.states["agent"]
    assert found.keys() == wanted.keys(), found.keys() ^ wanted.keys()
    others = wanted.keys() - context.saves.keys()
    different = [name for name in others if found[name] != wanted[name]]
    assert not different, different


@then("no operation is open")
def none_open(context):
    assert not context.world.sql("SELECT kind FROM operations WHERE status = 'open'")
