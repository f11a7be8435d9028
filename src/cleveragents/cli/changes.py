"""How files that go back are shown to people: the first of them."""

from collections.abc import Sequence

from cleveragents.checkpoints.file_change import FileChange
from cleveragents.cli.render import Fields

LISTED = 20  # paths shown to people; JSON has them all


def panel(title: str, changes: Sequence[FileChange]) -> Fields:
    """Changes as people read them."""
    listed = [(change.action, change.file) for change in changes[:LISTED]]
    if len(changes) > LISTED:
        listed.append(("…", f"and {len(changes) - LISTED} more"))
    return Fields(title, listed or [("", "nothing")])
