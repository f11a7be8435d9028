"""The story every operation is told on: a small project with awkward files, and a plan for it.

The steps give what they write a fixed time, so that running them beside the product, by a plain
shell in a plain directory, yields trees that are equal to the nanosecond.
"""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from oracle import Seen, picture

from faults.room import Room, copy

Picture = Mapping[bytes, Seen]
PIECES = """
printf 'one\\n' > a.txt; mkdir -p dir/deep empty; printf 'two\\n' > dir/b.txt
head -c 70000 /dev/zero | tr '\\0' 'z' > dir/deep/big; ln dir/b.txt twin; ln -s a.txt link
printf '#!/bin/sh\\n' > run.sh; chmod 755 run.sh; chmod 750 dir
"""
STEPS = (
    "printf 'first\\n' > a.txt; rm -r dir/deep; mkdir new; printf 'n\\n' > new/n.txt",
    "echo once >> log.txt; rm twin link; mkdir link; printf 'in\\n' > link/in; chmod 600 run.sh",
    "rm -r dir; printf 'now a file\\n' > dir; ln -s nowhere new/lost; mkdir -p e/f/g",
)
DIRTY = "printf 'by hand\\n' > a.txt; rm -f log.txt; mkdir -p hand; printf 'h\\n' > hand/made"
SETTLE = "find . -type f -exec touch -d '2026-01-02 03:04:05.678901234' {} +"
REPOSITORY = """
git init -q . && git config user.name T && git config user.email t@x
git add -A && git commit -q -m first
"""
# The second step can be told to kill the program that runs it, half-way.
DEATH = '[ -z "$DIE" ] || { kill -9 $PPID; sleep 60; }'


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
    mortal = "; ".join((halves[0], DEATH, halves[1]))
    commands = [settled(command) for command in (STEPS[0], mortal, STEPS[2])]
    steps = [{"tool": "shell", "with": {"command": command}} for command in commands]
    action(room).write_text(json.dumps({"name": "story", "steps": steps}))
    return replay(room)


def action(room: Room) -> Path:
    """The action file of the story."""
    return room.home / "action.yaml"


def replay(room: Room) -> list[Picture]:
    """Runs the steps in a plain copy of the project; returns its picture after each."""
    beside = room.home / "replay"
    copy(room.project, beside)
    pictures: list[Picture] = [picture(beside)]
    for step in STEPS:
        shell(settled(step), beside)
        pictures.append(picture(beside))
    return pictures
