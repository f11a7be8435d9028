"""The coding agents that hooks can be given to: one literal table of what is known of each."""

import os
import shutil
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from cleveragents.errors import InvalidInput
from cleveragents.nearest import asking
from cleveragents.records import field, frozen


class HookLevel(StrEnum):
    """Whose settings hooks are in."""

    USER = "user"  # in the home directory: for every directory that is protected
    PROJECT = "project"  # in this checkout


class HookShape(StrEnum):
    """How a client wants its hooks written."""

    GROUPS = "groups"  # {"hooks": {EVENT: [{"hooks": [{"type", "command", "timeout"}]}]}}
    FLAT = "flat"  # {"version": 1, "hooks": {EVENT: [{"type", "bash", "timeoutSec"}]}}
    PLUGIN = "plugin"  # a program of its own


@frozen
class Client:
    """A coding agent."""

    name: str
    title: str
    home: str  # its directory in the home directory
    user_file: str  # in that directory
    project_file: str
    events: tuple[str, ...]  # those that hooks are put on
    shape: HookShape = HookShape.GROUPS
    units: int = 1  # of a second, in which it counts a time limit
    # Events that it gives less time than is asked for, in seconds, and complains otherwise.
    brief: Mapping[str, int] = field(default_factory=dict[str, int])
    variable: str = ""  # that names another directory than that in the home directory
    below: str = ""  # where in that
    is_committed: bool = True  # whether the project's file is usually shared with others
    has_names: bool = False  # for its hooks, which it shows
    reads_comments: bool = False  # in its settings
    confirm: str = ""  # by the user, before its hooks run
    confirm_in_project: str = ""  # likewise, for hooks in the project's file

    @property
    def program(self) -> str:
        """The program that people type."""
        return self.name

    def directory(self, home: Path, caller: Mapping[str, str]) -> Path:
        """Where the client keeps what is the user's."""
        named = caller.get(self.variable, "").strip() if self.variable else ""
        return home / named / self.below if named else home / self.home

    def file(self, level: HookLevel, home: Path, caller: Mapping[str, str], root: Path) -> Path:
        """The file that hooks are put into."""
        if level == HookLevel.USER:
            return self.directory(home, caller) / self.user_file
        return root / self.project_file

    def checkout_of(self, file: Path) -> Path:
        """The checkout that a file of it is the project's in."""
        return file.parents[len(Path(self.project_file).parts) - 1]

    def is_in_use(self, home: Path, caller: Mapping[str, str], root: Path) -> bool:
        """Whether its program can be called, or it has a directory in the home or the project."""
        there = (self.directory(home, caller), (root / self.project_file).parent)
        return self.found(caller) is not None or any(path.is_dir() for path in there)

    def found(self, caller: Mapping[str, str]) -> str | None:
        """Where its program lies."""
        return shutil.which(self.program, path=caller.get("PATH", os.defpath))

    def needs(self, level: HookLevel) -> str:
        """What the user must confirm in the client before hooks of a level run; empty: nothing."""
        return self.confirm or (self.confirm_in_project if level == HookLevel.PROJECT else "")


_LIKE_CLAUDE = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "SessionEnd",
)
CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Code",
            ".claude",
            "settings.json",
            ".claude/settings.local.json",
            (*_LIKE_CLAUDE, "PostToolUseFailure", "PostToolBatch"),
            variable="CLAUDE_CONFIG_DIR",
            is_committed=False,
            confirm_in_project="trust this folder when Claude Code asks for it at its start",
        ),
        Client(
            "codex",
            "Codex",
            ".codex",
            "hooks.json",
            ".codex/hooks.json",
            (*_LIKE_CLAUDE, "Interrupt"),
            brief={"SessionEnd": 3, "Interrupt": 3},
            variable="CODEX_HOME",
            confirm="start codex, type /hooks and trust the hooks of agents;"
            " until then Codex skips them without a word",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            ".gemini",
            "settings.json",
            ".gemini/settings.json",
            ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"),
            units=1000,
            has_names=True,
            reads_comments=True,
            confirm_in_project="trust this folder when Gemini CLI asks for it at its start",
        ),
        Client(
            "qwen",
            "Qwen Code",
            ".qwen",
            "settings.json",
            ".qwen/settings.json",
            (*_LIKE_CLAUDE, "PostToolUseFailure"),
            units=1000,
            has_names=True,
            reads_comments=True,
            confirm_in_project="trust this folder when Qwen Code asks for it at its start",
        ),
        Client(
            "copilot",
            "Copilot CLI",
            ".copilot",
            "hooks/cleveragents.json",
            ".github/hooks/cleveragents.json",
            (
                "sessionStart",
                "userPromptSubmitted",
                "preToolUse",
                "postToolUse",
                "agentStop",
                "subagentStart",
                "subagentStop",
                "sessionEnd",
            ),
            HookShape.FLAT,
            confirm_in_project="trust this folder when Copilot CLI asks for it at its start",
        ),
        Client(
            "opencode",
            "OpenCode",
            ".config/opencode",
            "plugins/cleveragents.js",
            ".opencode/plugins/cleveragents.js",
            (
                "session.created",
                "chat.message",
                "tool.execute.before",
                "tool.execute.after",
                "session.idle",
                "session.error",
                "session.deleted",
            ),
            HookShape.PLUGIN,
            variable="XDG_CONFIG_HOME",
            below="opencode",
        ),
    )
}


def known_client(name: str) -> Client:
    """Finds a client by its name; refuses an unknown one with the nearest."""
    if name not in CLIENTS:
        raise InvalidInput(
            f"unknown client {name!r}{asking(name, CLIENTS)}",
            hints=[f"those that hooks can be given to: {', '.join(CLIENTS)}"],
        )
    return CLIENTS[name]
