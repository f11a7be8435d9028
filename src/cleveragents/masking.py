"""Masks secrets in what is told: output, errors, questions, logs; never in files or what runs.

Three kinds are known: values that were handed on by name, words that begin as well-known keys do or
stand in a header that authorizes, and long random words right after `key`, `token`, `secret` or
`password`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import cast

from cleveragents.records import frozen

MASK = "***"
LEAST = 6  # letters of a value; to hide every "1" would leave nothing to read
LEAST_LINE = 16  # letters of one line of a value that has several
PLAIN_WORDS = ("default", "disable", "disabled", "enable", "enabled", "production", "release")
LONGEST_LINE = 1 << 16  # bytes held back while the end of a line has not come
OVERLAP = 1 << 13  # bytes of such a line that are held back further
LONGEST_KEY = 1 << 15  # bytes of a private key held back while its end has not come
HEADER = "authorization"  # and what proxies call theirs
LONGEST_PATTERN = 200  # letters of a pattern that users give

_MASK = MASK.encode()
_SAYS_SO = ("key", "token", "secret", "passw", "passphrase", "credential")
_KEY_BEGINS, _KEY_ENDS, _PRIVATE = b"-----BEGIN ", b"-----END ", b"PRIVATE KEY"

# Where a word starts; also after a line end as JSON and shells write it.
_START = rb"(?:(?<=\\[nrt])|\b)"
# What a word begins with, and the whole of it. To look for a beginning costs far less than the
# pattern, and hardly any output has one.
_BEGINNINGS: Mapping[bytes, bytes] = {
    b"sk-": _START + rb"sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{20,}",
    b"_live_": _START + rb"[rsp]k_live_[A-Za-z0-9]{10,}",
    b"_test_": _START + rb"[rsp]k_test_[A-Za-z0-9]{10,}",
    b"whsec_": _START + rb"whsec_[A-Za-z0-9+/=]{20,}",
    **{name: name + rb"[A-Za-z0-9]{20,}" for name in (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_")},
    b"github_pat_": rb"github_pat_[A-Za-z0-9_]{20,}",
    b"glpat-": rb"glpat-[A-Za-z0-9_-]{16,}",
    b"xox": rb"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    b"xapp-": rb"xapp-[A-Za-z0-9-]{10,}",
    b"AKIA": _START + rb"AKIA[A-Z0-9]{16}\b",
    b"ASIA": _START + rb"ASIA[A-Z0-9]{16}\b",
    b"AIza": rb"AIza[A-Za-z0-9_-]{30,}",
    b"ya29.": rb"ya29\.[A-Za-z0-9_-]{20,}",
    b"npm_": _START + rb"npm_[A-Za-z0-9]{30,}",
    b"pypi-": _START + rb"pypi-[A-Za-z0-9_-]{40,}",
    b"hf_": _START + rb"hf_[A-Za-z0-9]{30,}",
    b"dckr_pat_": rb"dckr_pat_[A-Za-z0-9_-]{20,}",
    b"SG.": _START + rb"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    b"hvs.": _START + rb"hvs\.[A-Za-z0-9_-]{20,}",
    b"AGE-SECRET-KEY-": rb"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    b"eyJ": _START + rb"eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,4000}(?:\.[A-Za-z0-9_-]*)?",
    b"-----BEGIN": rb"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:[^\0]{0,%d}?-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
    rb"|(?:[\s\\nr]{1,4}[A-Za-z0-9+/=]{16,})*)" % LONGEST_KEY,
    # Who logs in by an address: the password, or a name that is one.
    b"://": rb"(?<=://)(?P<kept>[^\s/:@'\"]{0,100}:)?[^\s/:@'\"]{1,500}(?=@)",
}
# Right after such a word, written as people, shells, YAML and JSON write it. Of lower case, so that
# the search need not look for both.
_NAMED = (
    rb"(?:key|token|secret|password|passwd|passphrase|credential)s?"
    rb"(?:[\"'\\\]]{0,3}[ \t]{0,4}[=:>]{1,2}[ \t]{0,4}|[\"'\]]{0,2}[ \t]{1,4})"
    rb"(?:bearer |basic )?[\"'\\]{0,3}([a-z0-9+/_=.~-]{16,})"
)
_AUTHORIZED = rb"(?:bearer|basic) {1,2}([a-z0-9+/_=.~-]{16,})"
# In a header nothing else can stand there, random or not.
_HEADER = (
    rb"authorization[\"'\\\]]{0,3}[ \t]{0,4}[=:][ \t]{0,4}[\"'\\]{0,3}"
    rb"(?:bearer|basic) {1,2}([a-z0-9+/_=.~-]{%d,})" % LEAST
)


class Masking:
    """The mask of one caller; it gets to know values as they are handed on."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = patterns
        self._values: Sequence[bytes] = ()
        self._known: frozenset[str] = frozenset()

    def learn(self, values: Iterable[str]) -> None:
        """Masks these values from now on, however they are written; short ones are left."""
        new = {value for value in values if _is_secret(value)} - self._known
        if new:
            self._known |= new
            forms = {form for value in self._known for form in _forms(value)}
            self._values = sorted(forms, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Returns a text without its secrets."""
        return self.output(text.encode(errors="surrogatepass")).decode(errors="surrogatepass")

    def data(self, value: object) -> object:
        """Returns JSON data without the secrets in its texts; its form stays as it is."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            held = cast("Mapping[str, object]", value).items()
            return {self.text(key): self._named(key, inner) for key, inner in held}
        if isinstance(value, list | tuple):
            return [self.data(inner) for inner in cast("Sequence[object]", value)]
        return value

    def output(self, data: bytes) -> bytes:
        """Returns output without its secrets."""
        for value in self._values:
            data = data.replace(value, _MASK)
        for begins, pattern in _BEGINNINGS.items():
            if begins in data:
                data = _compiled(pattern).sub(_masked, data)
        data = _without_named(data)
        for pattern in self._patterns:
            data = _compiled(pattern.encode()).sub(_MASK, data)
        return data

    def stream(self) -> "MaskedStream":
        """Returns what masks output that comes in pieces."""
        return MaskedStream(self)

    def beginning_of_value(self, data: bytes) -> int:
        """How much of the end of some whole lines may be the beginning of a longer value."""
        ends = (
            index + 1
            for value in self._values
            for index in _line_ends(value)
            if data.endswith(value[: index + 1])
        )
        return max(ends, default=0)

    def _named(self, key: str, value: object) -> object:
        if isinstance(value, str) and says_secret(key) and _is_random(value.encode()):
            return MASK
        if isinstance(value, str) and key.lower().endswith(HEADER):
            return self.text(f"{HEADER}: {value}").removeprefix(f"{HEADER}: ")
        return self.data(value)


class MaskedStream:
    """Masks output that comes in pieces: what may be a part of a secret is held back."""

    def __init__(self, masking: Masking) -> None:
        self._masking = masking
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Takes a piece; returns what can be told by now."""
        whole = self._held + data
        end = self._end(whole)
        self._held = whole[end:]
        return self._masking.output(whole[:end])

    def finish(self) -> bytes:
        """Returns the rest."""
        rest, self._held = self._held, b""
        return self._masking.output(rest)

    def _end(self, whole: bytes) -> int:
        """How much can be told: whole lines, and of secrets that have several all or nothing."""
        lines = max(whole.rfind(b"\n"), whole.rfind(b"\r")) + 1
        if len(whole) - lines > LONGEST_LINE:
            return self._cut(whole)
        begun = whole.rfind(_KEY_BEGINS, 0, lines)
        is_open = begun >= 0 and whole.find(_KEY_ENDS, begun, lines) < 0
        if is_open and _PRIVATE in whole[begun : begun + 50] and lines - begun < LONGEST_KEY:
            return begun
        return lines - self._masking.beginning_of_value(whole[:lines])

    def _cut(self, whole: bytes) -> int:
        """Where a line without an end can be cut: its parts tell no more than the whole."""
        for end in range(len(whole) - OVERLAP, len(whole) // 2, -OVERLAP // 2):
            before, after = whole[end - OVERLAP : end], whole[end : end + OVERLAP]
            masked = self._masking.output
            if masked(before) + masked(after) == masked(before + after):
                return end
        return len(whole)


@frozen
class Handed:
    """The values that a plan hands to its steps and says to be secrets."""

    variables: Sequence[str] = ()  # of the caller, by name
    values: Sequence[str] = ()


def says_secret(name: str) -> bool:
    """Whether a name says that what it stands for is a secret."""
    return any(word in name.lower() for word in _SAYS_SO)


def secret_values(named: Mapping[str, object]) -> Iterator[str]:
    """Yields the values whose names say that they are secrets."""
    return (str(value) for name, value in named.items() if says_secret(name))


def wrong_pattern(pattern: str) -> str:
    """Tells why a pattern cannot be used; nothing if it can."""
    if len(pattern) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} letters"
    try:
        if re.compile(pattern.encode()).search(b""):
            return "matches nothing at all, so it would mask everything"
    except re.error as error:
        return f"is no regular expression: {error}"
    plain = re.sub(r"\\\D|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", pattern.removeprefix("(?i)"))
    if plain.count("{") != plain.count("}"):
        return 'has half a brace (a pattern with a comma is given as ["PATTERN"])'
    return "may take for ever" if _may_take_for_ever(plain.replace("(?:", "(")) else ""


def _may_take_for_ever(plain: str) -> bool:
    """Whether it repeats what itself repeats or chooses, or what refers to something else.

    What is escaped and what is one of several letters stands as a letter by now.
    """
    if re.search(r"\\\d|\(\?|\.[*+]|\.\{\d*,\}", plain):
        return True
    while group := re.search(r"\(([^()]*)\)([*+?{]?)", plain):
        inner, repeats = group[1], group[2] in ("*", "+", "{")
        is_many = any(sign in inner for sign in "*+{?|")
        if repeats and is_many:
            return True
        alone = "x*" if is_many else "x"
        plain = plain[: group.start()] + alone + group[2] + plain[group.end() :]
    return False


def _is_secret(value: str) -> bool:
    return len(value.strip()) >= LEAST and value.strip().lower() not in PLAIN_WORDS


def _forms(value: str) -> Iterator[bytes]:
    """Yields how a value may be written: also line by line, in JSON, in an address, in base64."""
    import base64  # noqa: PLC0415 - only who hands something on needs these
    import json  # noqa: PLC0415
    from urllib.parse import quote  # noqa: PLC0415

    plain = value.encode(errors="surrogateescape")
    yield plain
    yield plain.strip()
    yield from (line for line in map(bytes.strip, plain.splitlines()) if len(line) >= LEAST_LINE)
    yield json.dumps(value)[1:-1].encode()
    yield json.dumps(value, ensure_ascii=False)[1:-1].encode(errors="surrogateescape")
    yield quote(plain, safe="").encode()
    yield base64.b64encode(plain).rstrip(b"=")


def _line_ends(value: bytes) -> Iterator[int]:
    return (index for index, sign in enumerate(value[:-1]) if sign == ord("\n"))


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern)


def _masked(match: re.Match[bytes]) -> bytes:
    if "kept" not in match.re.groupindex:
        return _MASK
    if match["kept"] is not None:
        return match["kept"] + _MASK
    return _MASK if _is_random(match[0]) else match[0]  # a name that is none of a user


def _without_named(data: bytes) -> bytes:
    """Masks random words after a word that says so."""
    low = data.lower()
    spans: list[tuple[int, int]] = []
    if any(word.encode() in low for word in _SAYS_SO):
        spans += _random_words(_NAMED, low, data)
    if b"bearer " in low or b"basic " in low:
        spans += _random_words(_AUTHORIZED, low, data)
        spans += (match.span(1) for match in _compiled(_HEADER).finditer(low))
    for start, end in sorted(set(spans), reverse=True):
        data = data[:start] + _MASK + data[end:]
    return data


def _random_words(pattern: bytes, low: bytes, data: bytes) -> Iterator[tuple[int, int]]:
    for match in _compiled(pattern).finditer(low):
        start, end = match.span(1)
        if _is_random(data[start:end]):
            yield start, end


def _is_random(word: bytes) -> bool:
    """Whether a word has no sense: its digits and letters, small and large, take turns."""
    kinds = word.translate(_KIND_OF, b"+/_=.~-")
    changes = sum(one != other for one, other in pairwise(kinds))
    return len(word) >= LEAST_LINE and b"0" in kinds and changes * 5 >= len(kinds)


def _kind_of(sign: str) -> str:
    if sign.isdigit():
        return "0"
    return "A" if sign.isupper() else "a"


_KIND_OF = "".join(_kind_of(chr(code)) for code in range(128)).encode() + b"a" * 128
