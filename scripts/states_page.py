"""Writes docs/reference/cli/states.md from the table of legal moves.

python scripts/states_page.py            # writes it
python scripts/states_page.py --check    # fails if it is out of date
"""

from collections.abc import Iterator
from pathlib import Path

from page import settle

from cleveragents.plans.lifecycle import MOVES, START, Stage, written

PAGE = Path("docs/reference/cli/states.md")
HEAD = """\
# States

A plan is in a phase (`strategize`, `execute`, `apply`) and in a state, written `execute/queued`.
One table in the code holds the moves there are; every other one is refused (exit code 4). `agents
plan status` tells where a plan stands, `agents plan log` how it came there.
"""
ABOUT = {
    "strategize/processing": "its steps are read, or asked of the strategist, and checked",
    "strategize/complete": "ready to be executed; nothing has run yet",
    "strategize/errored": "its steps have problems or its strategist failed; all is listed",
    "execute/queued": "waiting to run from its cursor: after a rollback, or with open conflicts",
    "execute/processing": "running, or interrupted if its process is dead",
    "execute/complete": "all steps have run; it can be applied",
    "execute/errored": "a step failed for good; the files are where the rollback policy put them",
    "execute/cancelled": "stopped by a user; it can be resumed",
    "apply/processing": "its result is being placed in the project, or taken out again",
    "apply/applied": "its result is in the project; `agents plan unapply` takes it out",
}


def main() -> None:
    """Writes or checks the page."""
    diagram = "".join(f"    {line}\n" for line in arrows())
    rows = "".join(map(row, MOVES))
    page = (
        f"{HEAD}\n```mermaid\nstateDiagram-v2\n{diagram}```\n\n"
        f"| state | meaning | it can go to |\n|---|---|---|\n{rows}"
    )
    settle("scripts/states_page.py", {PAGE: page})


def arrows() -> Iterator[str]:
    """Yields the diagram; that a stage may follow itself is left to the table."""
    for stage in MOVES:
        yield f"{name(stage)}: {written(stage)}"
    yield f"[*] --> {name(START)}"
    for stage, targets in MOVES.items():
        for target in MOVES:
            if target in targets and target != stage:
                yield f"{name(stage)} --> {name(target)}"


def name(stage: Stage) -> str:
    return "_".join(stage)


def row(stage: Stage) -> str:
    targets = ", ".join(f"`{written(one)}`" for one in MOVES if one in MOVES[stage])
    return f"| `{written(stage)}` | {ABOUT[written(stage)]} | {targets} |\n"


if __name__ == "__main__":
    main()
