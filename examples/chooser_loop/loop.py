#!/usr/bin/env python3
"""A loop that asks an external command what to do next, and does it, until it says to stop.

Works in throw-away folders; needs `cleveragents` installed for this Python.
"""

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

from cleveragents import App, CallFailed, Session

CHOOSER = f"python3 {shlex.quote(str(Path(__file__).parent / 'choose.py'))}"
DEEDS = {  # what may be done, in any order
    "header": "printf '# Notes\\n' | cat - notes.txt > new && mv new notes.txt",
    "sort": "sort -o notes.txt notes.txt && head -n 1 notes.txt | grep -q '^#'",
    "trim": "sed -i 's/ *$//' notes.txt",
}


def main() -> None:
    """Lets the chooser drive a plan and shows what was decided and what came of it."""
    with TemporaryDirectory() as play:
        project = Path(play) / "project"
        project.mkdir()
        (project / "notes.txt").write_text("pears  \napples\n")
        app = App(project, data_dir=Path(play) / "data")
        with app.session(task="tidy the notes") as run:
            drive(run)
            print("--- notes.txt")
            print((run.path / "notes.txt").read_text(), end="")
        print("--- decided")
        for root in app.tree.read(run.plan):
            for node in root.children:
                print(f"{node.name} {node.decision.chosen}: {node.decision.rationale}")


def drive(run: Session) -> None:
    """Asks, does what was chosen, and offers what is left; a deed that fails is taken back."""
    left = dict(DEEDS)
    for number in range(1, len(DEEDS) + 2):
        deed = run.decide(f"Round {number}?", [*left, "stop"], chooser=CHOOSER)
        if deed == "stop":
            return
        try:
            run.step("shell", {"command": left.pop(deed)}, name=deed)
        except CallFailed as failed:
            print(f"{failed}; its files are as before")
        else:
            print(f"{deed}: done")


if __name__ == "__main__":
    main()
