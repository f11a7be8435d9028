"""The levels a value may come from: flag, environment, project file, user file, default.

A project's file is written by whoever writes the project: it may not set what reaches outside it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import cast

from cleveragents.config.environment import CONFIG_PATH, DATA_DIR, user_config
from cleveragents.config.file import entries
from cleveragents.config.settings import (
    SETTINGS,
    VARIABLE_PREFIX,
    Setting,
    SettingValue,
    amount_of,
    bytes_of,
    known,
)
from cleveragents.errors import InvalidInput
from cleveragents.nearest import asking
from cleveragents.records import frozen, replace

PROJECT_FILE = Path(".cleveragents") / "config.toml"
# What we ourselves hand to steps is no setting, and a step may well call `agents`.
OWN_VARIABLES = (
    DATA_DIR,
    CONFIG_PATH,
    "CLEVERAGENTS_STEP",
    "CLEVERAGENTS_INPUT",
    "CLEVERAGENTS_OUTPUT",
)


class Level(StrEnum):
    """Who says it; the first one that does wins."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    PROJECT = "project"
    USER = "user"
    DEFAULT = "default"


@frozen
class Value:
    """A value that one level gives a setting, and where."""

    value: SettingValue
    source: Level
    where: str = ""


@frozen
class Sources:
    """Where settings are looked for."""

    flags: Sequence[str]  # KEY=VALUE
    environment: Mapping[str, str]
    project_file: Path
    user_file: Path
    user_file_named: bool = False  # by a flag: then it must be there

    @classmethod
    def of(
        cls,
        project: Path,
        config_path: Path | None,
        flags: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path,
    ) -> "Sources":
        """Finds the files of a project and of the user; paths are relative to a directory."""
        named = config_path or environment.get(CONFIG_PATH)
        user_file = cwd / (named or user_config(environment))
        return cls(flags, environment, project / PROJECT_FILE, user_file, config_path is not None)

    def marks(self) -> Sequence[object]:
        """What tells of the files whether they are still the same; that takes next to no time."""
        return [_mark(path) for path in (self.project_file, self.user_file)]


def _mark(path: Path) -> object:
    try:
        found = path.stat()
    except OSError:  # none that can be read
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


class Settings:
    """The values that every level gives every setting, and the old spellings that were used."""

    def __init__(
        self, values: Mapping[str, Sequence[Value]], warnings: Sequence[str], user_file: Path
    ) -> None:
        self._values = values
        self.warnings = tuple(warnings)
        self.user_file = user_file

    def levels(self, key: str) -> Sequence[Value]:
        """Returns what is said about a setting, what wins first."""
        return self._values[key]

    def value(self, key: str) -> Value:
        """Returns a setting's value and where it came from."""
        return self._values[key][0]

    def text(self, key: str) -> str:
        """Returns a setting that is one text."""
        return str(self.value(key).value)

    def texts(self, key: str) -> tuple[str, ...]:
        """Returns a setting that is a list."""
        return tuple(map(str, cast("tuple[object, ...]", self.value(key).value)))

    def of_project_alone(self, key: str) -> tuple[str, ...]:
        """Returns what of a list stands in the project's file alone."""
        said = {one.source: one.value for one in self.levels(key)}
        below = said.get(Level.USER, said[Level.DEFAULT])
        own = cast("tuple[str, ...]", said.get(Level.PROJECT, ()))
        return tuple(one for one in own if one not in cast("tuple[str, ...]", below))

    def number(self, key: str) -> int:
        """Returns a setting that is a whole number."""
        return int(self.text(key))

    def size(self, key: str) -> int:
        """Returns a setting that is a size, in bytes."""
        return bytes_of(self.text(key)) or 0

    def amount(self, key: str) -> int:
        """Returns a setting that is a number or a size, or is not set: then zero."""
        return amount_of(self.text(key))

    def flag(self, key: str) -> bool:
        """Returns a setting that is true or false."""
        return self.value(key).value is True


@frozen
class _Said:
    """One thing that a level says, as it was written."""

    setting: Setting
    key: str
    given: object
    level: Level
    where: str


