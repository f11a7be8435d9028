"""Writes docs/reference/configuration.md from the settings as they are declared.

python scripts/settings_page.py            # writes it
python scripts/settings_page.py --check    # fails if it is out of date
"""

import sys
from pathlib import Path

from cleveragents.config import PROJECT_FILE, SETTINGS, Setting

PAGE = Path("docs/reference/configuration.md")
HEAD = f"""\
# Settings

Precedence: environment, then the project's `{PROJECT_FILE}`, then your own `config.toml` (in the
user's configuration directory, or `--config-path`), then the default. Files are TOML:

```toml
[sandbox]
copy-ignored = [".env"]

[sandbox.checkpoint]
exclude = ["node_modules"]
```

In a variable, a list is separated by commas. An unknown key or a wrong value is refused, with the
nearest right one. `agents config list` shows every value and where it comes from. The data
directory is `--data-dir`, else `CLEVERAGENTS_DATA_DIR`, else the user's data directory.

| key | default | variable | meaning |
|---|---|---|---|
"""


def main() -> None:
    """Writes or checks the page."""
    page = HEAD + "".join(row(setting) for setting in SETTINGS.values())
    if "--check" not in sys.argv:
        PAGE.write_text(page, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page:
        sys.exit(f"{PAGE} is out of date; run: python scripts/settings_page.py")


def row(setting: Setting) -> str:
    value = setting.default
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    note = "" if setting.project_may_set else "; not from a project's file"
    default = f"`{shown}`" if shown else "(empty)"
    return f"| `{setting.key}` | {default} | `{setting.variable}` | {setting.help}{note} |\n"


if __name__ == "__main__":
    main()
