"""Changes a settings file, with its comments and order kept."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from cleveragents.config.file import entries, said, text_of
from cleveragents.errors import Failed
from cleveragents.storage.replacing import alone, replace_file

Edit = Callable[[TOMLDocument], None]


def put(path: Path, key: str, value: object, others: Sequence[str]) -> None:
    """Sets a key; its other spellings leave the file."""
    parts = key.split(".")
    if isinstance(value, tuple):
        value = list(cast("tuple[object, ...]", value))

    def nested(document: TOMLDocument) -> None:
        table: Any = document
        for part in parts[:-1]:
            inline = isinstance(table, InlineTable)
            table = table.setdefault(part, tomlkit.inline_table() if inline else tomlkit.table())
        table[parts[-1]] = value

    def dotted(document: TOMLDocument) -> None:
        document.append(tomlkit.key(parts), tomlkit.item(value))

    with alone(path) as target:
        left = _without(entries(target), others)
        _change(target, {**left, key: value}, others, [nested, dotted])


def remove(path: Path, keys: Sequence[str]) -> bool:
    """Removes keys; tells whether any was there."""
    with alone(path) as target:
        found = entries(target)
        left = _without(found, keys)
        if left != found:
            _change(target, left, keys, [lambda _: None])
        return left != found


def _change(
    path: Path, expected: Mapping[str, object], gone: Sequence[str], edits: Sequence[Edit]
) -> None:
    """Writes the first edit after which the file says what is expected, and nothing else."""
    for edit in edits:
        text = _edited(text_of(path), gone, edit)
        if _says(text) == expected:
            replace_file(path, text.encode())
            return
    raise Failed(
        f"{path} cannot be changed without changing more than that", hints=["change it by hand"]
    )


def _edited(text: str, gone: Sequence[str], edit: Edit) -> str:
    document = tomlkit.parse(text)
    for key in gone:
        _drop(document, key.split("."))
    try:
        edit(document)
    except (AttributeError, TypeError, TOMLKitError):
        return text  # the edit does not fit: what should be a table is none
    return document.as_string()


def _drop(table: Any, parts: Sequence[str]) -> None:  # noqa: ANN401 - tables of several kinds
    """Removes a key if it is there."""
    if parts[0] not in table:
        return
    if len(parts) > 1:
        _drop(table[parts[0]], parts[1:])
    else:
        del table[parts[0]]


def _says(text: str) -> dict[str, object] | None:
    try:
        return said(text)
    except tomllib.TOMLDecodeError:
        return None  # the edit did not fit the way the file is written


def _without(found: Mapping[str, object], keys: Sequence[str]) -> dict[str, object]:
    return {name: given for name, given in found.items() if name not in keys}
