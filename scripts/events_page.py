"""Writes docs/reference/cli/events.md from what the engine reports and what the journal keeps.

python scripts/events_page.py            # writes it
python scripts/events_page.py --check    # fails if it is out of date
"""

import dataclasses
import inspect
import re
from pathlib import Path

from page import settle

from cleveragents.events import Event
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
    reported = "".join(row(kind) for kind in Event.__subclasses__())
    about = dict(KIND.findall(inspect.getsource(Happening)))  # said beside each of them
    kept = "".join(f"| `{kind}` | {about[kind]} |\n" for kind in Happening)
    settle("scripts/events_page.py", {PAGE: HEAD + reported + KEPT + kept})


def row(kind: type[Event]) -> str:
    own = [field.name for field in dataclasses.fields(kind) if field.name != "plan_id"]
    told = ", ".join(f"`{name}`" for name in own)
    return f"| `{kind.__name__}` | {told} | {kind.__doc__} |\n"


if __name__ == "__main__":
    main()
