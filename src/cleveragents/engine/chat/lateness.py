"""Calls for which nobody looked at the files in time, and what an undo cannot know of them."""

from collections.abc import Iterator, Sequence

from cleveragents.chats.moment import Moment
from cleveragents.chats.turns import Call
from cleveragents.engine.chat.choice import Choice
from cleveragents.engine.chat.parting import Share
from cleveragents.engine.chat.past import Past
from cleveragents.engine.chat.taken import NOW
from cleveragents.records import frozen

BEGINNING = 60  # letters of a command
NAMED = 10  # paths


@frozen
class Lateness:
    """The calls of a choice for which the look at the files came too late."""

    unseen: Sequence[Call]  # nobody had looked before: what they met is not known at all
    mixed: Sequence[Call]  # what changed since an earlier look may be the user's
    ended: Sequence[Call]  # what changed until a later look may be

    @property
    def unknown(self) -> list[str]:
        """What of it nobody can take back: paths that calls name, or else the calls."""
        found = (path for call in self.unseen for path in call.before.paths or (called(call),))
        return list(dict.fromkeys(found))

    @property
    def told_unseen(self) -> list[str]:
        """The sentence about what is not known; none: all is."""
        after = "what was deleted or overwritten before that is not known, and stays as it is"
        return [f"{_not_in_time('before', self.unseen)}: {after}"] if self.unseen else []

    def told_mixed(self, paths: Sequence[str]) -> list[str]:
        """The sentences about paths that may hold changes of the user's; none: there are none."""
        more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
        named = f"{', '.join(paths[:NAMED])}{more}"
        return [
            f"{_not_in_time(when, late)}: what it changed and what you changed just {when} it"
            f" cannot be told apart: {named}"
            for when, late in (("before", self.mixed), ("after", self.ended))
            if paths and late
        ]


def lateness(past: Past, choice: Choice) -> Lateness:
    """Finds the calls of a choice that came before a look."""
    unseen = {call.name for call in past.unseen}
    mixed = {call.name: call for share in choice.unclear for call in _begun_in(past, share)}
    ended = {call.name: call for share in choice.unclear for call in _ended_in(past, share)}
    return Lateness(
        [call for call in past.unseen if choice.has(call.name)],
        [call for name, call in mixed.items() if name not in unseen],
        list(ended.values()),
    )


def _begun_in(past: Past, share: Share) -> Iterator[Call]:
    """The calls that came late while a difference was made."""
    return (call for call in past.late if _is_within(call.before, share))


def _ended_in(past: Past, share: Share) -> Iterator[Call]:
    """The calls whose end came late then."""
    return (call for call in past.ended_late if call.after and _is_within(call.after, share))


def _is_within(moment: Moment, share: Share) -> bool:
    first, last = share.pair
    is_within = first < moment.number and (last == NOW or moment.number <= last)
    return share.difference.is_late and is_within


def _not_in_time(when: str, late: Sequence[Call]) -> str:
    return f"nobody looked at the files in time {when} {', '.join(map(called, late))}"


def called(call: Call) -> str:
    """A call as people know it: its name, and how it began."""
    about = f"{call.tool} {call.text[:BEGINNING]}".strip()
    return f"t{call.name.turn}.{call.name.number} ({about})"
