"""What lies below the services, opened on the data directory of a scenario as they open it."""

from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.saving import CheckpointPolicy
from cleveragents.engine.back.pruning import Prunes
from cleveragents.engine.back.saving import Saves
from cleveragents.engine.back.workplaces import Workplaces
from cleveragents.events import silent
from cleveragents.foundations import open_foundations
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.manifest import decode
from cleveragents.storage.held import Held

LIMIT = "sandbox.checkpoint.max-checkpoints-per-plan"


class Inside:
    """The database, the sandboxes and the store of the latest plan, with the settings in force."""

    def __init__(self, world):
        self._app = world.app()
        self._world = world
        base = open_foundations(world.data_dir, self._app.settings, world.variables, silent)
        self.database = base.database
        self.sandboxes = base.sandboxes

    @property
    def plan(self):
        """The latest plan."""
        return self._app.plans.find("@")

    @property
    def archive(self):
        """The archive of its project."""
        return self.sandboxes.archive(self.plan.project_id)

    @property
    def store_directory(self):
        """Where the objects of its project lie."""
        return self._world.data_dir / "projects" / self.plan.project_id / "store"

    def top_of(self, snapshot_id):
        """The id of the top directory of a snapshot's files."""
        return self.archive.load(snapshot_id).roots[MAIN].content

    def entries(self, snapshot_id):
        """What stands in that directory, by name."""
        return decode(Store(self.store_directory).read(self.top_of(snapshot_id)))

    def of(self, repository):
        """What a repository of plans' rows has of the latest plan."""
        with self.database.reading() as connection:
            return repository(connection).of_plan(self.plan.plan_id)

    def prune(self):
        """Applies the limit in the middle of whatever is open: nothing is finished first."""
        return self._pruning.prune(Held(self.plan.plan_id, None))

    def workplace(self, act):
        """The files of the latest plan, for who changes them."""
        policy = CheckpointPolicy()
        saving = Saves(self.database, self.sandboxes, self._pruning, policy, silent)
        held, project_id = Held(self.plan.plan_id, None), self.plan.project_id
        return Workplaces(self.sandboxes, saving, silent).of(held, project_id, act)

    @property
    def _pruning(self):
        policy = CheckpointRetentionPolicy(self._app.settings.number(LIMIT))
        return Prunes(self.database, self.sandboxes, policy, silent)
