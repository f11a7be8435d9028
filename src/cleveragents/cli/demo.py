"""`agents demo`: the whole story on a throw-away repository, by the very commands it prints."""

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Format, Result, Text
from cleveragents.config.environment import caller_environment
from cleveragents.errors import Failed
from cleveragents.sandbox.git import start_repository
from cleveragents.shapes.demo import Demonstration

FILES = {
    "README.md": "# A small shop\n",
    "shop.py": 'def total(prices):\n    return sum(prices)\n\n\nprint("total:", total([3, 4]))\n',
    "docs/plan.md": "Add taxes next.\n",
}
ACTION = """\
name: add-taxes
description: Add taxes to the shop
steps:
  - name: write the tax table
    tool: write_file
    with: {path: taxes.py, content: "RATE = 0.19\\n"}
  - name: use it
    tool: edit_file
    with:
      path: shop.py
      old: return sum(prices)
      new: return round(sum(prices) * 1.19, 2)
  - name: try it
    tool: shell
    with: {command: cat shop.py taxes.py | wc -l}
  - name: tidy up
    tool: shell
    with: {command: rm -rf docs shop.py; echo '# oops' > README.md; echo 'went wrong'; exit 1}
"""
NEXT = (
    "Next, in a repository or folder of yours:",
    "  agents init                 write a first action file",
    "  agents run action.yaml      make a plan of it and run it",
    "  agents status               where it stands",
    "  agents rollback             pick a checkpoint and go back to it",
    "  agents undo                 take back what was done last",
)


def demo(call: Invocation, chat: bool = False) -> Result:
    """Show how a plan runs, fails and is taken back, or what an agent did in your own files."""
    with tempfile.TemporaryDirectory(prefix="cleveragents-demo-") as home:
        next_steps = _told_of(Story(Path(home), call.form), chat=chat)
    data: Demonstration = {"next": next_steps}
    return Result(data, [Text(["", *next_steps])])


def _told_of(story: "Story", *, chat: bool) -> Sequence[str]:
    """Tells one of the stories; returns what to type next."""
    if not chat:
        _tell(story)
        return NEXT
    from cleveragents.cli import demo_chat  # which needs what stands here

    demo_chat.tell(story)
    return demo_chat.NEXT


class Story:
    """Runs commands in a throw-away project and says what they show."""

    def __init__(self, home: Path, form: Format) -> None:
        # A program reads one envelope on standard output, and the story beside it.
        self._stream = sys.stderr if form in (Format.JSON, Format.YAML) else sys.stdout
        self.project = home / "shop"
        self.home = home
        self._environment: Mapping[str, str] = {
            **caller_environment(),
            "HOME": str(home),  # where agents keep their settings
            "CLEVERAGENTS_DATA_DIR": str(home / "data"),
            "PAGER": "",  # the story goes on by itself
        }

    def make_project(self) -> None:
        """Makes the repository that the story is about."""
        for name, content in FILES.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        start_repository(self.project, "A small shop")

    def agents(self, *arguments: str, expected: int = 0) -> None:
        """Runs a command and shows it; it must end as expected."""
        self.say(f"$ agents {shlex.join(arguments)}")
        self.run("agents", [sys.executable, "-P", "-m", "cleveragents", *arguments], expected)

    def run(self, name: str, command: Sequence[str], expected: int = 0, told: bytes = b"") -> None:
        """Runs a program in the project, with something to read."""
        done = subprocess.run(
            command,
            cwd=self.project,
            input=told,
            stdout=self._stream,
            env=dict(self._environment),
            check=False,
        )
        what = f"{name} {shlex.join(command[4:])} ended with {done.returncode}"
        require(done.returncode == expected, what)

    def say(self, *lines: str) -> None:
        """Tells what comes next."""
        self._stream.write("\n" + "\n".join(lines) + "\n")
        self._stream.flush()


def require(held: bool, otherwise: str) -> None:
    """Ends a story that does not go as it is told."""
    if not held:
        raise Failed(otherwise)


def _tell(story: Story) -> None:
    story.make_project()
    (story.home / "add-taxes.yaml").write_text(ACTION)
    story.say(
        f"A small project in {story.project}, and an action of four steps.",
        "The last one deletes files with rm and then fails.",
    )
    story.agents("run", "../add-taxes.yaml", expected=1)
    story.say("The failed step is undone by itself. Every state is still there:")
    story.agents("plan", "checkpoint", "list", "@")
    story.say("Back by hand, to before the shop was edited:")
    story.agents("plan", "rollback", "@", "2", "--yes")
    story.say("That rollback can be taken back as well:")
    story.agents("plan", "rollback", "@", "6", "--yes")
    story.agents("plan", "diff", "@")
    now = {name: (story.project / name).read_text() for name in FILES}
    require(now == FILES, "the demo changed the project itself")
    story.say("Your own files never changed: all of it happened in the sandbox.")
