"""Writes docs/reference/cli/events.md from what the engine reports and what the journal keeps.

python scripts/events_page.py            # writes it
python scripts/events_page.py --check    # fails if it is out of date
"""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import get_args

from page import settle

from cleveragents.events import Event, Occurrence
from cleveragents.plans.journal import Happening

PAGE = Path("docs/reference/cli/events.md")
HEAD = """\
# Events

## What is reported as it goes

`App(project, report=...)` calls you with each of these as it happens, one at a time, whichever
thread it comes from; the command line draws its progress from them. Every event has the `plan_id`.

| event | it has | when |
|---|---|---|
"""
KEPT = """
## What the journal keeps

`agents plan log` tells these in order, long after; with `--format json` each has `seq`, `at`,
`kind`, `what`, `story` and the facts of its kind, told with what came of it by now.

| kind | when |
|---|---|
"""
KIND = re.compile(r'^    [A-Z]+ = "(\w+)"  # (.*)$', re.MULTILINE)


def main() -> None:
    """Writes or checks the page."""
    reported = "".join(row(kind) for kind in get_args(Event))
    about = dict(KIND.findall(inspect.getsource(Happening)))  # said beside each of them
    kept = "".join(f"| `{kind}` | {about[kind]} |\n" for kind in Happening)
    settle("scripts/events_page.py", {PAGE: HEAD + reported + KEPT + kept})


def row(kind: type[Occurrence]) -> str:
    own = [field for field in dataclasses.fields(kind) if field.name != "plan_id"]
    types = [getattr(field.type, "__name__", field.type) for field in own]
    told = ", ".join(
        f"`{field.name}: {written}`" for field, written in zip(own, types, strict=True)
    )
    return f"| `{kind.__name__}` | {told} | {kind.__doc__} |\n"


if __name__ == "__main__":
    main()
