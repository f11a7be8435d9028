"""The story every operation is told on: a small project with awkward files, and a plan for it.

The steps give what they write a fixed time, so that running them beside the product, by a plain
shell in a plain directory, yields trees that are equal to the nanosecond.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from oracle import LiveSnapshot, picture

from faults.room import Room, copy

Picture = Mapping[bytes, LiveSnapshot]
PIECES = """
printf 'one\\n' > a.txt; mkdir -p dir/deep empty; printf 'two\\n' > dir/b.txt
head -c 70000 /dev/zero | tr '\\0' 'z' > dir/deep/big; ln dir/b.txt twin; ln -s a.txt link
printf '#!/bin/sh\\n' > run.sh; chmod 755 run.sh; chmod 750 dir
"""
# Does not compress, so that freeing it means to write the rest of its pack anew.
JUNK = "awk 'BEGIN { srand(1); for (i = 0; i < 4000; i++) printf \"%c\", 33 + rand() * 90 }' > junk"
STEPS = (
    f"printf 'first\\n' > a.txt; rm -r dir/deep; mkdir new; printf 'k\\n' > new/kept; {JUNK}",
    "echo once >> log; rm twin link junk; mkdir link; printf 'in\\n' > link/in; chmod 600 run.sh",
    "rm -r dir new/kept; printf 'now a file\\n' > dir; ln -s nowhere new/lost; mkdir -p e/f/g",
)
# Taken before the last step and never pruned: the only one that still holds `new/kept` then.
NAMED = "before the last"
DIRTY = "printf 'by hand\\n' > a.txt; rm -f log; mkdir -p hand; printf 'h\\n' > hand/made"
SETTLE = "find . -type f -exec touch -d '2026-01-02 03:04:05.678901234' {} +"
REPOSITORY = """
git init -q . && git config user.name T && git config user.email t@x
git add -A && git commit -q -m first
"""
# A second story: a choice, two subplans, and a step that needs all of what they made.
FAN = {"a": "printf a > picked", "b": "printf b > picked"}
CHILDREN = {"x": "printf x > x; rm run.sh", "y": "printf y > y; mkdir made"}
GATHER = "cat picked x y > all"
# A third: the user edits what was applied, in another line of a file, or in the same place.
TEXT = "seq 9 > text"
CHANGE = "sed -i 's/^1$/first/' text; printf 'first\\n' > a.txt"
MINE = "sed -i 's/^9$/mine/' text"
CONTESTED = f"{MINE}; printf 'mine\\n' > a.txt"
# The second step can be told to wait half-way, and to say so in a file, until it is ended.
WAIT = '[ -z "$WAIT" ] || { : > "$WAIT"; sleep 60; }'


def shell(command: str, directory: Path) -> None:
    """Runs a command as a step would be run."""
    subprocess.run(["/bin/sh", "-ec", command], cwd=directory, check=True)


def settled(command: str) -> str:
    """Returns a command that ends with a fixed time on every file."""
    return f"{command.strip()}; {SETTLE}"


def tell(room: Room) -> list[Picture]:
    """Fills the project and writes the action; returns the trees that the steps lead to."""
    shell(settled(PIECES), room.project)
    halves = STEPS[1].split("; ", 1)
    waiting = "; ".join((halves[0], WAIT, halves[1]))
    commands = [settled(command) for command in (STEPS[0], waiting, STEPS[2])]
    steps: list[dict[str, object]] = [
        {"tool": "shell", "with": {"command": command}} for command in commands
    ]
    steps[-1]["checkpoint"] = NAMED
    action(room).write_text(json.dumps({"name": "story", "steps": steps}))
    return replay(room, "replay", STEPS)


def tell_of_choices(room: Room) -> dict[str, Picture]:
    """Writes the action of the second story; returns the trees its choices lead to."""
    step = lambda command: {"tool": "shell", "with": {"command": settled(command)}}  # noqa: E731
    options = {name: [step(command)] for name, command in FAN.items()}
    children = [{"name": name, "steps": [step(line)]} for name, line in CHILDREN.items()]
    steps = [
        {"name": "pick", "decide": {"question": "which", "options": options, "choose": "a"}},
        {"name": "fan out", "subplans": {"mode": "parallel", "plans": children}},
        step(GATHER),
    ]
    (room.home / "fan.yaml").write_text(json.dumps({"name": "fan", "steps": steps}))
    return {
        f"fan {name}": replay(room, f"replay-{name}", (command, *CHILDREN.values(), GATHER))[-1]
        for name, command in FAN.items()
    }


def write_change(room: Room) -> None:
    """Writes the action of the third story."""
    step = {"tool": "shell", "with": {"command": settled(CHANGE)}}
    (room.home / "change.yaml").write_text(json.dumps({"name": "change", "steps": [step]}))


def write_broken(room: Room) -> Path:
    """Writes the action of the story with a second step that fails."""
    broken = json.loads(action(room).read_text())
    broken["steps"][1]["with"]["command"] = "echo half > a.txt; false"
    path = room.home / "broken.yaml"
    path.write_text(json.dumps(broken))
    return path


def action(room: Room) -> Path:
    """The action file of the story."""
    return room.home / "action.yaml"


def replay(room: Room, name: str, steps: Sequence[str]) -> list[Picture]:
    """Runs steps in a plain copy of the project; returns its picture after each."""
    beside = room.home / name
    copy(room.project, beside)
    pictures: list[Picture] = [picture(beside)]
    for step in steps:
        shell(settled(step), beside)
        pictures.append(picture(beside))
    return pictures
