"""Words of the command lines that people are told to type."""

import os
import shlex


def quoted(word: str) -> str:
    """Quotes a word for the shell, as bash, zsh and POSIX.1-2024 read it.

    All of it can be printed, whatever bytes it stands for, so showing it changes nothing of it.
    """
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(map(_quoted, word)) + "'"


def typed_path(path: bytes) -> str:
    """A path as it is typed: one that begins like an option is told apart from it."""
    named = os.fsdecode(path)
    return quoted(f"./{named}" if named.startswith("-") else named)


def _quoted(char: str) -> str:
    if char in "'\\":
        return f"\\{char}"
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char))
