"""Writes docs/reference/configuration.md from the settings as they are declared.

python scripts/settings_page.py            # writes it
python scripts/settings_page.py --check    # fails if it is out of date
"""

from pathlib import Path

from page import settle

from cleveragents.config.levels import PROJECT_FILE
from cleveragents.config.settings import SETTINGS, Setting, written

PAGE = Path("docs/reference/configuration.md")
HEAD = f"""\
# Settings

Precedence: flag (`--set KEY=VALUE`, on any command, as often as needed), environment, the project's
`{PROJECT_FILE}`, your own file, default. Files are TOML:

```toml
[sandbox]
copy-ignored = [".env"]

[sandbox.checkpoint]
exclude = ["node_modules"]
```

A list is separated by commas in a flag, a variable and `config set`, or written as in a file:
`["a", "b"]`; in a file it must be a list. An unknown key, variable or value is refused, with the
nearest right one, whatever level it is on. A project's file may not set what reaches outside the
project, nor any `core.*`.

```
agents config list                        every value, and which level it comes from
agents config get KEY [--verbose]         one value; what every level says, and which one wins
agents config set KEY VALUE               in your own file; --project-level: in the project's
agents config unset KEY                   takes it out of the same file again
```

`set` replaces a list as a whole: name all that is to be in it. It prints the command that brings
the earlier value back. `set` and `unset` change nothing else in the file: comments and order stay.
An unknown key that stops every command can be taken out with `unset`.

Accepted with a warning: the keys `core.checkpoints.auto_create_on` and
`core.checkpoints.auto-create-on` (not in a project's file), the triggers `on_tool_write` (now
`before_tool_execute`) and `on_tool_write_complete` (now `after_tool_execute`). Without a warning:
`max_checkpoints_per_plan`, and `CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON` for the triggers.

## Where things are

- Your own settings: `--config-path FILE`, else `CLEVERAGENTS_CONFIG_PATH`, else
  `~/.config/cleveragents/config.toml`.
- The data directory, with plans, checkpoints, sandboxes and output of steps: `--data-dir DIR`, else
  `CLEVERAGENTS_DATA_DIR`, else `~/.local/share/cleveragents`.
- If `XDG_CONFIG_HOME` or `XDG_DATA_HOME` is set, it stands for `~/.config` or `~/.local/share`.
- In the project: `{PROJECT_FILE}`, and only once you set something there.

[On the disk](checkpointing.md#on-the-disk) tells what is in the data directory.

## All settings

| key | default | variable | meaning |
|---|---|---|---|
"""


def main() -> None:
    """Writes or checks the page."""
    page = HEAD + "".join(row(setting) for setting in SETTINGS.values())
    settle("scripts/settings_page.py", {PAGE: page})


def row(setting: Setting) -> str:
    value = setting.default
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else written(value)
    note = "" if setting.project_may_set else "; not from a project's file"
    if setting.project_values:
        note = f"; a project's file may only set {', '.join(setting.project_values)}"
    elif setting.strictness is not None:
        note = "; a project's file may only lower it"
    default = f"`{shown}`" if shown else "(empty)"
    return f"| `{setting.key}` | {default} | `{setting.variable}` | {setting.help}{note} |\n"


if __name__ == "__main__":
    main()
