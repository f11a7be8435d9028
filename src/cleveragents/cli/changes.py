"""How files that go back are shown: all of them to programs, the first ones to people."""

from collections.abc import Sequence

from cleveragents.checkpoints.file_change import FileChange
from cleveragents.cli.render import Fields, name_fields

LISTED = 20  # paths shown to people; JSON has them all


def rows(changes: Sequence[FileChange]) -> list[dict[str, str]]:
    """Changes as programs read them."""
    return [{**name_fields("file", change.file), "action": change.action} for change in changes]


def panel(title: str, changes: Sequence[FileChange]) -> Fields:
    """Changes as people read them."""
    listed = [(change.action, change.file) for change in changes[:LISTED]]
    if len(changes) > LISTED:
        listed.append(("…", f"and {len(changes) - LISTED} more"))
    return Fields(title, listed or [("", "nothing")])
