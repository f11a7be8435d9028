"""Every setting, declared once: key, type, default, help; and where its value came from.

Precedence: flag, environment, project file, user file, default. A project's file is written by
whoever writes the project: it may not set what reaches outside it.
"""

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import platformdirs

from cleveragents.checkpoints.retention import DEFAULT_LIMIT
from cleveragents.checkpoints.triggers import Trigger
from cleveragents.errors import InvalidInput
from cleveragents.snapshots.tracker import Tracking

LEAST = 2  # the first and the newest checkpoint always stay
OLD_TRIGGERS = {
    "on_tool_write": Trigger.BEFORE_TOOL_EXECUTE.value,
    "on_tool_write_complete": Trigger.AFTER_TOOL_EXECUTE.value,
}
PROJECT_FILE = Path(".cleveragents") / "config.toml"


@dataclass(frozen=True)
class Setting:
    """One key."""

    key: str
    default: object
    help: str
    read: Callable[[object], object]  # checks and converts; raises ValueError with the reason
    project_may_set: bool = True
    old_keys: tuple[str, ...] = ()  # accepted with a warning
    short_variable: str | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that set it; the last one given wins."""
        return (
            (self.variable,)
            if self.short_variable is None
            else (self.short_variable, self.variable)
        )

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "CLEVERAGENTS_" + self.key.upper().replace(".", "_").replace("-", "_")


@dataclass(frozen=True)
class Value:
    """A setting's value and which level it came from."""

    value: object
    source: str


def _texts(given: object) -> tuple[str, ...]:
    if isinstance(given, str):  # from a variable: comma separated
        return tuple(part.strip() for part in given.split(",") if part.strip())
    parts = cast("Sequence[object]", given) if isinstance(given, list | tuple) else [None]
    if not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a list of texts")
    return tuple(map(str, parts))


def _one_of(*allowed: str) -> Callable[[object], str]:
    def read(given: object) -> str:
        if given not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}{_nearest(str(given), allowed)}")
        return str(given)

    return read


def _triggers(given: object) -> tuple[str, ...]:
    names = [trigger.value for trigger in Trigger]
    return tuple(_one_of(*names)(OLD_TRIGGERS.get(name, name)) for name in _texts(given))


def _limit(given: object) -> int:
    text = str(given)
    if isinstance(given, bool) or not text.isdecimal() or int(text) < LEAST:
        raise ValueError(f"must be a whole number of at least {LEAST}")
    return int(text)


SETTINGS: Mapping[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting(
            "sandbox.strategy",
            "auto",
            "how a sandbox is made: auto, git_worktree, filesystem_copy (alias copy_on_write)",
            _one_of("auto", "git_worktree", "filesystem_copy", "copy_on_write"),
        ),
        Setting(
            "sandbox.base",
            "worktree",
            "what a sandbox of a repository starts from: worktree (what you see now) or head",
            _one_of("worktree", "head"),
        ),
        Setting(
            "sandbox.copy-ignored", (), "globs of ignored files to take along, as .env", _texts
        ),
        Setting(
            "sandbox.pass-env",
            (),
            "variables of the caller that every step sees",
            _texts,
            project_may_set=False,
        ),
        Setting(
            "sandbox.checkpoint.exclude",
            (),
            "globs of files that checkpoints neither save nor restore",
            _texts,
        ),
        Setting(
            "sandbox.checkpoint.tracking",
            "auto",
            "how changes are found: auto (watch where the system can), watch, scan",
            _one_of(*Tracking),
        ),
        Setting(
            "sandbox.checkpoint.auto-create-on",
            tuple(trigger.value for trigger in Trigger),
            "milestones at which checkpoints are made by themselves",
            _triggers,
            old_keys=("core.checkpoints.auto_create_on", "core.checkpoints.auto-create-on"),
            short_variable="CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON",
        ),
        Setting(
            "sandbox.checkpoint.max-checkpoints-per-plan",
            DEFAULT_LIMIT,
            "how many checkpoints a plan keeps",
            _limit,
            old_keys=("sandbox.checkpoint.max_checkpoints_per_plan",),
        ),
    )
}


