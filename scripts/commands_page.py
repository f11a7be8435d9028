"""Writes what is made from the table of commands: the reference, and the values that Tab offers.

python scripts/commands_page.py            # writes both
python scripts/commands_page.py --check    # fails if one is out of date
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from page import settle

from cleveragents.cli.help import usage
from cleveragents.cli.table.entries import Command, Node, Option
from cleveragents.cli.table.root import ROOT
from cleveragents.cli.table.words import EVERYWHERE
from cleveragents.config.settings import SETTINGS
from cleveragents.tools.builtin import BUILT_IN

VALUES = Path("src/cleveragents/cli/table/values.py")
VALUES_HEAD = '''\
"""Words that Tab offers for the name of a setting or of a tool; made by scripts/commands_page.py.

To import settings and tools for it would take longer than anybody waits for Tab.
"""
'''
WIDEST = 101  # letters of a line, with its end
PAGE = Path("docs/reference/cli/commands.md")
HEAD = """\
# Commands

`agents` is also `cleveragents` and `python -m cleveragents`.

- Give a plan by its name, its id or the beginning of it, or as `@` (the latest plan of the
  project), `@-` (the one before) or `@-2`.
- Give a checkpoint by its number (`3` or `cp3`), its label, its id or the beginning of it, or as
  `@` (the latest).
- Data goes to standard output; progress, notes, hints and errors go to standard error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | it was tried and did not work |
| 2 | the command line or the input is wrong |
| 3 | nothing of that name exists |
| 4 | the present state does not allow it; busy is one such state |
| 130 | interrupted |

`--format rich` is the default; `color` has no lines and boxes, `plain` no colour either, and
`table` draws tables in ASCII. Colour is for terminals: `NO_COLOR=1` turns it off there,
`FORCE_COLOR=1` turns it on elsewhere.

With `--format json` or `yaml` every command answers with one [envelope](envelope.schema.json) on
standard output, errors included; the [kinds of errors](errors.md) have a page of their own. The
`data` of each command has [a schema](data.schema.json) that names all of its keys; it holds for
whole envelopes.

Tab completes commands, options, plans, checkpoints and decisions, with names and labels. The
directory that you write to has to be there; `mkdir -p` makes it:

```sh
agents completion bash > ~/.local/share/bash-completion/completions/agents
agents completion zsh > ~/.zfunc/_agents          # with fpath+=(~/.zfunc) before compinit
agents completion fish > ~/.config/fish/completions/agents.fish
```
"""


def main() -> None:
    """Writes or checks both."""
    keys = {key: setting.help for key, setting in SETTINGS.items()}
    tools = {name: tool.declaration.description for name, tool in BUILT_IN.items()}
    values = VALUES_HEAD + literal("KEYS", keys) + literal("TOOLS", tools)
    page = HEAD + everywhere() + "".join(sections(ROOT, ()))
    settle("scripts/commands_page.py", {VALUES: values, PAGE: page})


def literal(name: str, values: Mapping[str, str]) -> str:
    """A table of texts as it stands in a module, long texts on a line of their own."""
    rows = "".join(row_of(quoted(key), quoted(text)) for key, text in values.items())
    return f"\n{name} = {{\n{rows}}}\n"


def row_of(key: str, text: str) -> str:
    whole = f"    {key}: {text},\n"
    return whole if len(whole) <= WIDEST else f"    {key}: (\n        {text}\n    ),\n"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def everywhere() -> str:
    rows = "".join(option_row(option) for option in (*EVERYWHERE, *ROOT.options))
    return (
        "\n## On every command\n\nBefore, between or after the words of a command; `--version` only"
        " before them.\n\n"
        f"| option | meaning |\n|---|---|\n{rows}"
    )


def sections(node: Node, path: tuple[str, ...]) -> Iterator[str]:
    """Yields the part of each command, groups before what is in them."""
    if path:
        yield f"\n{'#' * (len(path) + 1)} {' '.join(('agents', *path))}\n\n{node.help}\n"
    if isinstance(node, Command):
        yield from command_part(node, path)
        return
    for inner in node.commands:
        yield from sections(inner, (*path, inner.name))


def command_part(command: Command, path: tuple[str, ...]) -> Iterator[str]:
    yield f"\n{command.more}\n" if command.more else ""
    yield f"\n```text\n{usage(path, command)}\n```\n"
    yield "\n```sh\n" + "".join(f"{line}\n" for line in command.examples) + "```\n"
    rows = [row(argument.shown, argument.help) for argument in command.arguments]
    rows += map(option_row, command.options)
    if rows:
        yield f"\n| argument, option | meaning |\n|---|---|\n{''.join(rows)}"


def option_row(option: Option) -> str:
    names = [option.with_value(name) for name in option.names]
    return row("`, `".join(names), option.help)


def row(names: str, text: str) -> str:
    return f"| `{escaped(names)}` | {escaped(text)} |\n"


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
