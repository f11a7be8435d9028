"""`agents demo`: the whole story on a throw-away repository, by the very commands it prints."""

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
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


def demo(call: Invocation) -> Result:
    """Show how a plan runs, fails and is taken back."""
    with tempfile.TemporaryDirectory(prefix="cleveragents-demo-") as home:
        _Story(Path(home), call.form).tell()
    data: Demonstration = {"next": NEXT}
    return Result(data, [Text(["", *NEXT])])


class _Story:
    """Runs commands in the throw-away project and says what they show."""

    def __init__(self, home: Path, form: Format) -> None:
        # A program reads one envelope on standard output, and the story beside it.
        self._stream = sys.stderr if form in (Format.JSON, Format.YAML) else sys.stdout
        self._project = home / "shop"
        self._action = home / "add-taxes.yaml"
        self._environment: Mapping[str, str] = {
            **caller_environment(),
            "CLEVERAGENTS_DATA_DIR": str(home / "data"),
            "PAGER": "",  # the story goes on by itself
        }

    def tell(self) -> None:
        self._make_project()
        self._say(
            f"A small project in {self._project}, and an action of four steps.",
            "The last one deletes files with rm and then fails.",
        )
        self._agents("run", "../add-taxes.yaml", expected=1)
        self._say("The failed step is undone by itself. Every state is still there:")
        self._agents("plan", "checkpoint", "list", "@")
        self._say("Back by hand, to before the shop was edited:")
        self._agents("plan", "rollback", "@", "2", "--yes")
        self._say("That rollback can be taken back as well:")
        self._agents("plan", "rollback", "@", "6", "--yes")
        self._agents("plan", "diff", "@")
        self._prove_untouched()

    def _make_project(self) -> None:
        for name, content in FILES.items():
            path = self._project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self._action.write_text(ACTION)
        start_repository(self._project, "A small shop")

    def _agents(self, *arguments: str, expected: int = 0) -> None:
        self._say(f"$ agents {shlex.join(arguments)}")
        done = subprocess.run(
            [sys.executable, "-P", "-m", "cleveragents", *arguments],
            cwd=self._project,
            stdout=self._stream,
            env=dict(self._environment),
            check=False,
        )
        what = f"agents {shlex.join(arguments)} ended with {done.returncode}"
        _require(done.returncode == expected, what)

    def _prove_untouched(self) -> None:
        now = {name: (self._project / name).read_text() for name in FILES}
        _require(now == FILES, "the demo changed the project itself")
        self._say("Your own files never changed: all of it happened in the sandbox.")

    def _say(self, *lines: str) -> None:
        self._stream.write("\n" + "\n".join(lines) + "\n")
        self._stream.flush()


def _require(held: bool, otherwise: str) -> None:
    if not held:
        raise Failed(otherwise)
