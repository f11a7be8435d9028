"""Steps that change a limit of the program, for one scenario."""

from behave import given

from cleveragents.engine.back import pruning
from cleveragents.engine.run import cancel
from cleveragents.snapshots.store import pack
from cleveragents.storage import database, standstill
from cleveragents.tools import installed

LIMITS = {
    "packs that are open": (pack, "OPEN_PACKS"),
    "bytes of a small store": (pruning, "SMALL_STORE"),
    "what a sweep frees of a store, to be worth it,": (pruning, "SWEPT_SHARE"),
    "seconds for a transaction of somebody else": (database, "PATIENCE"),
    "seconds for who was ended": (standstill, "END_SECONDS"),
    "seconds for who is asked to cancel": (cancel, "WAIT_SECONDS"),
    "seconds for a package to say what it brings": (installed, "PATIENCE_SECONDS"),
}


@given("the limit of {what} is {value:g}")
def set_limit(context, what, value):
    module, name = LIMITS[what]
    context.add_cleanup(setattr, module, name, getattr(module, name))
    setattr(module, name, type(getattr(module, name))(value))
