"""Acts, and mostly dies, at the moment at which a transaction makes something so or ends it."""

import contextlib
import signal

from forked import die, forked

from cleveragents.snapshots.archive import Archive
from cleveragents.storage.unit_of_work import UnitOfWork

BEFORE_INTENT = "before its intent was recorded"
AFTER_INTENT = "after its intent was recorded"
BEFORE_END = "after its files were restored"  # all is done, and nobody has said so yet
BEFORE_CLEANING = "before it removed what it had put aside"


class Turn:
    """What a query finds rows of while it is so; whoever waits for its turn acts once."""

    def __init__(self, query, **values):
        self._query, self._values = query, values
        self._acts = {}  # by moment
        self._was_so = False
        self._connections = {}

    def beginning(self, act):
        """Acts just before the transaction that makes it so is committed."""
        return self._watched("beginning", act)

    def begun(self, act):
        """Acts just after it was."""
        return self._watched("begun", act)

    def ending(self, act):
        """Acts just before the transaction that ends it is committed."""
        return self._watched("ending", act)

    @contextlib.contextmanager
    def _watched(self, moment, act):
        enter, leave = UnitOfWork.__enter__, UnitOfWork.__exit__
        self._acts[moment] = act

        def entered(unit):
            self._connections[unit] = enter(unit)
            return self._connections[unit]

        def left(unit, *error):
            connection = self._connections.pop(unit)
            if error[0] is not None:
                return leave(unit, *error)
            is_so = bool(connection.tuples(self._query, **self._values))
            if is_so != self._was_so:
                self._come("beginning" if is_so else "ending")
            ended = leave(unit, *error)
            if is_so and not self._was_so:
                self._come("begun")
            self._was_so = is_so
            return ended

        UnitOfWork.__enter__, UnitOfWork.__exit__ = entered, left
        try:
            yield
        finally:
            UnitOfWork.__enter__, UnitOfWork.__exit__ = enter, leave
        assert not self._acts, f"{moment}: it did not come to that"

    def _come(self, moment):
        self._acts.pop(moment, lambda: None)()


def at(moment, kind, act):
    """Acts at a moment of the first operation of a kind."""
    if moment == BEFORE_CLEANING:
        return _instead_of_purging(act)
    opened = "SELECT 1 FROM operations WHERE kind = :kind AND status = 'open'"
    turn = Turn(opened, kind=kind)
    moments = {BEFORE_INTENT: turn.beginning, AFTER_INTENT: turn.begun, BEFORE_END: turn.ending}
    return moments[moment](act)


@contextlib.contextmanager
def _instead_of_purging(act):
    purge = Archive.purge
    Archive.purge = lambda *_: act()
    try:
        yield
    finally:
        Archive.purge = purge


def crash(moment, kind, work):
    """Works in a process that dies at that moment of an operation of a kind."""

    def until_then():
        with at(moment, kind, die):
            work()

    code = forked(until_then)
    assert code == -signal.SIGKILL, code


def crash_rollback(world, number, moment, **options):
    """Lets a rollback of the latest plan to a checkpoint die at that moment."""

    def roll_back():
        app = world.app()
        plan_id = app.plans.find("@").plan_id
        target = app.checkpoints.get_checkpoint(plan_id, str(number))
        app.checkpoints.rollback_to_checkpoint(plan_id, target, **options)

    crash(moment, "rollback", roll_back)
