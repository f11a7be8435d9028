"""Writes what is known of every command: the reference, and the table that completion reads.

python scripts/commands_page.py            # writes both
python scripts/commands_page.py --check    # fails if one is out of date
"""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from page import settle
from typer.main import get_command

from cleveragents.cli.boundary import command_tree
from cleveragents.cli.candidates import TABLE
from cleveragents.cli.invocation import GLOBALS
from cleveragents.cli.main import GROUPS
from cleveragents.config.settings import SETTINGS
from cleveragents.tools.builtin import BUILT_IN

PAGE = Path("docs/reference/cli/commands.md")
HEAD = """\
# Commands

`agents` is also `cleveragents` and `python -m cleveragents`. A plan is its id, an unambiguous
prefix of it, or `@` (the latest plan of the project); a checkpoint is its number (`3` or `cp3`),
its id, a prefix, or `@` (the latest). Data goes to standard output; progress, notes and hints go to
standard error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | it was tried and did not work |
| 2 | the command line or the input is wrong |
| 3 | what was named does not exist |
| 4 | the present state does not allow it; busy is one such state |
| 130 | interrupted |

With `--format json` or `yaml` every command answers with one [envelope](envelope.schema.json),
errors included; the [kinds of errors](errors.md) have a page of their own. The `data` of each
command has [a schema](data.schema.json) that names all of its keys; it holds for whole envelopes.

Tab completes commands, options, plans, checkpoints and decisions, with names and labels:

```sh
agents completion bash > ~/.local/share/bash-completion/completions/agents
agents completion zsh > ~/.zfunc/_agents          # with fpath+=(~/.zfunc) before compinit
agents completion fish > ~/.config/fish/completions/agents.fish
```
"""
PLAIN_TYPES = ("str", "path", "int", "float", "list[str]")
ROOT: Any = get_command(command_tree(GROUPS, import_module))
Described = dict[str, Any]


def main() -> None:
    """Writes or checks both."""
    described = describe(ROOT)
    described["options"] = {
        name: option for parameter in ROOT.params for name, option in options(parameter)
    }
    described["values"] = {
        "KEY": {key: setting.help for key, setting in SETTINGS.items()},
        "KEY=VALUE": {f"{key}=": setting.help for key, setting in SETTINGS.items()},
        "TOOL": {name: tool.declaration.description for name, tool in BUILT_IN.items()},
    }
    table = json.dumps(shortened(described), indent=1, ensure_ascii=False) + "\n"
    page = HEAD + global_options(described["options"]) + "".join(sections(described, ()))
    settle("scripts/commands_page.py", {TABLE.relative_to(Path.cwd()): table, PAGE: page})


def describe(command: Any) -> Described:  # noqa: ANN401 - typer's classes are not public
    text, _, examples = (command.help or "").partition("Examples:\n")
    told = {"help": " ".join(text.split("\n\n")[0].split())}
    if hasattr(command, "commands"):
        return {**told, "commands": {k: describe(v) for k, v in command.commands.items()}}
    own = [one for one in command.params if one.name not in GLOBALS]
    return {
        **told,
        "more": [" ".join(part.split()) for part in text.split("\n\n")[1:] if part.strip()],
        "examples": [line.strip() for line in examples.splitlines()],
        "arguments": [kind(one) for one in own if one.param_type_name == "argument"],
        "required": sum(one.required for one in own if one.param_type_name == "argument"),
        "about": [one.help or "" for one in own if one.param_type_name == "argument"],
        "options": {name: option for one in own for name, option in options(one)},
    }


def shortened(node: Described) -> Described:
    """What completion needs of it."""
    kept = {key: node[key] for key in ("help", "arguments", "options", "values") if key in node}
    if "commands" in node:
        kept["commands"] = {name: shortened(inner) for name, inner in node["commands"].items()}
    return kept


def options(parameter: Any) -> Iterator[tuple[str, Described]]:  # noqa: ANN401 - as above
    """Yields every spelling of an option; an argument has none."""
    for name in [*parameter.opts, *parameter.secondary_opts]:
        if name.startswith("-"):
            yield name, {"help": parameter.help or "", "value": kind(parameter)}


def kind(parameter: Any) -> str | None:  # noqa: ANN401 - as above
    """What stands for the value; nothing if there is none."""
    if getattr(parameter, "is_flag", False):
        return None
    if parameter.metavar:
        return parameter.metavar
    shown = parameter.display_type(typer.Context(ROOT)).strip("<>")
    return "TEXT" if shown in PLAIN_TYPES else shown  # else it is a list of choices


def global_options(found: Mapping[str, Described]) -> str:
    rows = "".join(rows_of(found))
    return (
        "\n## On every command\n\nBefore, between or after the words of a command.\n\n"
        f"| option | meaning |\n|---|---|\n{rows}"
    )


def sections(node: Described, path: tuple[str, ...]) -> Iterator[str]:
    """Yields the part of each command, groups before what is in them."""
    name = " ".join(("agents", *path))
    if path:
        yield f"\n{'#' * (len(path) + 1)} {name}\n\n{node['help']}\n"
    for word, inner in node.get("commands", {}).items():
        yield from sections(inner, (*path, word))
    if "commands" in node:
        return
    yield "".join(f"\n{part}\n" for part in node["more"])
    yield f"\n```text\n{' '.join([name, *usage(node)])}\n```\n"
    yield "\n```sh\n" + "".join(f"{line}\n" for line in node["examples"]) + "```\n"
    rows = "".join([*argument_rows(node), *rows_of(node["options"])])
    if rows:
        yield f"\n| argument, option | meaning |\n|---|---|\n{rows}"


def usage(node: Described) -> Iterator[str]:
    if node["options"]:
        yield "[OPTIONS]"
    for place, argument in enumerate(node["arguments"]):
        yield argument if place < node["required"] else f"[{argument}]"


def argument_rows(node: Described) -> Iterator[str]:
    for argument, text in zip(node["arguments"], node["about"], strict=True):
        yield f"| `{escaped(argument)}` | {escaped(text)} |\n"


def rows_of(found: Mapping[str, Described]) -> Iterator[str]:
    """Yields a row per option; spellings of one share it."""
    told: dict[str, list[str]] = {}
    for name, option in found.items():
        value = f" {option['value']}" if option["value"] else ""
        told.setdefault(option["help"], []).append(f"`{escaped(name + value)}`")
    for text, names in told.items():
        yield f"| {', '.join(names)} | {escaped(text)} |\n"


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
