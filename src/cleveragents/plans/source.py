"""Plain data that knows where each of its values stands, so that errors can name it."""

from typing import TypeAlias

from cleveragents.records import frozen

Location = tuple[str | int, ...]
Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


@frozen
class Source:
    """The data of a file and where each value stands in it."""

    name: str
    data: Plain
    lines: dict[Location, int]
    texts: dict[Location, str]  # scalars as they are written

    def at(self, location: Location) -> str:
        """Returns `file:line: field` for a value or the nearest one around it."""
        known = location
        while known not in self.lines:
            known = known[:-1]
        field = ".".join(map(str, location))
        return f"{self.name}:{self.lines[known]}" + (f": {field}" if field else "")
