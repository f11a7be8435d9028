"""Previews: who only tells what would happen takes no lock, finishes nothing and stores nothing."""

from collections.abc import Callable, Mapping, Sequence

from cleveragents.engine.hold.stuck import OF_CHATS, REPAIR, refuse_stuck
from cleveragents.errors import Busy, Refused
from cleveragents.ids import PlanId
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import AnyOperation, OperationRepository
from cleveragents.plans.child import ChildRepository
from cleveragents.plans.plan import PlanRepository
from cleveragents.storage.database import Database

# What finishes it and does nothing else.
FINISHED_BY: Mapping[Kind, str] = {
    Kind.APPLY: "agents plan apply {}",
    Kind.UNAPPLY: "agents plan unapply {}",
    Kind.UNDO: "agents undo --chat {}",
    Kind.REDO: "agents redo --chat {}",
}


class Previews:
    """The facts about a plan that a preview begins with."""

    def __init__(self, database: Database, is_owned: Callable[[str], bool]) -> None:
        self._database = database
        self._is_owned = is_owned

    def begin(self, plan_id: PlanId) -> bool:
        """Refuses while something waits to be finished first; tells whether the plan is moving.

        Space that waits to be freed stands in nobody's way.
        """
        is_moving = self._is_owned(plan_id)
        with self._database.reading() as connection:
            PlanRepository(connection).get(plan_id)  # refuses a plan that there is not
            operations = OperationRepository(connection)
            plans = [
                plan_id,
                *(each.plan_id for each in ChildRepository(connection).below(plan_id)),
            ]
            begun = [one for each in plans for one in operations.unfinished(each)]
            refuse_stuck(connection, plan_id)
        waiting = [one for one in begun if one.holds_files and not one.is_stuck]
        if waiting:
            raise _under_way(waiting) if is_moving else _unfinished(waiting)
        return is_moving


def _under_way(waiting: Sequence[AnyOperation]) -> Busy:
    return Busy(
        f"another process is at it: {_named(waiting)}; what follows cannot be told before its end",
        hints=["wait for it to finish, then look again"],
    )


def _unfinished(waiting: Sequence[AnyOperation]) -> Refused:
    of_chat = any(one.kind in OF_CHATS for one in waiting)
    others = "every command that changes the plan finishes it first, then shows what it would do"
    ways = [FINISHED_BY.get(one.kind, REPAIR).format(one.plan_id) for one in waiting]
    return Refused(
        f"interrupted, and not finished yet: {_named(waiting)}; "
        "what follows cannot be told before that",
        hints=[
            *(f"finish it: {way}" for way in dict.fromkeys(ways)),
            *(() if of_chat else (others,)),
        ],
    )


def _named(waiting: Sequence[AnyOperation]) -> str:
    return ", ".join(
        f"{one.kind} of {'chat' if one.kind in OF_CHATS else 'plan'} {one.plan_id}"
        for one in waiting
    )
