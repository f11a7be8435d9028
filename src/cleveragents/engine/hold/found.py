"""Files that somebody wrote where a sandbox was removed: kept beside, before one is made again."""

from cleveragents.checkpoints.stored import last_known
from cleveragents.errors import Damaged
from cleveragents.ids import PlanId
from cleveragents.plans.plan import PlanRepository
from cleveragents.sandbox.sandbox import REMOVED, Sandbox
from cleveragents.sandbox.sandboxes import Sandboxes
from cleveragents.snapshots.way import neither
from cleveragents.storage.database import Database

WRITTEN = "what somebody wrote where the sandbox was"


def keep_found(database: Database, sandboxes: Sandboxes, plan_id: PlanId) -> None:
    """Takes what lies where a sandbox was out of the way, unless all of it is saved."""
    sandbox = sandboxes.find(plan_id)
    if sandbox is None or sandbox.status != REMOVED or not sandbox.has_files:
        return
    if not _is_saved(database, sandboxes, sandbox):
        sandboxes.move_aside(sandbox, WRITTEN)


def _is_saved(database: Database, sandboxes: Sandboxes, sandbox: Sandbox) -> bool:
    with database.reading() as connection:
        plan = PlanRepository(connection).get(sandbox.plan_id)
        latest = last_known(connection, plan)
    archive = sandboxes.archive(plan.project_id)
    try:
        changes = archive.changes_from_now(archive.load(latest), sandbox.roots)
    except (Damaged, OSError):
        return False
    return neither(changes, changes) == {}
