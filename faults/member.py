"""One member of a crowd, run as a process of its own: `python -m faults.member`.

It types one command line after the other, each until it is no longer told that the plan is busy,
and prints what it was told in the end.
"""

import json
import random
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from faults import clock
from faults.product import Product
from faults.room import Room, import_everything

TURNS = 8
PATIENCE = 600  # how often it asks again
PAUSE = 0.05
BUSY = 4
CHANCES = {"create": 40, "rollback": 30, "list": 10, "delete": 15, "run": 5}


@dataclass(frozen=True)
class Told:
    """One command of a member, and what it was told."""

    kind: str
    label: str  # of the checkpoint it is about
    code: int
    noop: bool  # success, but there was nothing to do
    said: str

    @property
    def counts(self) -> bool:
        """Whether something was reported as done."""
        return self.code == 0 and not self.noop


class Member:
    """Acts on one plan of a room, by chance."""

    def __init__(self, room: Room, plan_id: str, name: str) -> None:
        self._room = room
        self._plan_id = plan_id
        self._name = name
        self._chance = random.Random(name)
        self._mine: list[str] = []  # labels of checkpoints it made and has not deleted

    def act(self, turn: int) -> Told:
        """Does one thing."""
        (kind,) = self._chance.choices([*CHANCES], [*CHANCES.values()])
        if kind == "delete" and not self._mine:
            kind = "create"
        label = self._mine.pop() if kind == "delete" else f"{self._name}-{turn}"
        code = self._patiently(self._line(kind, label))
        if kind == "create" and code == 0:
            self._mine.append(label)
        said = self._room.said
        return Told(kind, label, code, "nothing to do" in said, said if code else "")

    def _line(self, kind: str, label: str) -> str:
        match kind:
            case "create":
                return f"plan checkpoint create {self._plan_id} --label {label}"
            case "rollback":
                return f"plan rollback {self._plan_id} {self._chance.randint(1, 4)} --yes"
            case "delete":
                seq = self._room.sql(f"SELECT seq FROM checkpoints WHERE label = '{label}'")[0][0]
                return f"plan checkpoint delete {self._plan_id} {seq} --yes"
            case "run":
                return "run ../action.yaml"
            case _:
                return f"plan checkpoint list {self._plan_id}"

    def _patiently(self, line: str) -> int:
        code = BUSY
        for _ in range(PATIENCE):
            code = self._room.run(line)
            if code != BUSY or "newest" in self._room.said:
                break
            time.sleep(PAUSE)
        return code


def clock_of(room: Room) -> Path:
    """The file that rules the clocks of all members."""
    return room.home / "clock"


def main() -> None:
    """Takes the room, the plan and a name, which also decides what will be done."""
    home, plan_id, name = sys.argv[1:]
    import_everything()
    room = Room(Path(home), Product(), f"-{name}")
    clock.bend(clock_of(room))
    acting = Member(room, plan_id, name)
    for turn in range(TURNS):
        print(json.dumps(asdict(acting.act(turn))), flush=True)


if __name__ == "__main__":
    main()
