"""Random lives of chats, a user and what calls leave running, in one directory.

The world knows at every time what is under way and who writes what; it shares no rule with the
product, which sees the moments alone and must look back and ahead in them.
"""

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from moment_notation import Recorder

from cleveragents.chats.attribution import Whose, differences

CHATS = "ABC"
AGENT, USER, UNCLEAR, OURS = Whose.AGENT, Whose.USER, Whose.UNCLEAR, Whose.OURS
# what may happen, and how often beside the others
DEEDS = (
    *("user_writes", "call_writes", "before", "after", "after") * 4,
    *("prompt", "turn_end", "user_writes", "end") * 3,
    *("edit_before", "leftover_writes", "lost_before", "interrupt", "start", "read"),
    *("leave_running", "stop_running", "stop_running", "late", "seen", "look"),
    *("agent_start", "agent_lost", "agent_end", "agent_end", "agent_before", "unseen_after"),
    *("act", "act_cut", "act_finish", "apply", "apply_cut", "apply_finish"),
)


def life(seed):
    """What happens in a life: each deed with a chat and a choice."""
    chance = Random(seed)
    return [
        (chance.choice(DEEDS), chance.randrange(len(CHATS)), chance.randrange(8))
        for _ in range(chance.randint(5, 60))
    ]


def shortened(script):
    """The same life without all that it does not need to go wrong."""
    place = 0
    while place < len(script):
        shorter = script[:place] + script[place + 1 :]
        script, place = (shorter, 0) if goes_wrong(shorter) else (script, place + 1)
    return script


def goes_wrong(script):
    """Whether the product is wrong about a life."""
    try:
        judge(script)
    except AssertionError:
        return True
    return False


@dataclass(frozen=True)
class Call:
    """A call that runs."""

    name: tuple  # chat, turn, number
    key: str
    paths: tuple
    agent: str
    will_end: bool


@dataclass
class Chat:
    """What one conversation is doing."""

    letter: str
    turn: int = 0
    is_over: bool = False  # its turn
    has_called: bool = False  # in the turn, which is not over
    is_noted: bool = False  # that something runs on after the turn's end
    agents: dict = field(default_factory=dict)  # name: turn, whether it will say that it ended
    called: set = field(default_factory=set)  # turns with a call
    calls: list = field(default_factory=list)  # under way
    heard: int | None = None  # its latest moment


@dataclass(frozen=True)
class Write:
    """One change of the files."""

    author: str  # user, call, lost, leftover, ours, applied
    call: Call | None
    is_in_call: bool  # whether a call that ends was under way


