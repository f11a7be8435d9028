"""Names of files, which need not be text."""

import os
from typing import NotRequired, TypedDict

from cleveragents.escaping import safe


class PathName(TypedDict):
    """A path; one that is not UTF-8 is escaped, with its bytes beside."""

    path: str
    path_base64: NotRequired[str]  # only of a name that is not UTF-8


class FileName(TypedDict):
    """The same, where the key is `file`."""

    file: str
    file_base64: NotRequired[str]  # only of a name that is not UTF-8


def path_name(name: str) -> PathName:
    """Names a path."""
    shown, raw = _written(name)
    return {"path": shown} if raw is None else {"path": shown, "path_base64": raw}


def file_name(name: str) -> FileName:
    """Names a file."""
    shown, raw = _written(name)
    return {"file": shown} if raw is None else {"file": shown, "file_base64": raw}


def _written(name: str) -> tuple[str, str | None]:
    """A name as text, and its bytes if the text does not tell them."""
    raw = os.fsencode(name)
    try:
        return raw.decode(), None  # whatever the encoding of the locale
    except UnicodeDecodeError:
        import base64  # noqa: PLC0415 - nearly every name is text

        return safe(name), base64.b64encode(raw).decode()
