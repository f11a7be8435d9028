"""A patch in colours: of a line that was changed the words that differ stand out."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from cleveragents.cli.console import Line, Piece
from cleveragents.escaping import safe

STYLES = {"+": "green", "-": "red", "@": "cyan"}  # by what a line begins with
HEAD = 2  # lines that name the files
LONGEST = 1000  # characters of a line whose words are compared
ALIKE = 0.4  # of two lines that are one, changed; below that one was replaced by another
WORD = re.compile(r"\w+|\s+|.")


def colored(patch: Sequence[str]) -> Iterator[Line]:
    """Yields the lines of a patch of one file."""
    yield from map(_whole, patch[:HEAD])
    body = patch[HEAD:]
    at = 0
    while at < len(body):
        gone = _run(body, at, "-")
        come = _run(body, at + len(gone), "+")
        if gone and len(gone) == len(come):
            pairs = [_compared(old, new) for old, new in zip(gone, come, strict=True)]
            yield from (old for old, _ in pairs)
            yield from (new for _, new in pairs)
        else:
            yield from map(_whole, body[at : at + max(len(gone) + len(come), 1)])
        at += max(len(gone) + len(come), 1)


def _run(body: Sequence[str], at: int, sign: str) -> Sequence[str]:
    """The lines from there on that begin with a sign."""
    end = at
    while end < len(body) and body[end].startswith(sign):
        end += 1
    return body[at:end]


def _whole(line: str) -> Line:
    return ((safe(line), STYLES.get(line[:1], "")),)


def _compared(old: str, new: str) -> tuple[Line, Line]:
    """Two versions of a line, each with the words that the other lacks."""
    if max(len(old), len(new)) > LONGEST:
        return _whole(old), _whole(new)
    before, after = WORD.findall(old[1:]), WORD.findall(new[1:])
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < ALIKE:
        return _whole(old), _whole(new)
    blocks = matcher.get_matching_blocks()
    return (
        ((old[:1], "red"), *_marked(before, [(one.a, one.size) for one in blocks], "red")),
        ((new[:1], "green"), *_marked(after, [(one.b, one.size) for one in blocks], "green")),
    )


def _marked(words: Sequence[str], same: Sequence[tuple[int, int]], color: str) -> Iterator[Piece]:
    """Yields words in a colour, those between the same ones marked."""
    at = 0
    for start, count in same:
        yield safe("".join(words[at:start])), f"{color} word"
        yield safe("".join(words[start : start + count])), color
        at = start + count
