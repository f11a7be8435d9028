"""Steps about processes that run on when a turn has ended: the client's, and the user's own."""

import os
import pty
import signal
import subprocess
import time
from contextlib import suppress

from behave import given, then, when
from chat_undo import chats

from cleveragents.engine.chat.leftovers import ENDED, NO_TERMINAL, STATE, TERMINAL, TICK
from cleveragents.storage.owner import process_fields

PATIENCE = 60.0
SLEEP = "sleep 600 > /dev/null 2>&1"
HOW = {
    "in the background": f"{SLEEP} & echo $!",
    "that loses its parent": f"sh -c '{SLEEP} & echo $!'",
    "that ends at once": "sh -c : > /dev/null & echo $!",  # nobody asks how: it stays defunct
}


class Shell:
    """A shell in the project, which is told what to run."""

    def __init__(self, project):
        self._process = subprocess.Popen(
            ["sh"], cwd=project, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.pid = self._process.pid
        self._begun = []

    def starts(self, how):
        """Lets it start something that goes on."""
        self._process.stdin.write(f"{HOW[how]}\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        self._begun.append(pid)
        until = time.monotonic() + PATIENCE
        while how == "that ends at once" and process_fields(pid)[STATE] not in ENDED:
            assert time.monotonic() < until, "it never ended"
            time.sleep(0.01)

    def close(self):
        """Ends it and all that it began."""
        for pid in self._begun:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.communicate()


class Terminal:
    """Another terminal of the user's, in which they start something."""

    def __init__(self, project):
        self._project = project
        self._ends = pty.openpty()
        self._begun = []

    def starts(self, _how):
        """Starts it there, and waits until it has the terminal."""
        command = ["setsid", "--ctty", "sleep", "600"]
        begun = subprocess.Popen(command, cwd=self._project, stdin=self._ends[1])
        self._begun.append(begun)
        until = time.monotonic() + PATIENCE
        while process_fields(begun.pid)[TERMINAL] == NO_TERMINAL:
            assert time.monotonic() < until, "it never got its terminal"
            time.sleep(0.01)

    def close(self):
        """Ends it."""
        for one in self._begun:
            one.kill()
            one.wait()
        for end in self._ends:
            os.close(end)


@given("a client that is a process of its own, beside a shell and a terminal of the user's")
def shells(context):
    project = context.world.project
    client = Shell(project)
    context.who = {
        "the client": client,
        "the user's shell": Shell(project),
        "the user": Terminal(project),
    }
    chats(context).pid = client.pid
    for each in context.who.values():
        context.add_cleanup(each.close)
    time.sleep(5 * TICK)  # so that the shells have not begun with what they are told to start


@when("{who} starts something {how} {when:w} a call of a turn, which ends")
def starts(context, who, how, when):
    played = chats(context)
    if when == "before":
        context.who[who].starts(how)
        time.sleep(5 * TICK)  # longer than the clocks of processes and moments may differ
    played.play("prompt one\nbegin c1 Bash: x")
    if when == "during":
        context.who[who].starts(how)
    played.play("end c1 Bash\nstop")


@then("at its end something that a call began {verb} running")
def check_running(context, verb):
    ((found,),) = context.world.sql("SELECT left_running FROM moments ORDER BY number DESC LIMIT 1")
    assert bool(found) == (verb == "is"), found


@when("what the call left running ends")
def leftover_ends(context):
    context.world.child.kill()
    context.world.child.wait()
