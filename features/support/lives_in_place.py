"""Random lives of agents and a user who work in one real directory, and of what is taken back.

Everybody writes in places of their own: files, links, directories, modes, and lines of a text that
all of them edit. So it is known what must be there: after all undos what is not an agent's, after
all redos everything, and at any time whatever the user has saved.
"""

import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from cleveragents.app import App
from cleveragents.chats.event import EventKind, HookEvent
from cleveragents.engine.chat.request import UndoRequest
from cleveragents.engine.chat.undo import ChatUndoResult
from cleveragents.errors import Refused

CHATS = ("A", "B")
WRITERS = (*CHATS, "user", "lost")  # lost: calls whose end nobody hears of, which may be the user's
TEXT = "shared.txt"
ZONES = 8  # places in the text for each writer
WIDTH = 6  # lines from one to the next, so that no two of them are neighbours
KINDS = ("line", "line", "file", "deep", "gone", "link", "directory", "mode")
DEEDS = (
    *("call", "call", "call", "user", "user", "guest", "begin", "write", "write", "finish"),
    *("prompt", "prompt", "stop", "lose", "undo", "undo", "redo", "leave", "again", "interrupt"),
)


def life(seed):
    """What happens in a life: each deed with a chat and what else is to be chosen."""
    chance = Random(seed)
    return [
        (chance.choice(DEEDS), chance.choice(CHATS), chance.randrange(1 << 16))
        for _ in range(chance.randint(8, 30))
    ]


def lived(script):
    """Lives such a life to its end; returns how often what was done in it."""
    one = Life()
    try:
        one.live(script)
    finally:
        one.remove()
    return one.seen


def shortened(script):
    """The same life without all that it does not need to go wrong."""
    place = 0
    while place < len(script):
        shorter = script[:place] + script[place + 1 :]
        try:
            lived(shorter)
        except Exception:  # noqa: BLE001 - however it goes wrong
            script, place = shorter, 0
        else:
            place += 1
    return script