class World:
    """All chats of a directory, and the user."""

    def __init__(self, script):
        self.recorder = Recorder()
        self.chats = [Chat(letter) for letter in CHATS]
        self.writes = []
        self.under_way = []  # after each moment: whose a change is, and the calls
        self.counts = Counter()
        self.keys = 0
        self.leftovers = 0
        self.mark = ""
        self.waiting = []  # places of late moments whose files nobody has looked at yet
        self.cut = None  # an act that was cut off
        self.cut_apply = None
        self.applies = {}  # where each began and ended, by the number of the moment
        self.opened, self.finished = set(), set()  # moments of such acts
        for deed, chat, choice in script:
            getattr(self, deed)(self.chats[chat], choice)
        self.come_to_an_end()

    def come_to_an_end(self):
        """Every call and subagent that will end does so."""
        self.mark = ""
        for chat in self.chats:
            for call in [call for call in chat.calls if call.will_end]:
                self.end_call(chat, call)
            for name in [name for name, (_, will_end) in chat.agents.items() if will_end]:
                self.end_agent(chat, name)
        self.moment(self.chats[0], "start")

    # --- who writes ---

    def write(self, author, call=None):
        """Changes the files."""
        running = any(call.will_end for chat in self.chats for call in chat.calls)
        self.writes.append(Write(author, call, running))
        self.recorder.change()

    def user_writes(self, _chat, _choice):
        """The user saves a file."""
        self.write("user")

    def call_writes(self, chat, choice):
        """A call that is under way writes."""
        if chat.calls:
            call = chat.calls[choice % len(chat.calls)]
            self.write("call" if call.will_end else "lost", call)

    def leave_running(self, chat, _choice):
        """A call starts something that outlives it."""
        self.leftovers += bool(chat.calls)

    def stop_running(self, _chat, _choice):
        """Something that a call has started ends."""
        self.leftovers = max(0, self.leftovers - 1)

    def leftover_writes(self, _chat, _choice):
        """Something that a call has started writes."""
        if self.leftovers:
            self.write("leftover")

    # --- what is told of it ---

    def late(self, _chat, _choice):
        """Nobody will look at the next moment."""
        self.mark = "!late"

    def seen(self, _chat, _choice):
        """At the next moment somebody will look too late."""
        self.mark = "!seen"

    def look(self, _chat=None, _choice=None):
        """Who is late looks now."""
        for place in self.waiting:
            moment = self.recorder.moments[place]
            object.__setattr__(moment, "state", f"s{self.recorder.state}")
        self.waiting.clear()

    def moment(self, chat, kind, **about):
        """Something is heard of a chat, and what is under way from then on is known."""
        if not self.mark:
            self.look()
        marks = self.mark + ("!running" if self.leftovers and kind != "act" else "")
        turn = str(about.pop("turn", chat.turn))
        self.recorder.turns[chat.letter] = chat.turn - (kind == "prompt")
        self.recorder.event(kind, chat.letter, marks=marks, turn=turn, **about)
        place = len(self.recorder.moments) - 1
        if self.mark == "!seen":
            self.waiting.append(place)
        is_late, self.mark = bool(self.mark), ""
        if kind != "act":
            self.note(chat, kind, place)
        if kind not in ("act", "start", "agent-start") and not is_late and not self.leftovers:
            for other in self.chats:
                other.is_noted = other.is_noted and other is chat
        self.under_way.append(self.now())

    def note(self, chat, kind, place):
        """Whether something was seen to run on after a turn."""
        chat.heard = place
        if kind == "prompt":
            chat.is_noted = False
        elif chat.is_over and self.leftovers:
            chat.is_noted = True

    def now(self):
        """Whose a change is at this time, and the calls that may have made it."""
        running = [call for chat in self.chats for call in chat.calls if call.will_end]
        if running:
            chats = {call.name[0] for call in running}
            beside = any(chat.is_noted and chat.letter not in chats for chat in self.chats)
            is_sure = not beside or all(call.paths for call in running)
            return (AGENT if is_sure else UNCLEAR), frozenset(running)
        doubtful = any(
            chat.calls or chat.has_called or chat.is_noted or self.works_on(chat)
            for chat in self.chats
        )
        return (UNCLEAR if doubtful else USER), frozenset()

    def works_on(self, chat):
        """Whether a subagent is at work that has called something, or whose turn has."""
        return any(turn in chat.called for turn, _ in chat.agents.values())

    # --- what clients do ---

    def start(self, chat, _choice):
        """Something is heard that means nothing."""
        self.moment(chat, "start")

    def prompt(self, chat, _choice):
        """The user asks for something."""
        chat.turn += 1
        chat.is_over, chat.has_called = False, False
        self.drop_lost(chat)
        self.moment(chat, "prompt")

    def turn_end(self, chat, _choice):
        """The agent has answered."""
        self.end_turn(chat)
        chat.calls = [call for call in chat.calls if call.will_end or call.agent]
        self.moment(chat, "turn-end")

    def interrupt(self, chat, _choice):
        """The user stops the agent."""
        self.end_turn(chat)
        self.drop_lost(chat)
        self.moment(chat, "interrupt")

    def end(self, chat, _choice):
        """The client is closed; calls of subagents may go on."""
        self.end_turn(chat)
        self.drop_lost(chat)
        self.moment(chat, "end")

    def end_turn(self, chat):
        """A turn is over."""
        chat.is_over, chat.has_called = True, False

    def drop_lost(self, chat):
        """Calls and subagents of which no end will be heard are over."""
        chat.calls = [call for call in chat.calls if call.will_end]
        chat.agents = {name: about for name, about in chat.agents.items() if about[1]}

    def read(self, chat, _choice):
        """A call that only reads."""
        self.keys += 1
        self.moment(chat, "read", call=f"c{self.keys}")
        self.moment(chat, "seen", call=f"c{self.keys}")

    def before(self, chat, _choice, *, will_end=True, paths=(), agent="", turn=None):
        """A call begins."""
        self.keys += 1
        turn = chat.turn if turn is None else turn
        self.counts[chat.letter, turn] += 1
        name = (chat.letter, turn, self.counts[chat.letter, turn])
        chat.calls.append(Call(name, f"c{self.keys}", paths, agent, will_end))
        self.has_begun(chat, turn, agent)
        about = {"call": f"c{self.keys}", "paths": ",".join(paths), "agent": agent}
        self.moment(chat, "before", turn=turn, **about)

    def has_begun(self, chat, turn, agent):
        """What a call makes of its turn: one of the chat's own makes it go on after its end."""
        chat.called.add(turn)
        if turn == chat.turn and not (chat.is_over and agent):
            chat.has_called, chat.is_over = True, False

    def lost_before(self, chat, choice):
        """A call begins of which no end will be heard."""
        self.before(chat, choice, will_end=False)

    def edit_before(self, chat, choice):
        """A call begins that names its paths."""
        self.before(chat, choice, paths=("a.txt", "b.txt", "c.txt")[choice % 2 : choice % 2 + 2])

    def after(self, chat, choice):
        """A call ends."""
        ending = [call for call in chat.calls if call.will_end]
        if ending:
            self.end_call(chat, ending[choice % len(ending)])

    def end_call(self, chat, call):
        """That call ends."""
        chat.calls.remove(call)
        about = {"call": call.key, "agent": call.agent, "turn": call.name[1]}
        self.moment(chat, "after", **about)

    def unseen_after(self, chat, _choice):
        """A call ends whose beginning nobody saw, so it ran since the chat was heard of last."""
        self.keys += 1
        here = len(self.recorder.moments)
        since = chat.heard if chat.heard is not None else max(0, here - 1)
        for place in range(since, here):
            if self.under_way[place][0] is USER:
                self.under_way[place] = (UNCLEAR, frozenset())
        chat.called.add(chat.turn)
        chat.has_called, chat.is_over = True, False
        self.moment(chat, "after", call=f"c{self.keys}")

    # --- subagents ---

    def agent_start(self, chat, _choice, *, will_end=True):
        """A subagent begins to work."""
        self.keys += 1
        name = f"h{self.keys}"
        chat.agents[name] = (chat.turn, will_end)
        self.moment(chat, "agent-start", agent=name)

    def agent_lost(self, chat, choice):
        """A subagent begins that never says that it has ended."""
        self.agent_start(chat, choice, will_end=False)

    def agent_before(self, chat, choice):
        """A subagent's call begins."""
        if chat.agents:
            name = sorted(chat.agents)[choice % len(chat.agents)]
            turn, will_end = chat.agents[name][0], choice != 1
            self.before(chat, choice, will_end=will_end, agent=name, turn=turn)

    def agent_end(self, chat, choice):
        """A subagent is done."""
        ending = sorted(name for name, (_, will_end) in chat.agents.items() if will_end)
        if ending:
            self.end_agent(chat, ending[choice % len(ending)])

    def end_agent(self, chat, name):
        """That subagent is done."""
        turn, _ = chat.agents.pop(name)
        self.moment(chat, "agent-end", agent=name, turn=turn)

    # --- acts of ours ---

    def act(self, chat, choice):
        """We take something back, and somebody may be heard of meanwhile, too late."""
        self.keys += 1
        self.mark = ""
        self.moment(chat, "act", call=f"o{self.keys}")
        self.write("ours")
        if choice % 2:
            self.mark = "!late"
            self.moment(self.chats[choice % 3], "start")
        self.moment(chat, "act", call=f"o{self.keys}")

    def act_cut(self, chat, _choice):
        """An act of ours is cut off."""
        if self.cut is None:
            self.keys += 1
            self.cut = f"o{self.keys}"
            self.mark = ""
            self.moment(chat, "act", call=self.cut)
            self.opened.add(len(self.under_way))
            self.write("ours")

    def act_finish(self, chat, _choice):
        """It is finished."""
        if self.cut is not None:
            self.mark = ""
            self.look()  # nobody looks while we write
            self.write("ours")
            self.moment(chat, "act", call=self.cut)
            self.finished.add(len(self.under_way))
            self.cut = None

    def apply(self, chat, _choice):
        """We bring a plan into the directory; nobody looks at the files for that."""
        self.keys += 1
        self.applied(chat, f"p{self.keys}", "applied")
        self.applied(chat, f"p{self.keys}", None)

    def apply_cut(self, chat, _choice):
        """An apply is cut off."""
        if self.cut_apply is None:
            self.keys += 1
            self.cut_apply = f"p{self.keys}"
            self.applied(chat, self.cut_apply, "applied")

    def apply_finish(self, chat, _choice):
        """It is finished."""
        if self.cut_apply is not None:
            self.write("applied")
            self.applied(chat, self.cut_apply, None)
            self.cut_apply = None

    def applied(self, chat, name, author):
        """One of the two moments around an apply, and what it writes after the first."""
        self.recorder.event("act", chat.letter, call=name, marks="!blind", turn=str(chat.turn))
        self.under_way.append(self.now())
        number = len(self.recorder.moments)
        self.applies[name] = (self.applies.get(name, (number,))[0], number)
        if author:
            self.write(author)


