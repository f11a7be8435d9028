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

LEAST = 2  # the first and the newest checkpoint always stay
PROJECT_FILE = Path(".cleveragents") / "config.toml"


@dataclass(frozen=True)
class Setting:
    """One key."""

    key: str
    default: object
    help: str
    read: Callable[[object], object]  # checks and converts; raises ValueError with the reason
    project_may_set: bool = True

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
    if not isinstance(given, list | tuple):
        raise ValueError("must be a list of texts")  # noqa: TRY004 - a value, as those of others
    return tuple(str(part) for part in cast("Sequence[object]", given))


def _one_of(*allowed: str) -> Callable[[object], str]:
    def read(given: object) -> str:
        if given not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}{_nearest(str(given), allowed)}")
        return str(given)

    return read


def _triggers(given: object) -> tuple[str, ...]:
    names = [trigger.value for trigger in Trigger]
    return tuple(_one_of(*names)(name) for name in _texts(given))


def _limit(given: object) -> int:
    number = int(str(given))
    if isinstance(given, bool) or number < LEAST:
        raise ValueError(f"must be a whole number of at least {LEAST}")
    return number


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
            "sandbox.checkpoint.auto-create-on",
            tuple(trigger.value for trigger in Trigger),
            "milestones at which checkpoints are made by themselves",
            _triggers,
        ),
        Setting(
            "sandbox.checkpoint.max-checkpoints-per-plan",
            DEFAULT_LIMIT,
            "how many checkpoints a plan keeps",
            _limit,
        ),
    )
}


class Settings:
    """The value of every setting, and where it came from."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

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
    project_file = project / PROJECT_FILE
    values = {key: Value(setting.default, "default") for key, setting in SETTINGS.items()}
    for path, level in ((user_file, "user"), (project_file, "project")):
        for key, given in _read_file(path).items():
            setting = _known(key, path)
            if level == "project" and not setting.project_may_set:
                raise InvalidInput(
                    f"{path}: a project may not set {key}", hints=["set it in your own config"]
                )
            values[key] = Value(_checked(setting, given, str(path)), level)
    for key, setting in SETTINGS.items():
        if setting.variable in environment:
            given = _checked(setting, environment[setting.variable], setting.variable)
            values[key] = Value(given, "environment")
    return Settings(values)


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """Where everything is kept unless a flag says otherwise."""
    given = environment.get("CLEVERAGENTS_DATA_DIR")
    return Path(given or platformdirs.user_data_dir("cleveragents"))


def default_user_file(environment: Mapping[str, str]) -> Path:
    """The user's own configuration file."""
    given = environment.get("CLEVERAGENTS_CONFIG_PATH")
    return Path(given or Path(platformdirs.user_config_dir("cleveragents")) / "config.toml")


def _read_file(path: Path) -> dict[str, object]:
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
    if key not in SETTINGS:
        raise InvalidInput(f"{path}: unknown setting {key!r}{_nearest(key, tuple(SETTINGS))}")
    return SETTINGS[key]


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
