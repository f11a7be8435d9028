#!/usr/bin/env python3
"""An agent loop with a way back: try an idea, check it, and take it back if the check fails.

Works in throw-away folders; needs `cleveragents` installed for this Python.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from cleveragents import App, ApplyOptions, CallFailed, Session

CHECK = "python3 -B -c 'from shapes import area; assert area(2, 3) == 6, area(2, 3)'"
IDEAS = {  # what a model would come up with, one after the other
    "add them": "def area(width, height):\n    return width + height\n",
    "square one": "def area(width, height):\n    return width * width\n",
    "multiply them": "def area(width, height):\n    return width * height\n",
}


def main() -> None:
    """Mends a function in a project and applies what passed the check."""
    with TemporaryDirectory() as play:
        project = Path(play) / "project"
        project.mkdir()
        (project / "shapes.py").write_text("def area(width, height):\n    return width\n")
        app = App(project, data_dir=Path(play) / "data")
        with app.session(task="mend area()") as run:
            try_ideas(run)
            for file in run.diff():
                print(*file.patch, sep="\n")
        app.apply.run(run.plan_id, ApplyOptions())
        print("--- in the project now")
        print((project / "shapes.py").read_text(), end="")


def try_ideas(run: Session) -> None:
    """Goes on until an idea passes; whatever did not is taken back."""
    start = run.checkpoint("before the first idea")
    for idea, source in IDEAS.items():
        run.tool("write_file", path="shapes.py", content=source)
        try:
            run.tool("shell", command=CHECK)
        except CallFailed as failed:
            print(f"{idea}: {failed.detail[-1]}")
            taken = run.rollback(start)
            print(f"  back at {taken.target.name}: {[change.file for change in taken.changes]}")
        else:
            print(f"{idea}: passed")
            return


if __name__ == "__main__":
    main()
