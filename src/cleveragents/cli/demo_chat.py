"""`agents demo --chat`: an agent works in the user's own files, and is taken back there.

The agent is a script that tells its hooks what Claude Code would tell them.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from cleveragents.cli.demo import FILES, Story, require

NEXT = (
    "Next, in a repository or folder of yours:",
    "  agents protect              hooks for Claude Code, Codex and others, once",
    "  claude                      work as always",
    "  agents undo                 take back what the last prompt changed",
    "  agents timeline             every prompt and call, with what each changed",
)
SESSION = "demo"
FIRST = ("clean up the shop", "rm -rf docs && echo '# oops' > README.md && mkdir build")
SECOND = ("add taxes", "sed -i 's/sum(prices)/sum(prices) * 1.19/' shop.py")
MINE = "the shop is mine\n"


def tell(story: Story) -> None:
    """Tells the story: two prompts, an edit of the user's own, an undo of each, a redo."""
    story.make_project()
    (story.home / ".claude").mkdir()
    story.say(f"A small project in {story.project}. Protect it, once:")
    story.agents("protect", "claude", "--yes")
    agent = _Agent(story)
    agent.does(1, *FIRST)
    agent.does(2, *SECOND)
    story.say("Meanwhile you write a file yourself, notes.txt. What happened so far:")
    (story.project / "notes.txt").write_text(MINE)
    story.agents("timeline")
    story.say("Take back what the last prompt changed, then the one before it:")
    story.agents("undo", "--yes")
    story.agents("undo", "--yes")
    now = {name: _text(story.project / name) for name in FILES}
    require(now == FILES, "the agent's changes were not all taken back")
    require(not (story.project / "build").exists(), "the agent's directory is still there")
    require(_text(story.project / "notes.txt") == MINE, "the user's file is gone")
    story.say(
        "Everything that the agent did is gone, what rm deleted is back, and notes.txt is yours.",
        "Each undo can be taken back:",
    )
    story.agents("redo", "--yes")


class _Agent:
    """A coding agent that does what a script says, and tells its hooks of it."""

    def __init__(self, story: Story) -> None:
        self._story = story

    def does(self, turn: int, prompt: str, command: str) -> None:
        """Answers a prompt with one shell command."""
        self._story.say(f"> {prompt}", f"  (the agent runs: {command})")
        call = {
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"call-{turn}",
        }
        self._tell("UserPromptSubmit", turn, {"prompt": prompt})
        self._tell("PreToolUse", turn, call)
        subprocess.run(["/bin/sh", "-ec", command], cwd=self._story.project, check=True)
        self._tell("PostToolUse", turn, call)
        self._tell("Stop", turn, {})

    def _tell(self, event: str, turn: int, more: Mapping[str, object]) -> None:
        payload = {
            "session_id": SESSION,
            "prompt_id": f"prompt-{turn}",
            "cwd": str(self._story.project),
            "hook_event_name": event,
            **more,
        }
        command = [sys.executable, "-P", "-m", "cleveragents", "hook", f"claude:{event}"]
        self._story.run("agents", command, told=json.dumps(payload).encode())


def _text(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None
