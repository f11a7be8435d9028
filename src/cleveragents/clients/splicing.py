"""Puts our entries into a text of settings and takes them out; every other byte stays as it is."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.clients.client import Client
from cleveragents.clients.entries import (
    HOOKS,
    Entries,
    found_in,
    head_of,
    holds_ours,
    is_our_hook,
)
from cleveragents.clients.json_text import BLANK, BOM, Part, Value, parse
from cleveragents.records import frozen

ROOT, EVENTS, LISTED = 1, 2, 3  # how deep entries of the settings, of the hooks, of events are


@frozen
class Span:
    """A part of a text."""

    start: int
    end: int


@frozen
class _Insertion:
    at: int
    text: str


def put_in(text: str, client: Client, entries: Entries) -> tuple[str, list[Span]]:
    """Adds entries, and tells which parts are new; raises ValueError where they do not fit."""
    after, spans = _inserted(text, _insertions(text, client, entries))
    parse(after)  # whatever was there, what is written can be read
    return after, spans


def cut(text: str, spans: Sequence[Span]) -> str:
    """Takes parts out of a text."""
    for span in sorted(spans, key=lambda one: one.start, reverse=True):
        text = text[: span.start] + text[span.end :]
    return text


def taken_out(text: str, data: Path) -> str:
    """Settings without our entries, and without lists and objects that are empty then."""
    root = parse(text)
    while (hooks := root.find(HOOKS)) and found_in(root.data, data):
        text = cut(text, _removal(text, *_first_of_ours(root, hooks, data)))
        root = parse(text)
    return text


# --- Putting in ----------------------------------------------------------------------------------


def _insertions(text: str, client: Client, entries: Entries) -> list[_Insertion]:
    style = _Style(text)
    if not text.removeprefix(BOM).strip(BLANK):
        return [_Insertion(len(text), style.document(client, entries))]
    root = parse(text)
    _refuse_unless(root.is_object, "it is no object")
    head = {name: value for name, value in head_of(client).items() if name not in root.data}
    members = style.plain(head)
    hooks = root.find(HOOKS)
    if hooks is None:
        members.append(style.member(HOOKS, style.events(entries)))
    inside = [] if hooks is None else _into_hooks(style, hooks.value, entries)
    return [*style.into(root, members, ROOT), *inside]


def _into_hooks(style: "_Style", hooks: Value, entries: Entries) -> list[_Insertion]:
    _refuse_unless(hooks.is_object, f"its {HOOKS} are no object")
    found: list[_Insertion] = []
    missing: list[str] = []
    for event, entry in entries.items():
        listed = hooks.find(event)
        if listed is None:
            missing.append(style.event(event, entry))
        else:
            _refuse_unless(isinstance(listed.value.data, list), f"its {event} is no list")
            found += style.into(listed.value, [json.dumps(entry)], LISTED)
    return [*found, *style.into(hooks, missing, EVENTS)]


def _refuse_unless(fits: bool, why: str) -> None:  # noqa: FBT001 - it is what is asked
    if not fits:
        raise ValueError(why)


def _inserted(text: str, given: Sequence[_Insertion]) -> tuple[str, list[Span]]:
    pieces: list[str] = []
    spans: list[Span] = []
    before = moved = 0
    for one in sorted(given, key=lambda insertion: insertion.at):
        pieces += [text[before : one.at], one.text]
        spans.append(Span(one.at + moved, one.at + moved + len(one.text)))
        before, moved = one.at, moved + len(one.text)
    return "".join([*pieces, text[before:]]), spans


class _Style:
    """The way a text is written, so that what is new looks like the rest."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        lines = text.split("\n")[1:]
        first = next((line for line in lines if line.strip(BLANK)), "")
        self._step = first[: len(first) - len(first.lstrip(" \t"))] or "  "

    def document(self, client: Client, entries: Entries) -> str:
        members = [*self.plain(head_of(client)), self.member(HOOKS, self.events(entries))]
        inner = self._line(ROOT)
        return "{" + inner + f",{inner}".join(members) + f"{self.newline}}}{self.newline}"

    def plain(self, members: Mapping[str, object]) -> list[str]:
        return [self.member(name, json.dumps(value)) for name, value in members.items()]

    def member(self, name: str, written: str) -> str:
        return f"{json.dumps(name)}: {written}"

    def event(self, name: str, entry: object) -> str:
        inner, outer = self._line(LISTED), self._line(EVENTS)
        return self.member(name, f"[{inner}{json.dumps(entry)}{outer}]")

    def events(self, entries: Entries) -> str:
        inner, outer = self._line(EVENTS), self._line(ROOT)
        members = [self.event(name, entry) for name, entry in entries.items()]
        return "{" + inner + f",{inner}".join(members) + outer + "}"

    def into(self, container: Value, pieces: Sequence[str], depth: int) -> list[_Insertion]:
        """Adds pieces at the end of an object or a list: after its comments, before it closes."""
        if not pieces:
            return []
        close = container.end - 1
        at = len(self._text[:close].rstrip(BLANK))
        inner = self._line(depth)
        ending = "" if "\n" in self._text[at:close] else self._line(depth - 1)
        body = _Insertion(at, inner + f",{inner}".join(pieces) + ending)
        last = container.parts[-1] if container.parts else None
        if last is None or last.comma is not None:
            return [body]
        return [_Insertion(last.end, ","), body]

    def _line(self, depth: int) -> str:
        return self.newline + self._step * depth


# --- Taking out ----------------------------------------------------------------------------------


def _first_of_ours(root: Value, hooks: Part, data: Path) -> tuple[Value, Part]:
    """The first entry of ours and what it lies in; if that would be empty then, it goes as well."""
    listed, entry = next(
        (listed, entry)
        for listed in hooks.value.parts
        for entry in listed.value.parts
        if listed == hooks.value.find(listed.name) and holds_ours(entry.value.data, data)
    )
    group = entry.value.find(HOOKS)
    if group is not None and len(group.value.parts) > 1:
        hook = next(one for one in group.value.parts if is_our_hook(one.value.data, data))
        return group.value, hook
    for container, part in ((listed.value, entry), (hooks.value, listed)):
        if len(container.parts) > 1:
            return container, part
    return root, hooks


def _removal(text: str, container: Value, part: Part) -> list[Span]:
    """The part, the blanks before it, and the comma that it leaves over."""
    before = [one for one in container.parts if one.end <= part.start]
    comma = part.comma if part.comma is not None else before[-1].comma if before else None
    start = len(text[: part.start].rstrip(BLANK))
    is_comment = "//" in text[:start].rpartition("\n")[2]
    end = part.end + 1 if comma == part.end else part.end
    if is_comment and not _ends_line(text, end):  # it would take in what follows
        start = part.start
    return [Span(start, part.end), *([] if comma is None else [Span(comma, comma + 1)])]


def _ends_line(text: str, at: int) -> bool:
    """Whether nothing but blanks follows in a line."""
    return not text[at:].partition("\n")[0].strip(BLANK)
