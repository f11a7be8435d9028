"""What the database says, read without the product's help."""

from dataclasses import dataclass

from faults.room import Room

NEXT = "next"  # the label of the checkpoint that the next command makes


@dataclass(frozen=True)
class Row:
    """One checkpoint as its row tells it."""

    checkpoint_id: str
    seq: int
    kind: str
    label: str | None


@dataclass(frozen=True)
class Facts:
    """Where a plan stands."""

    plan: tuple[object, ...]
    runs: tuple[tuple[object, ...], ...]  # results of steps that count
    decisions: int  # that count
    rows: tuple[Row, ...]
    unfinished: tuple[str, ...]  # kinds of open operations


NONE = Facts((), (), 0, (), ())


def read(room: Room, plan_id: str = "%") -> Facts:
    """Reads the facts of a plan, or of the latest; a database without plans has none."""
    if not room.sql("SELECT name FROM sqlite_master WHERE name = 'plans'"):
        return NONE
    plans = room.sql(
        "SELECT plan_id, phase, state, cursor FROM plans"
        f" WHERE plan_id LIKE '{plan_id}' AND parent_plan_id IS NULL ORDER BY number"
    )
    if not plans:
        return NONE
    plan_id, *plan = plans[-1]
    mine = f"plan_id = '{plan_id}'"
    return Facts(
        tuple(plan),
        tuple(
            room.sql(
                f"SELECT cursor, status FROM step_runs WHERE {mine}"
                " AND superseded_by IS NULL AND status = 'succeeded' ORDER BY seq"
            )
        ),
        room.sql(f"SELECT count(*) FROM decisions WHERE {mine} AND superseded_by IS NULL")[0][0],
        tuple(
            Row(*row)
            for row in room.sql(
                "SELECT checkpoint_id, seq, checkpoint_type, label FROM checkpoints"
                f" WHERE {mine} ORDER BY seq"
            )
        ),
        tuple(
            kind
            for (kind,) in room.sql(
                f"SELECT kind FROM operations WHERE {mine} AND status = 'open' ORDER BY kind"
            )
        ),
    )
