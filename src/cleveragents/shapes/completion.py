"""The script that makes a shell complete commands."""

from typing import TypedDict


class CompletionScript(TypedDict):
    """The text to write where the shell looks for completions."""

    shell: str
    script: str
