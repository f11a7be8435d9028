"""Lists some of a project's plans: the newest ones, those in a state, those of a name."""

from collections.abc import Sequence

from cleveragents.ids import ProjectId
from cleveragents.plans.plan import PLAN, Plan, PlanRepository
from cleveragents.storage.connection import Connection

ANY = "%"
ALL = (1 << 31) - 1  # more plans than anybody has
_ESCAPED = str.maketrans({sign: f"!{sign}" for sign in "!%_"})
# What counts is who stands at the top: subplans come along with theirs.
_LISTED = """WITH RECURSIVE
    wanted AS (SELECT * FROM plans WHERE project_id = :project_id AND :kind IN (kind, 'all')
        AND state LIKE :state AND lower(name) LIKE lower(:name) ESCAPE '!'),
    listed AS (
        SELECT * FROM (SELECT * FROM wanted WHERE parent_plan_id IS NULL
            OR parent_plan_id NOT IN (SELECT plan_id FROM wanted)
            ORDER BY number DESC LIMIT :most) AS newest
        UNION ALL
        SELECT wanted.* FROM wanted JOIN listed ON wanted.parent_plan_id = listed.plan_id)
    SELECT * FROM listed ORDER BY number"""


def listed(
    connection: Connection,
    project_id: ProjectId | None,
    *,
    limit: int | None = None,
    state: str | None = None,
    name: str | None = None,
    kind: str = PLAN,
) -> Sequence[Plan]:
    """Returns the newest plans in a state whose name holds a text, the oldest of them first.

    Subplans come along with theirs; one whose plan is not listed counts by itself.
    """
    return PlanRepository(connection).found(
        _LISTED,
        project_id=project_id,
        state=state or ANY,
        name=f"%{(name or '').translate(_ESCAPED)}%",
        most=limit or ALL,
        kind=kind,
    )