def judge(script):
    """Holds what the product says of a life against what happened in it; tells what it saw."""
    world = World(script)
    moments = world.recorder.moments
    found = differences(moments)
    known = [moment for moment in moments if moment.state is not None]
    changed = [pair for pair in pairwise(known) if pair[0].state != pair[1].state]
    assert [(one.before, one.after) for one in found] == changed, "a gap in the line of time"
    for difference in found:
        check_rules(world, difference)
        check_writers(world, difference)
    return Counter(difference.whose for difference in found)


def check_rules(world, difference):
    """The label is the one that the world says."""
    first, last = difference.before.number, difference.after.number
    moments = world.recorder.moments
    until = last
    while until <= len(moments) and moments[until - 1].is_late:
        until += 1
    covered = world.under_way[first - 1 : until - 1]
    assert covered, difference
    whose = {label for label, _ in covered}
    wanted = whose.pop() if len(whose) == 1 else UNCLEAR
    if difference.before.operation_id and (
        difference.before.operation_id == difference.after.operation_id
    ):
        wanted = OURS
    elif first in world.opened or last in world.finished:
        wanted = UNCLEAR
    assert difference.whose is wanted, (difference, wanted)
    seen = {call for _, calls in covered for call in calls}
    theirs = seen if wanted in (AGENT, UNCLEAR) else set()
    names = {(name.chat, name.turn, name.number) for name in difference.calls}
    assert names == {call.name for call in theirs}, (difference, theirs)
    named = {path for call in theirs for path in call.paths}
    is_all_named = wanted is AGENT and all(call.paths for call in theirs)
    assert difference.only == (tuple(sorted(named)) if is_all_named else None), difference
    if wanted is not OURS:
        ours = [name for name, (one, end) in world.applies.items() if one < last and end > first]
        told = {act.operation_id for act in difference.acts if act.operation_id[0] == "p"}
        assert told == set(ours), (difference, ours)
        ended = {name for name in ours if first < world.applies[name][1] <= last}
        assert all(
            (one.operation_id in ended) == one.has_ended
            for one in difference.acts
            if one.operation_id in told
        ), difference
    is_late = any(moment.is_late for moment in moments[first - 1 : last])
    assert difference.is_late == is_late, difference


