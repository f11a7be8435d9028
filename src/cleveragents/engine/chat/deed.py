"""Something that was done to files: what git is asked about before it is taken back."""

from collections.abc import Sequence

from cleveragents.checkpoints.checkpoint import Checkpoint
from cleveragents.records import frozen
from cleveragents.snapshots.tree.diff import Load
from cleveragents.snapshots.tree.manifest import Change


@frozen
class Deed:
    """Changes of some paths, and the checkpoint that notes where the repository stood before."""

    before: Checkpoint | None  # None: nobody knows
    changes: Sequence[Change]
    read: Load  # reads what was made of them