class Settings:
    """The value of every setting, where it came from, and which old spellings were used."""

    def __init__(self, values: Mapping[str, Value], warnings: Sequence[str]) -> None:
        self._values = values
        self.warnings = tuple(dict.fromkeys(warnings))

    def value(self, key: str) -> Value:
        """Returns a setting's value and where it came from."""
        return self._values[key]

    def written(self, key: str) -> str:
        """Returns a setting's value as it is written in a variable."""
        value = self._values[key].value
        return str(value) if isinstance(value, str | int) else ",".join(_texts(value))

    def text(self, key: str) -> str:
        """Returns a setting that is one text."""
        return str(self._values[key].value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Returns a setting that is a list."""
        return _texts(self._values[key].value)

    def number(self, key: str) -> int:
        """Returns a setting that is a whole number."""
        return int(str(self._values[key].value))


def load(environment: Mapping[str, str], project: Path, user_file: Path) -> Settings:
    """Reads all levels; an unknown key or a wrong value is refused with the nearest right one."""
    values = {key: Value(setting.default, "default") for key, setting in SETTINGS.items()}
    warnings: list[str] = []
    for path, level in ((user_file, "user"), (project / PROJECT_FILE, "project")):
        for key, given in _read_file(path).items():
            setting = _known(key, path)
            if level == "project" and (key.startswith("core.") or not setting.project_may_set):
                raise InvalidInput(
                    f"{path}: a project may not set {key}", hints=["set it in your own config"]
                )
            if key != setting.key:
                warnings.append(f"{path}: {key} is an old spelling of {setting.key}")
            warnings += _old_triggers(setting, given, str(path))
            values[setting.key] = Value(_checked(setting, given, str(path)), level)
    for setting in SETTINGS.values():
        for variable in setting.variables:
            if variable in environment:
                given = environment[variable]
                warnings += _old_triggers(setting, given, variable)
                values[setting.key] = Value(_checked(setting, given, variable), "environment")
    return Settings(values, warnings)


def _old_triggers(setting: Setting, given: object, where: str) -> list[str]:
    if setting.read is not _triggers:
        return []
    listed = cast("Sequence[object]", given) if isinstance(given, list) else ()
    names = given.split(",") if isinstance(given, str) else listed
    used = [name for name in map(str, names) if name.strip() in OLD_TRIGGERS]
    return [f"{where}: {name} is an old spelling of {OLD_TRIGGERS[name.strip()]}" for name in used]


def home(environment: Mapping[str, str]) -> Path:
    """The caller's home directory."""
    return Path(environment.get("HOME") or "~").expanduser()


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """Where everything is kept unless a flag says otherwise."""
    given = environment.get("CLEVERAGENTS_DATA_DIR")
    return Path(given or platformdirs.user_data_dir("cleveragents"))


def default_user_file(environment: Mapping[str, str]) -> Path:
    """The user's own configuration file."""
    given = environment.get("CLEVERAGENTS_CONFIG_PATH")
    return Path(given or Path(platformdirs.user_config_dir("cleveragents")) / "config.toml")


def _read_file(path: Path) -> dict[str, object]:
    if path.is_fifo():
        raise InvalidInput(f"{path} is a named pipe, not a file")  # to read it could take for ever
    try:
        return _flat(tomllib.loads(path.read_text()))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def _flat(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            found.update(_flat(cast("Mapping[str, object]", value), f"{key}."))
        else:
            found[key] = value
    return found


def _known(key: str, path: Path) -> Setting:
    for setting in SETTINGS.values():
        if key in (setting.key, *setting.old_keys):
            return setting
    raise InvalidInput(f"{path}: unknown setting {key!r}{_nearest(key, tuple(SETTINGS))}")


def _checked(setting: Setting, given: object, where: str) -> object:
    try:
        return setting.read(given)
    except ValueError as error:
        raise InvalidInput(f"{where}: {setting.key} {error}") from error


def _nearest(given: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(given, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def caller_environment() -> Mapping[str, str]:
    """The one place where the environment of the process is read."""
    return dict(os.environ)
