"""The table as it stands on its page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.confinement.confinement import WAYS
from cleveragents.confinement.level import Way
from deeds.table import DEEDS, LEVELS, USERS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "confinement.md"
FIRST = Way.NAMESPACES  # shown whole; of the others what differs from it

LEGEND = """\
Each deed was done as a step, and judged from outside by its effect. `fails anyway`: it fails
unconfined as well, so that it is blocked elsewhere (`-`) proves nothing.
"""

Results = Mapping[tuple[str, str, str], str]  # by deed, user and level


def levels_of(way: Way) -> list[str]:
    """The levels that can be had by a way."""
    return [level for level in LEVELS if level == LEVELS[0] or level in WAYS[way]]


def rows(results: Results, levels: Sequence[str], users: Sequence[str]) -> list[list[str]]:
    """The head and a row for each deed."""
    head = ["deed", *(f"{user}: {level}" for user in users for level in levels)]
    names = [deed.name for deed in DEEDS if any(key[0] == deed.name for key in results)]
    return [
        head,
        *(
            [name, *(results.get((name, user, level), "") for user in users for level in levels)]
            for name in names
        ),
    ]


def markdown(table: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    head, *others = (f"| {' | '.join(row)} |" for row in table)
    return "\n".join([head, "|---" * len(table[0]) + "|", *others])


def write(results: Results, way: Way) -> None:
    """Puts the table of a way into the page."""
    text = PAGE.read_text()
    begin, end = _marks(way)
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    said = LEGEND if way is FIRST else f"By {way} all is the same, but for:\n"
    table = rows(_told(results, way), levels_of(way), USERS)
    PAGE.write_text(f"{before}{begin}\n{said}\n{markdown(table)}\n{end}{after}")


def shown(way: Way) -> Results:
    """What the page shows of a way."""
    begin, end = _marks(way)
    table = PAGE.read_text().partition(begin)[2].partition(end)[0]
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line[:1] == "|"]
    columns = [tuple(title.split(": ")) for title in lines[0][1:]] if lines else []
    told = {
        (name, user, level): cell
        for name, *cells in lines[2:]
        for (user, level), cell in zip(columns, cells, strict=True)
    }
    if way is FIRST:
        return told
    same = {key: cell for key, cell in shown(FIRST).items() if key[2] in levels_of(way)}
    return {**same, **told}


def _told(results: Results, way: Way) -> Results:
    """The results of the deeds that the table of a way shows."""
    if way is FIRST:
        return results
    first = shown(FIRST)
    others = {key[0] for key, cell in results.items() if first.get(key) != cell}
    return {key: cell for key, cell in results.items() if key[0] in others}


def _marks(way: Way) -> tuple[str, str]:
    return f"<!-- deeds, by {way}: begin -->", f"<!-- deeds, by {way}: end -->"
