"""`agents init`: a first action file for a project."""

from pathlib import Path

from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Result
from cleveragents.config.environment import caller_environment, home
from cleveragents.errors import InvalidInput, Refused
from cleveragents.plans.first_action import first_action, test_command
from cleveragents.quoting import quoted
from cleveragents.sandbox.project import locate
from cleveragents.shapes.first_action import FirstAction

FILE = Path("action.yaml")


def init(call: Invocation, to: Path = FILE) -> Result:
    """Write a first action file that fits the project."""
    project = locate(call.project, Path(), home(caller_environment())).path
    _write(to, first_action(project, to))
    tested = test_command(project)
    steps = [
        f"agents run {quoted(str(to))}    # runs it in a sandbox",
        "agents plan diff @    # shows what it has changed there",
    ]
    data: FirstAction = {"path": str(to.absolute()), "test_command": tested, "next": steps}
    told = (
        f"it runs the tests: {tested}" if tested else "no test command was found: name yours in it"
    )
    return Result(data, footer=f"{to} written; {told}", next_steps=steps)


def _write(path: Path, text: str) -> None:
    """Writes a new file, never over one that is there."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise Refused(
            f"{path} is there already, and stays as it is",
            hints=["write another one: agents init --to FILE"],
        ) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InvalidInput(f"no such directory: {path.parent}") from error