def load(sources: Sources) -> Settings:
    """Reads all levels; an unknown key or a wrong value is refused with the nearest right one."""
    if sources.user_file_named and not sources.user_file.exists():
        raise InvalidInput(f"no such file: {sources.user_file}")
    values: dict[str, list[Value]] = {key: [] for key in SETTINGS}
    spelled: dict[str, list[str]] = {}  # by where the old spellings were met
    for said in _everything(sources):
        setting = said.setting
        value = Value(setting.checked(said.given, said.where), said.level, said.where)
        spelled.setdefault(said.where, []).extend(setting.old_spellings(said.key, said.given))
        if all(other.source != said.level for other in values[setting.key]):
            values[setting.key].append(value)
    for key, setting in SETTINGS.items():
        values[key].append(Value(setting.default, Level.DEFAULT))
        if setting.adds:
            values[key] = _added_up(values[key])
        if setting.strictness is not None:
            values[key] = _stricter(setting.strictness, values[key])
    warnings = [
        f"{where}: old spelling: {', '.join(dict.fromkeys(old))}"
        for where, old in spelled.items()
        if old
    ]
    return Settings(values, warnings, sources.user_file)


def _added_up(levels: Sequence[Value]) -> list[Value]:
    """Returns what the levels say, each with what those below it say."""
    said: tuple[str, ...] = ()
    whole: list[Value] = []
    for level in reversed(levels):
        said = tuple(dict.fromkeys((*cast("tuple[str, ...]", level.value), *said)))
        whole.insert(0, replace(level, value=said))
    return whole


def _stricter(strictness: Callable[[SettingValue], float], levels: Sequence[Value]) -> list[Value]:
    """Returns what the levels say, last a project that is less strict than its user."""
    below = next(one for one in levels if one.source in (Level.USER, Level.DEFAULT))

    def loses(one: Value) -> bool:
        return one.source is Level.PROJECT and strictness(one.value) < strictness(below.value)

    return sorted(levels, key=loses)


def _everything(sources: Sources) -> Iterator[_Said]:
    """Yields what all levels say, what wins first."""
    yield from _in_order(_flags(sources.flags))
    yield from _in_order(_variables(sources.environment))
    yield from _in_order(_project(sources.project_file))
    yield from _in_order(_file(sources.user_file, Level.USER))


def _in_order(said: Iterable[_Said]) -> list[_Said]:
    return sorted(said, key=lambda one: one.setting.keys.index(one.key))


def _flags(pairs: Sequence[str]) -> Iterator[_Said]:
    for pair in reversed(pairs):  # the last one given wins
        key, separator, text = pair.partition("=")
        if not separator:
            raise InvalidInput(f"--set {pair}: write it as KEY=VALUE")
        setting = known(key, "--set: ")
        yield _Said(setting, key, setting.parsed(text), Level.FLAG, f"--set {key}")


def _variables(environment: Mapping[str, str]) -> Iterator[_Said]:
    names = {name: setting for setting in SETTINGS.values() for name in setting.variables}
    ours = (*names, *OWN_VARIABLES)
    for name in environment:
        if name.startswith(VARIABLE_PREFIX) and name not in ours:
            near = asking(name, ours, prefix=VARIABLE_PREFIX)
            raise InvalidInput(f"unknown variable {name}{near}")
    for name, setting in names.items():
        if name in environment:
            given = setting.parsed(environment[name])
            yield _Said(setting, setting.variables[name], given, Level.ENVIRONMENT, name)


def _project(path: Path) -> Iterator[_Said]:
    for said in _file(path, Level.PROJECT):
        value = said.setting.checked(said.given, said.where)
        refuse_in_project(said.setting, said.key, value, f"{path}: ")
        yield said


def refuse_in_project(setting: Setting, key: str, value: SettingValue, where: str) -> None:
    """Refuses what a project's file may not set, or not to this."""
    if key.startswith("core.") or not setting.is_for_project(value):
        to = f" to {value}" if setting.project_values else ""
        away = [f"take it out of there: agents config unset {key} --project-level"] if where else []
        raise InvalidInput(
            f"{where}a project may not set {key}{to}",
            hints=[*away, f"set it for yourself: agents config set {setting.key} VALUE"],
        )


def _file(path: Path, level: Level) -> Iterator[_Said]:
    for key, given in entries(path).items():
        yield _Said(known(key, f"{path}: "), key, given, level, str(path))
