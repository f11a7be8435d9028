"""A chat that is played: events of a client, with what its tools and the user do in between."""

import os
import subprocess
from pathlib import Path

from cleveragents.chats.event import EventKind, HookEvent

READ_BY = "played"
GONE_ON = 0.0  # a moment that has passed


class PlayedChats:
    """Plays lines of a script in a project; each event goes to `app.chats.record`."""

    def __init__(self, world, app=None):
        self._world = world
        self._app = app or world.app()
        self._current = "A"
        self._turns = {}
        self._count = 0
        self._given = {}  # what every event has that comes now
        self.client = "claude"
        self.answers = []
        self.pid = 0

    @property
    def app(self):
        """The application that records them."""
        return self._app

    def play(self, script):
        """Plays every line of a script."""
        for line in filter(None, map(str.strip, script.splitlines())):
            word, _, rest = line.partition(" ")
            getattr(self, f"_{word.rstrip(':').replace('-', '_')}")(rest.strip())

    def _prompt(self, text):
        self._turns[self._current] = self._turns.get(self._current, 0) + 1
        self.event(EventKind.PROMPT, text=text)

    def _late_prompt(self, text):
        """A prompt at which nobody has looked at the files in time."""
        self._turns[self._current] = self._turns.get(self._current, 0) + 1
        self.event(EventKind.PROMPT, is_late=True, text=text)

    def _overdue_prompt(self, text):
        """A prompt for which the files were looked at when the client had gone on."""
        self._turns[self._current] = self._turns.get(self._current, 0) + 1
        self.event(EventKind.PROMPT, until=GONE_ON, text=text)

    def _overdue_end(self, rest):
        """The end of a call for which the files were looked at when the client had gone on."""
        name, tool = rest.split()
        self.event(EventKind.AFTER, until=GONE_ON, call=name, tool=tool, may_write=True)

    def _stop(self, _):
        self.event(EventKind.TURN_END)

    def _leave(self, _):
        self.event(EventKind.END)

    def _interrupt(self, _):
        self.event(EventKind.INTERRUPT)

    def _user(self, command):
        self._world.sh(command)

    def _chat(self, name):
        """Goes on with another chat."""
        self._current = name

    def _call(self, rest):
        """`call c1 Bash: command` or `call c1 Write a.txt b.txt: command`."""
        head, _, command = rest.partition(":")
        name, tool, *paths = head.split()
        self._begin(f"{name} {tool} {' '.join(paths)}: {command.strip()}")
        self._world.sh(command)
        self._end(f"{name} {tool}")

    def _start(self, _):
        self.event(EventKind.START)

    def _reads(self, rest):
        name, tool = rest.split()
        self.event(EventKind.BEFORE, call=name, tool=tool)
        self.event(EventKind.AFTER, call=name, tool=tool)

    def _agent(self, name):
        self.event(EventKind.AGENT_START, agent=name)

    def _by_agent(self, rest):
        """`by-agent NAME c1 Bash: command`."""
        agent, _, rest = rest.partition(" ")
        self._given = {"agent": agent}
        self._call(rest)
        self._given = {}

    def _unnumbered_begin(self, rest):
        tool, given = rest.split()
        self.event(EventKind.BEFORE, tool=tool, input=given, may_write=True)

    def _unnumbered_end(self, rest):
        tool, given = rest.split()
        self.event(EventKind.AFTER, tool=tool, input=given, may_write=True)

    def _stands_in(self, folder):
        self._given = {"cwd": os.path.normpath(self._world.project / folder)}

    def _leaves_running(self, rest):
        """A call whose child goes on when it has ended."""
        self._begin(f"{rest}: sleep")
        running = subprocess.Popen(["sleep", "60"], cwd=self._world.project)
        self._world.child = running  # which ends it with the scenario
        self._end(rest)

    def _late(self, rest):
        """A call whose before came too late: nobody has looked at the files then."""
        head, _, command = rest.partition(":")
        name, tool, *paths = head.split()
        about = {"call": name, "tool": tool, "paths": tuple(paths), "text": command.strip()}
        self.event(EventKind.BEFORE, is_late=True, may_write=True, **about)
        self._world.sh(command)
        self._end(f"{name} {tool}")

    def _begin(self, rest):
        head, _, command = rest.partition(":")
        name, tool, *paths = head.split()
        self.event(
            EventKind.BEFORE,
            call=name,
            tool=tool,
            may_write=True,
            paths=tuple(paths),
            text=command.strip(),
        )

    def _end(self, rest):
        name, tool, *paths = rest.split()
        self.event(EventKind.AFTER, call=name, tool=tool, may_write=True, paths=tuple(paths))

    def event(self, kind, *, until=None, is_late=False, **fields):
        """Records one event of the chat that is played."""
        self._count += 1
        given = {
            "client": self.client,
            "session": f"session-{self._current}",
            "cwd": os.fspath(self._world.project),
            "turn": f"turn-{self._turns.get(self._current, 0)}",
            "digest": f"{READ_BY}-{self._count}",
            "pid": self.pid,
        }
        event = HookEvent(kind=kind, **{**given, **self._given, **fields})
        recorded = self._app.chats.record(event, until=until, is_late=is_late)
        self.answers.append(recorded)
        return recorded


def state_of(root):
    """Everything in a directory but its repository: kinds, modes, contents and links."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [*folders, *files]:
            path = Path(folder, name)
            key = os.fspath(path.relative_to(root))
            mode = oct(path.lstat().st_mode)
            if path.is_symlink():
                found[key] = (mode, os.readlink(path))
            elif path.is_file():
                found[key] = (mode, path.read_bytes())
            else:
                found[key] = (mode, None)
    return found