def check_writers(world, difference):
    """Whatever the rules are: nobody's work is taken for another's."""
    states = [int(moment.state[1:]) for moment in (difference.before, difference.after)]
    whose = difference.whose
    if whose is OURS:
        return  # one that was cut off and finished, with nothing heard between: told by its act
    for write in world.writes[slice(*states)]:
        if write.author == "user" and not write.is_in_call:
            assert whose is not AGENT, (difference, "the user's work is taken for the agent's")
        if write.author == "call" and not difference.is_late:
            in_doubt = near_cut(world, difference) or near_leftover(world, difference)
            assert whose is AGENT or in_doubt, (difference, "an agent's work")
            names = {(name.chat, name.turn, name.number) for name in difference.calls}
            assert write.call.name in names or whose is not AGENT, difference
        if write.author in ("call", "lost"):
            assert whose in (AGENT, UNCLEAR), (difference, "an agent's work is the user's")
        if write.author == "ours":
            assert whose is UNCLEAR, (difference, "our work is somebody else's")


def near_cut(world, difference):
    """Whether an act of ours was cut off or finished there."""
    return difference.before.number in world.opened or difference.after.number in world.finished


def near_leftover(world, difference):
    """Whether something that another chat has left running may have written as well."""
    covered = world.under_way[difference.before.number - 1 : difference.after.number - 1]
    return any(label is UNCLEAR and calls for label, calls in covered)
