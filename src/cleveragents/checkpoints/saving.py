"""The request for a checkpoint, and the policy in force."""

from cleveragents.checkpoints.retention import CheckpointRetentionPolicy
from cleveragents.checkpoints.triggers import CheckpointType, Trigger
from cleveragents.errors import InvalidInput
from cleveragents.records import field, frozen
from cleveragents.snapshots.tree.filter import Filter


@frozen
class CheckpointPolicy:
    """When checkpoints are made, what they leave out, and how many are kept."""

    triggers: frozenset[Trigger] = frozenset(Trigger)
    filter: Filter = field(default_factory=Filter)
    retention: CheckpointRetentionPolicy = field(default_factory=CheckpointRetentionPolicy)


@frozen
class CheckpointRequest:
    """A checkpoint that somebody wants, and why."""

    kind: CheckpointType
    reason: str
    trigger: Trigger | None = None
    source_tool: str | None = None
    label: str | None = None
    pinned: bool = False
    even_if_unchanged: bool = True
    filter: Filter | None = None  # another one than is in force

    def __post_init__(self) -> None:
        """Refuses a label that would be read back as another one."""
        if self.label is not None and not _is_text(self.label):
            raise InvalidInput(f"a label is text: {self.label!r}")


Wanted = CheckpointRequest  # as the first release called it


def _is_text(label: object) -> bool:
    """Whether it is what the database gives back: a number would come back as text."""
    if not isinstance(label, str):
        return False
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True
