"""The data directories of released versions: made by each itself, kept packed, unpacked.

`.venv/bin/python features/support/old_data.py COMMIT` makes one again, from the sources of that
commit. A release that changes the schema adds another here and keeps the archives of the older.
"""

import json
import lzma
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from oracle import picture

PLACE = Path("/tmp/cleveragents-old-data")  # rows, intents and records name it
HERE = Path(__file__).parents[1] / "fixtures"
MOST_BYTES = 300_000

# Every column that names a place below PLACE.
PATHS = {
    "projects": ("path",),
    "plans": ("action_path", "definition_json"),
    "plan_definitions": ("definition_json",),
    "sandboxes": ("path", "notes_json"),
    "checkpoints": ("filesystem_path", "metadata_json"),
    "step_runs": ("output_path", "result_json"),
    "undo_runs": ("output_path",),
    "operations": ("intent_json",),
    "chats": ("root",),
}

WRITES = [
    f"{{name: s{n}, tool: shell, with: {{command: 'mkdir d{n}; echo {n} > v; echo {n} > d{n}/f'}}}}"
    for n in range(1, 6)
]
LEAK = "{name: leak, tool: shell, with: {command: 'echo hunter2 > .env; echo 1 > v'}}"
MORE = "{name: more, tool: shell, with: {command: 'echo more > v'}}"
FLAKY = """{name: flaky, pass_env: [MARK], tool: shell,
  with: {command: 'test -e "$MARK" || { touch "$MARK"; exit 1; }'}}"""
CHOICE = """{name: which, decide: {question: 'Which?', choose: a, options: {
  a: [{tool: shell, with: {command: 'echo a > a'}}], b: []}}}"""
GROUP = """{name: fan, subplans: {plans: [
  {name: left, steps: [{tool: shell, with: {command: 'echo l > l'}}]},
  {name: right, steps: [{tool: shell, with: {command: 'echo r > r'}}]}]}}"""
ACTIONS = {
    "line": [*WRITES, FLAKY, MORE],
    "choices": [WRITES[0], CHOICE, WRITES[1]],
    "group": [WRITES[0], GROUP, WRITES[1]],
    "killed": WRITES[:3],
    "twice": WRITES[:2],
    "applied": WRITES[:3],
    "undone": WRITES[:3],
    "leaky": [LEAK, "{name: clean, tool: shell, with: {command: rm .env}}"],
    "confined": [
        "{name: open, tool: shell, with: {command: 'echo 1 > v'}}",
        "{name: walled, confine: write, tool: shell, with: {command: 'echo 2 > v'}}",
        "{name: closed, confine: strict, tool: shell, with: {command: 'echo 3 > v'}}",
    ],
}
# What an agent does in each turn, in a directory of its own; the user writes beside it.
TURNS = (
    "mkdir d; echo agent > d/new; rm doomed; chmod 600 kept.sh",
    "sed -i 's/^1$/one/' lines; printf '\\377' > raw; ln -s lines link",
    "echo again > d/new; rm -r d; echo late > late",
)
EDITS = ("sed -i 's/^9$/nine/' lines", "echo mine > mine", "")
KILL = """
import os, sys
from cleveragents.app import App
from cleveragents.checkpoints.rollback import Rollbacks
app = App(sys.argv[1], data_dir=sys.argv[2])
plan_id = app.plans.find("@").plan_id
Rollbacks.carry_out = lambda *_: os._exit(9)
app.checkpoints.rollback_to_checkpoint(plan_id, app.checkpoints.get_checkpoint(plan_id, "2"))
"""
KILL_SINCE_0_2 = """
import os, sys
from cleveragents.cli.main import run
from cleveragents.engine.back.rollback import Rollbacks
Rollbacks.carry_out = lambda *_, **__: os._exit(9)
run(["--project", sys.argv[1], "--data-dir", sys.argv[2], "plan", "rollback", "@", "2", "--yes"])
"""


@dataclass(frozen=True)
class Release:
    """A version whose data directory is kept."""

    commit: str
    kill: str  # a program: it is killed in a rollback
    breaks_lines: bool = False
    takes_back: bool = True  # has undo, redo and forget
    hears: bool = False  # what coding agents do, and takes that back
    confines: bool = False  # what steps do

    @property
    def packed(self):
        return HERE / f"{self.commit}.tar.xz"

    @property
    def digests(self):
        """What each checkpoint of it holds."""
        return HERE / f"{self.commit}.json"