class Life:
    """A directory, the chats in it, and what must be there."""

    def __init__(self):
        self.home = Path(tempfile.mkdtemp(prefix="chat life "))
        self.root = self.home / "project"
        self.root.mkdir()
        self.all = {}  # everything that was written: each place and what is in it
        self.kept = {}  # the same without what agents wrote in calls that ended
        self.used = set()  # places in which agents have written
        self.calls = {chat: {} for chat in CHATS}  # those under way, and whether they will end
        self.turns, self.seen = Counter(), Counter()
        self.count = 0
        self.is_heard = False  # whether there is any chat
        self.taken_back = 0
        self.lay_out()
        self.again("", 0)

    def lay_out(self):
        """Files that are there before anybody works."""
        (self.root / TEXT).write_text("line\n" * WIDTH * ZONES * len(WRITERS))
        for writer in WRITERS:
            for number in range(4):
                self.put("user", f"{writer}/{number}", ("file", f"{writer}{number}", 0o644))
            for zone in range(ZONES):
                self.put("user", (writer, zone), "as it was")

    def again(self, _chat, _choice):
        """Goes on in another process."""
        self.app = App(self.root, data_dir=self.home / "data")

    def live(self, script):
        """Lives; at last everything is taken back, and done again, and taken back."""
        for deed, chat, choice in script:
            getattr(self, deed)(chat, choice)
        for chat in CHATS:
            for call in [call for call, will_end in self.calls[chat].items() if will_end]:
                self.end_call(chat, call)
            self.event(chat, EventKind.END)
        self.check_both_ways()

    def check_both_ways(self):
        """Takes everything back and does it again, twice."""
        for _ in range(2):
            self.undo_all()
            self.check("all is taken back", self.kept)
            self.redo_all()
            self.check("all is done again", self.all)

    def remove(self):
        """Removes everything."""
        shutil.rmtree(self.home)

    # --- who writes what ---

    def user(self, _chat, choice):
        """The user saves something, while no call runs that ends: that would be the agent's."""
        if not self.is_agents():
            self.change("user", choice)

    def guest(self, chat, choice):
        """The user puts a file into a directory that an agent may have made."""
        if not self.is_agents():
            self.count += 1
            place = f"{chat}/new{choice % 3}/mine {self.count}"
            self.put("user", place, ("file", "mine", 0o644))

    def write(self, chat, choice):
        """A call that is under way does something."""
        if self.calls[chat]:
            self.change(chat if self.is_agents() else "lost", choice)

    def is_agents(self):
        """Whether a change would be an agent's: a call is under way whose end will be told."""
        return any(will_end for calls in self.calls.values() for will_end in calls.values())

    def change(self, writer, choice):
        """Changes one of a writer's places."""
        chance = Random(choice)
        self.count += 1
        kind, number = chance.choice(KINDS), chance.randrange(ZONES)
        place = {
            "line": (writer, number),
            "deep": f"{writer}/new{number % 3}/deep/{number}",
            "directory": f"{writer}/empty{number}/",
        }.get(kind, f"{writer}/{number}")
        value = {
            "line": f"{writer} {self.count}",
            "gone": None,
            "link": ("link", f"target {self.count}"),
            "directory": ("directory",),
            "mode": ("file", f"{writer}{number}", chance.choice((0o600, 0o755, 0o644))),
        }.get(kind, ("file", f"{self.count}\n" * chance.randrange(1, 400), 0o644))
        if writer in CHATS and self.taken_back and place in self.used:
            return  # what was taken back there could not be done again
        self.used.add(place)
        self.put(writer, place, value)

    def put(self, writer, place, value):
        """Makes a place what it shall be."""
        for known in (self.all,) if writer in CHATS else (self.all, self.kept):
            known[place] = value
        if isinstance(place, tuple):
            lines = (self.root / TEXT).read_text().splitlines()
            lines[line_of(place)] = value
            (self.root / TEXT).write_text("\n".join(lines) + "\n")
            return
        path = self.root / place
        if path.is_symlink() or path.is_file():
            path.unlink()
        if value is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            if value[0] == "link":
                path.symlink_to(value[1])
            elif value[0] == "directory":
                path.mkdir(exist_ok=True)
            else:
                path.write_text(value[1])
                path.chmod(value[2])

    # --- what clients tell ---

    def event(self, chat, kind, **fields):
        """Something is heard of a chat."""
        self.count += 1
        given = {
            "client": "claude",
            "session": chat,
            "cwd": os.fspath(self.root),
            "turn": f"{chat}{self.turns[chat]}",
            "digest": str(self.count),
        }
        recorded = self.app.chats.record(HookEvent(kind=kind, **{**given, **fields}))
        self.is_heard = True
        assert not recorded.is_late, "the machine was too slow for this life"

    def prompt(self, chat, _choice):
        """The user asks for something."""
        self.turns[chat] += 1
        self.forget_lost(chat)
        self.event(chat, EventKind.PROMPT, text="do it")

    def stop(self, chat, _choice):
        """The agent has answered."""
        self.calls[chat] = {
            call: ends for call, ends in self.calls[chat].items() if ends or "@" in call
        }
        self.event(chat, EventKind.TURN_END)

    def interrupt(self, chat, _choice):
        """The user stops the agent."""
        self.forget_lost(chat)
        self.event(chat, EventKind.INTERRUPT)

    def leave(self, chat, _choice):
        """The client is closed."""
        self.forget_lost(chat)
        self.event(chat, EventKind.END)

    def forget_lost(self, chat):
        """Calls of which no end will be heard are over."""
        self.calls[chat] = {call: ends for call, ends in self.calls[chat].items() if ends}

    def begin(self, chat, choice, *, will_end=True):
        """A call begins, of the agent or of one that works for it."""
        self.count += 1
        call = f"c{self.count}" + ("@h" if choice % 5 == 0 else "")
        self.calls[chat][call] = will_end
        self.event(chat, EventKind.BEFORE, **about(call))
        return call

    def lose(self, chat, choice):
        """A call begins of which no end will be heard."""
        self.begin(chat, choice, will_end=False)

    def finish(self, chat, choice):
        """A call ends."""
        ending = [call for call, will_end in self.calls[chat].items() if will_end]
        if ending:
            self.end_call(chat, ending[choice % len(ending)])

    def end_call(self, chat, call):
        """That call ends."""
        del self.calls[chat][call]
        self.event(chat, EventKind.AFTER, **about(call))

    def call(self, chat, choice):
        """A call from end to end."""
        if not self.turns[chat]:
            self.prompt(chat, choice)
        call = self.begin(chat, choice)
        for number in range(1 + choice % 3):
            self.change(chat, choice + number)
        self.end_call(chat, call)

    # --- what is taken back ---

    def undo(self, chat, choice):
        """The user takes something back: what is next, of any chat or of one, or any turn."""
        fields = {"takes_unclear": False if choice % 2 else None, "anyway": choice % 3 > 0}
        if choice % 4 < 2:
            fields["chat"] = self.named(chat)
        if choice % 4 == 1 and self.turns[chat]:
            call = ("", ".1", ".2")[choice % 3]
            fields["target"] = f"t{1 + choice % self.turns[chat]}{call}"
        if choice % 5 == 0:
            fields["paths"] = (f"{chat}/*",)
        if "chat" not in fields or fields["chat"]:
            self.act(UndoRequest(**fields))

    def redo(self, _chat, _choice):
        """The user takes the last undo back."""
        self.act(UndoRequest(anyway=True), is_redo=True)

    def named(self, session):
        """The id of a chat, if anything was heard of it."""
        found = [chat.plan_id for chat in self.past() if chat.client_session == session]
        return found[0] if found else None

    def past(self):
        """The chats that anything was heard of."""
        return self.app.chats.undos.past().chats if self.is_heard else ()

    def act(self, wanted, *, is_redo=False):
        """Takes back, or that; tells whether anything was done."""
        if not self.is_heard:
            return False
        before = self.there()
        try:
            act = self.app.undertakings.undo_chat(wanted, is_redo=is_redo)
            if act is None:
                return False
            done = act.carry_out()
        except Refused:
            assert self.there() == before, "something was changed all the same"
            self.seen["refused"] += 1
            return False
        if isinstance(done, ChatUndoResult) and done.outcome is None:
            assert self.there() == before, "something was changed and nothing recorded"
            self.seen["nothing"] += 1
            return False
        self.taken_back += -1 if is_redo else 1
        self.seen["redone" if is_redo else "undone"] += 1
        found, mine = self.there(), meant(self.kept)
        for place, value in self.kept.items():
            if owner(place) not in CHATS or "mine" in place:
                assert found.get(place) == mine.get(place) == value, (place, found.get(place))
        return True

    def undo_all(self):
        """Takes back whatever stands; what a later turn stands in the way of comes after it."""
        chats = [None, *(chat.plan_id for chat in self.past())]
        while any(self.act(UndoRequest(takes_unclear=False, chat=chat)) for chat in chats):
            pass
        left = self.is_heard and self.app.undertakings.undo_chat(UndoRequest(takes_unclear=False))
        assert not left or left.preview().would.is_passed_over, left.preview()

    def redo_all(self):
        """Does everything again."""
        while self.act(UndoRequest(), is_redo=True):
            pass
        assert self.taken_back == 0, self.taken_back

    def check(self, when, known):
        """Everything that must be there is, and nothing else."""
        found, wanted = self.there(), meant(known)
        wrong = {
            place: (found.get(place), wanted.get(place))
            for place in {**found, **wanted}
            if found.get(place) != wanted.get(place)
        }
        assert not wrong, (when, wrong)

    def there(self):
        """What the directory holds: each line of the text, each file, link and directory."""
        lines = (self.root / TEXT).read_text().splitlines()
        found = {
            (writer, zone): lines[line_of((writer, zone))]
            for writer in WRITERS
            for zone in range(ZONES)
        }
        found["lines"] = len(lines)
        for folder, folders, files in os.walk(self.root):
            for name in [*folders, *files]:
                path = Path(folder, name)
                place = os.fspath(path.relative_to(self.root))
                if path.is_symlink():
                    found[place] = ("link", os.readlink(path))
                elif path.is_dir():
                    found[f"{place}/"] = ("directory",)
                else:
                    found[place] = ("file", path.read_text(), path.stat().st_mode & 0o777)
        del found[TEXT]
        return found


def meant(known):
    """The directory that follows from what is in each place."""
    found = {place: value for place, value in known.items() if value is not None}
    found["lines"] = WIDTH * ZONES * len(WRITERS)
    for place in [place for place in found if isinstance(place, str) and place != "lines"]:
        for above in list(Path(place).parents)[:-1]:
            found[f"{above}/"] = ("directory",)
    return found


def owner(place):
    """Whose place it is."""
    return place[0] if isinstance(place, tuple) else place.split("/")[0]


def line_of(place):
    """Where in the text a place is."""
    writer, zone = place
    return (WRITERS.index(writer) * ZONES + zone) * WIDTH + WIDTH // 2


def about(call):
    """A call as events tell it."""
    call, _, agent = call.partition("@")
    return {"call": call, "agent": agent, "tool": "Bash", "may_write": True, "text": "work"}
