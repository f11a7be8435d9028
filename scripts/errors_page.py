"""Writes docs/reference/cli/errors.md from the error tree and from every place that raises one.

python scripts/errors_page.py            # writes it
python scripts/errors_page.py --check    # fails if it is out of date
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from page import settle

import cleveragents
from cleveragents.errors import CleverAgentsError

PAGE = Path("docs/reference/cli/errors.md")
SOURCES = Path("src/cleveragents")
HEAD = """\
# Errors

An error says what happened (`message`), why (`detail`: paths, candidates, what a step printed
last) and what to type next (`suggestions`; people read them as hints). To programs it is the
`error` of the [envelope](envelope.schema.json), on standard output; to people it is written on
standard error.

Programs should look at `code` and at the exit code; messages may be worded better one day. What
stands in braces is known only at the time. A name that is not known comes with the nearest one that
is: "did you mean …?".
"""
FILLED_IN = re.compile(r"\{[^}]*\}")
ABOUT = {
    "invalid_input": "The request itself is wrong: mend it and try again.",
    "not_found": "Nothing of that name exists.",
    "refused": "The present state does not allow it; nothing was changed.",
    "busy": "Another process owns the plan, the project or the store; a kind of refusal.",
    "changed_meanwhile": "Somebody else changed a file at that very moment; a kind of refusal.",
    "failed": "It was tried and did not work.",
    "damaged": "Stored content is missing or does not match its hash; a kind of failure.",
    "unforeseen": (
        "A mistake of the program itself. What is known of it is in the log file that is named: "
        "versions, the command line without values, where it happened."
    ),
    "interrupted": "The user stopped it.",
}


@dataclass(frozen=True)
class Place:
    """A place that raises an error."""

    message: str
    hints: tuple[str, ...]


def main() -> None:
    """Writes or checks the page."""
    for module in walk_packages(cleveragents.__path__, "cleveragents."):
        if ".migrations." not in module.name and not module.name.endswith("__main__"):
            import_module(module.name)  # so that every class of error is there
    kinds = {kind.__name__: kind for kind in below(CleverAgentsError)}
    codes: dict[str, set[Place]] = {kind.code: set() for kind in kinds.values()}
    for path in sorted(SOURCES.rglob("*.py")):
        for name, place in places(path, set(kinds)):
            codes[kinds[name].code].add(place)
    exits = {kind.code: kind.exit_code for kind in kinds.values()}
    page = HEAD + "".join(section(code, exits[code], codes[code]) for code in ABOUT)
    if set(ABOUT) != set(codes):
        raise SystemExit(f"codes without a description here: {set(codes) ^ set(ABOUT)}")
    settle("scripts/errors_page.py", {PAGE: page})


def below(kind: type[CleverAgentsError]) -> Iterator[type[CleverAgentsError]]:
    for one in kind.__subclasses__():
        yield one
        yield from below(one)


def places(path: Path, kinds: set[str]) -> Iterator[tuple[str, Place]]:
    """Yields every call in a file that makes an error, with its class."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            message = written(node.args[0]) if node.args else ""
            if node.func.id in kinds and FILLED_IN.sub("", message).strip(" :;"):
                yield node.func.id, Place(message, tuple(hints(node)))


def hints(call: ast.Call) -> Iterator[str]:
    """Yields the hints that stand in the call itself; others are made when it happens."""
    for keyword in call.keywords:
        if keyword.arg == "hints" and isinstance(keyword.value, ast.List):
            yield from (
                text for text in map(written, keyword.value.elts) if FILLED_IN.sub("", text)
            )


def written(node: ast.expr) -> str:
    """A text as it stands in the code, with {…} for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return written(node.value)
    if isinstance(node, ast.Name | ast.Attribute):
        return f"{{{node.id if isinstance(node, ast.Name) else node.attr}}}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted":
        _, one, *many = map(written, node.args)
        return f"{{…}} {many[0] if many else f'{one}s'}"
    return "{…}"


def section(code: str, exit_code: int, found: set[Place]) -> str:
    rows = "".join(
        f"| {cell(place.message)} | {cell('<br>'.join(place.hints))} |\n"
        for place in sorted(found, key=lambda one: (one.message.lower(), one.hints))
    )
    table = f"\n| message | suggestions |\n|---|---|\n{rows}" if rows else ""
    return f"\n## `{code}`: exit code {exit_code}\n\n{ABOUT[code]}\n{table}"


def cell(text: str) -> str:
    return re.sub(r"([|<>*_`])", r"\\\1", text).replace("\\<br\\>", "<br>")


if __name__ == "__main__":
    main()