RELEASES = {
    "the first version": Release("b4d97ef", KILL, breaks_lines=True, takes_back=False),
    "version 0.2.0": Release("8e8811d", KILL_SINCE_0_2),
    "version 0.3.0": Release("1eaaba3", KILL_SINCE_0_2, hears=True),
    "version 0.4.0": Release("67a5c55", KILL_SINCE_0_2, hears=True, confines=True),
}


class Maker:
    """Works with the old program at PLACE."""

    def __init__(self, release, sources):
        self.release, self.sources = release, sources
        self.project, self.data = PLACE / "project", PLACE / "data"
        self.project.mkdir(parents=True)
        (self.project / "v").write_text("0\n")
        (self.project / "kept.sh").write_text("true\n")
        (self.project / "kept.sh").chmod(0o755)
        self.chat = PLACE / "chat"  # where an agent works

    def python(self, *arguments, code=0, told=None, cwd=None):
        """Runs Python with the old sources."""
        environment = {**os.environ, "PYTHONPATH": str(self.sources), "MARK": str(PLACE / "mark")}
        done = subprocess.run(
            [sys.executable, "-P", *map(str, arguments)],
            cwd=cwd or self.project,
            env=environment,
            input=told,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def agents(self, *arguments, code=0, **more):
        """Runs a command of the old program."""
        words = ("-m", "cleveragents", "--data-dir", self.data, *arguments)
        return self.python(*words, code=code, **more)

    def run(self, name, *options, code=0):
        """Makes a plan of an action and runs it."""
        path = PLACE / f"{name}.yaml"
        path.write_text(f"name: {name}\nsteps:\n" + "".join(f"- {s}\n" for s in ACTIONS[name]))
        self.agents(*options, "run", path, code=code)

    def make(self):
        """Makes one plan for each thing that has to go on working."""
        few = ("--set", "sandbox.checkpoint.max-checkpoints-per-plan=5")
        self.run("line", *few, code=1)
        self.agents(*few, "plan", "execute", "@")
        self.run("choices")
        self.agents("plan", "rollback", "@", 2, "--yes")
        self.agents("plan", "execute", "@")
        self.agents("plan", "fork", "@", 3, "--name", "aside")
        self.agents("plan", "execute", "@")
        self.run("group")
        self.run("twice")
        for act in ("apply", "unapply") * 2:
            self.agents("plan", act, "@", "--yes")
        if self.release.takes_back:
            self.run("undone")
            for act in ("undo", "undo", "redo"):
                self.agents(act, "--yes")
            self.run("leaky")
            self.agents("forget", ".env", "--yes")
        if self.release.confines:
            self.run("confined")
        self.run("killed")
        digests = self.digests()
        if self.release.hears:
            digests["a chat"] = self.play()
        self.python("-c", self.release.kill, self.project, self.data, code=9)
        self.run("applied")
        digests |= self.digests("applied")
        self.agents("plan", "apply", "@", "--yes")
        return digests

    def play(self):
        """Lets an agent and a user work, takes the last turn back; returns what was there."""
        self.chat.mkdir()
        (self.chat / "lines").write_text("".join(f"{n}\n" for n in range(1, 10)))
        (self.chat / "doomed").write_text("doomed\n")
        (self.chat / "kept.sh").write_text("true\n")
        found = {"before": digest(self.chat, times=False)}
        for number, (command, edit) in enumerate(zip(TURNS, EDITS, strict=True), 1):
            about = {"session_id": "a-session", "prompt_id": f"p{number}", "cwd": str(self.chat)}
            call = {
                **about,
                "tool_name": "Bash",
                "tool_input": {"command": command},
                "tool_use_id": f"toolu_{number}",
            }
            self.tell("UserPromptSubmit", {**about, "prompt": f"do {number}"})
            self.tell("PreToolUse", call)
            subprocess.run(["sh", "-c", command], cwd=self.chat, check=True)
            self.tell("PostToolUse", {**call, "tool_response": {}})
            self.tell("Stop", about)
            subprocess.run(["sh", "-c", edit], cwd=self.chat, check=True)
            found[f"after {number}"] = digest(self.chat, times=False)
        self.agents("undo", "--yes", cwd=self.chat)
        return found

    def tell(self, event, payload):
        """Tells what a client tells its hooks."""
        self.agents("hook", f"claude:{event}", told=json.dumps(payload), cwd=self.chat)

    def digests(self, only=None):
        """What each checkpoint of each plan holds, as the old program writes it elsewhere."""
        found = {}
        for plan_id, name, seq in self.sql(
            "SELECT plan_id, name, seq FROM checkpoints JOIN plans USING (plan_id)"
        ):
            if only in (None, name):
                with tempfile.TemporaryDirectory() as aside:
                    target = Path(aside) / "files"
                    self.agents("plan", "rollback", plan_id, seq, "--to", target)
                    found[f"{plan_id} cp{seq}"] = digest(target)
        return found

    def sql(self, statement):
        """Asks the database itself."""
        with closing(sqlite3.connect(self.data / "cleveragents.db")) as connection:
            return connection.execute(statement).fetchall()

    def check(self):
        """Nothing of what it is made for is missing."""
        torn = "parent_id NOT IN (SELECT checkpoint_id FROM checkpoints)"
        broken = self.sql(f"SELECT seq FROM checkpoints WHERE {torn}")
        assert bool(broken) == self.release.breaks_lines, broken
        assert self.sql("SELECT 1 FROM operations WHERE status = 'open' AND kind = 'rollback'")
        assert self.sql("SELECT 1 FROM plans WHERE parent_plan_id IS NOT NULL")
        assert self.sql("SELECT 1 FROM plans WHERE phase = 'apply'")
        if self.release.confines:
            plans = "SELECT plan_id FROM plans WHERE name = 'confined'"
            levels = self.sql(f"SELECT level FROM step_runs WHERE plan_id IN ({plans})")
            assert levels == [("project",), ("write",), ("strict",)], levels


def digest(root, *, times=True):
    """One hash of all that an independent look at a tree sees; an undo has times of its own."""
    seen = {
        path: (
            one.kind,
            one.mode,
            one.content,
            *([one.mtime] if times else []),
            one.attributes,
            sorted(one.links),
        )
        for path, one in picture(root).items()
        if path  # the directory itself is whoever's made it
    }
    return sha256(repr(sorted(seen.items())).encode()).hexdigest()


def unpack(release):
    """Unpacks it at its place, or elsewhere if that is taken; returns where."""
    try:
        PLACE.mkdir(mode=0o700)
    except OSError:
        return unpack_elsewhere(release)
    _extract(release, PLACE)
    _settle(PLACE)
    return PLACE


def unpack_elsewhere(release):
    """Unpacks it in another place, and says so to every row."""
    place = Path(tempfile.mkdtemp(prefix="old-data-"))
    _extract(release, place)
    _settle(place)
    return place


def _extract(release, place):
    with lzma.open(release.packed) as packed:
        command = ["tar", "-xp", "--no-same-owner", "-C", str(place)]
        subprocess.run(command, input=packed.read(), check=True)


def _settle(place):
    """Writes the inode of the project, which is another one, and the place if it is."""
    with closing(sqlite3.connect(place / "data" / "cleveragents.db")) as connection, connection:
        inode = str((place / "project").stat().st_ino)
        connection.execute("UPDATE sandboxes SET project_inode = ?", (inode,))
        known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if "chats" in known:
            where = place / "chat"
            about = str(where.stat().st_ino)
            connection.execute("UPDATE chats SET root_inode = ?", (about,))
        for table, columns in PATHS.items():
            if table not in known:
                continue
            for column in columns if place != PLACE else ():
                statement = f"UPDATE {table} SET {column} = replace({column}, ?, ?)"
                connection.execute(statement, (str(PLACE), str(place)))


def main(commit):
    """Makes archive and digests again."""
    (release,) = [one for one in RELEASES.values() if one.commit == commit]
    shutil.rmtree(PLACE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as sources:
        archive = subprocess.run(["git", "archive", commit, "src"], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", sources], input=archive.stdout, check=True)
        maker = Maker(release, Path(sources) / "src")
        digests = maker.make()
        maker.check()
    command = ["tar", "-c", "--format=posix", "--owner=0", "--group=0", "-C", str(PLACE), "."]
    packed = lzma.compress(
        subprocess.run(command, check=True, capture_output=True).stdout, preset=9
    )
    assert len(packed) < MOST_BYTES, len(packed)
    HERE.mkdir(exist_ok=True)
    release.packed.write_bytes(packed)
    release.digests.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(PLACE)


if __name__ == "__main__":
    main(*sys.argv[1:])
