"""Compares checkpoints with the user's directory as it is."""

from cleveragents.checkpoints.comparison import FileDiff, diffs
from cleveragents.engine.chat.foresight import ChatForesight
from cleveragents.engine.chat.place import LivePlaces
from cleveragents.ids import PlanId, SnapshotId
from cleveragents.snapshots.archive import MAIN
from cleveragents.snapshots.picking import is_excluded
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.content import stream
from cleveragents.snapshots.tree.diff import alike, compare
from cleveragents.snapshots.tree.manifest import Entry


class ChatComparisons:
    """Looks at the files of a chat; stores and changes nothing."""

    def __init__(self, places: LivePlaces) -> None:
        self._places = places

    def since(self, chat: PlanId, state: SnapshotId) -> list[FileDiff]:
        """Tells how the files differ from a state, by whomever; their times are no difference."""
        place = self._places.of_chat(chat)
        was, live = place.archive.load(state), place.look()
        found = compare(was.roots[MAIN], live.snapshot.roots[MAIN], live.through.read)
        changes = [
            change
            for change in found
            if change.path
            and not alike(change.before, change.after)
            and not is_excluded(was.filter, change.path)
            and not is_excluded(live.snapshot.filter, change.path)
        ]

        def stored(_: bytes, entry: Entry) -> bytes:
            return place.archive.read_file(entry)

        def present(path: bytes, _: Entry) -> bytes:
            return beneath.read(place.root, path)

        return list(diffs(changes, stored, present))

    def would_differ(self, would: ChatForesight) -> list[FileDiff]:
        """Tells how the files would differ after an undo or a redo, line by line."""
        root, merge = self._places.of_chat(would.chat.plan_id).root, would.unmerged.merge

        def present(path: bytes, _: Entry) -> bytes:
            return beneath.read(root, path)

        def merged(_: bytes, entry: Entry) -> bytes:
            return b"".join(stream(entry, merge.objects.read))

        return list(diffs(merge.changes, present, merged))
