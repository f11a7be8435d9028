"""Secrets in what people type to an agent, and what an agent types to a shell.

There a secret is named by the word before it: `password=…`, `token: …`, `--password …`, "the
password is …". It need not look random to be one, as it must in output, where such words stand in
front of anything; what only refers to a value, or is a word of prose, is left.
"""

import re

from cleveragents.masking import MASK

_NAME = (
    r"[\w.-]*(?:password|passwd|passphrase|secret|token(?![a-z])|credential|mysql_pwd"
    r"|(?:api|access|auth|private|secret)[_-]?key)[\w.-]*"
)
_VALUE = r"(?P<quote>[\"'])(?P<quoted>[^\"'\n]+)(?P=quote)|(?P<bare>[^\s\"'`,;&|<>(){}\[\]]+)"
# A value that only stands for another one, or says what kind of value belongs there.
_REFERS = re.compile(
    r"[$%]|\*+$|(?:none|null|nil|undefined|true|false|str|string|int|bytes|bool|any|self"
    r"|optional|required|changeme|example)$|[x.…?]+$",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(rf"\b(?P<lead>{_NAME}[\"']?=)(?:{_VALUE})", re.IGNORECASE)
_OPTION = re.compile(rf"(?<!\S)(?P<lead>--{_NAME}\s+)(?!-)(?:{_VALUE})", re.IGNORECASE)
_TOLD = re.compile(
    rf"\b(?P<lead>{_NAME}[\"']?\s{{0,2}}(?::=?|=>?|\bis|\bwas)\s{{0,2}}|bearer\s+)(?:{_VALUE})",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?P<lead>\bcurl\b[^\n|;&]*?\s(?:-u|--user)[\s=]*[^\s:]+:)(?P<bare>\S+)")
# All of a password in an address, whatever signs it has; a port is none.
_ADDRESS = re.compile(r"(?P<lead>://[^\s/:@'\"]*:)(?!\d+/)(?P<bare>[^\s'\"]+)(?=@[^\s@'\"]+)")
LEAST_TOLD = 6  # letters of a word that only stands after a colon, or after "is"


def without_typed_secrets(text: str) -> str:
    """Returns a text without the values that it names as secrets."""
    for pattern in (_ADDRESS, _LOGIN, _ASSIGNED, _OPTION):
        text = pattern.sub(_masked, text)
    return _TOLD.sub(_masked_if_no_prose, text)


def _masked(match: re.Match[str]) -> str:
    """The match with its value masked."""
    groups = match.groupdict()
    if _REFERS.match(groups.get("quoted") or groups["bare"]):
        return match[0]
    quote = groups.get("quote") or ""
    return f"{match['lead']}{quote}{MASK}{quote}"


def _masked_if_no_prose(match: re.Match[str]) -> str:
    """The same, unless it may be a word like any other: those have no digits."""
    value = (match["quoted"] or match["bare"]).rstrip(".:!?")
    is_word = match["quoted"] is None and not any(sign.isdigit() for sign in value)
    return match[0] if is_word or len(value) < LEAST_TOLD else _masked(match)
