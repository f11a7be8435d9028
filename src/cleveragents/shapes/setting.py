"""Settings: their values, and which level each comes from."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from cleveragents.config.levels import Level, Settings, Value
from cleveragents.config.settings import SETTINGS, Setting, SettingValue


class SettingRow(TypedDict):
    """A setting and its value."""

    key: str
    value: SettingValue
    source: Level  # the level that says it
    variable: str  # the environment variable that sets it
    help: str


class SettingList(TypedDict):
    """Every setting."""

    settings: Sequence[SettingRow]


class LevelRow(TypedDict):
    """The value of a setting at one level."""

    level: Level
    value: SettingValue | None  # null: it says nothing
    where: str
    wins: bool


class SettingLevels(TypedDict):
    """A setting, and what every level says about it."""

    key: str
    value: SettingValue
    source: Level
    levels: Sequence[LevelRow]  # the one that counts most first


class SettingChange(TypedDict):
    """The value in force after a file was changed."""

    key: str
    value: SettingValue
    source: Level
    file: str  # that was changed


class UnknownKey(TypedDict):
    """A key that meant nothing and is gone."""

    key: str
    file: str


def list_of(settings: Settings) -> SettingList:
    """Every setting and its value."""
    return {"settings": [_row(one, settings.value(one.key)) for one in SETTINGS.values()]}


def levels_of(setting: Setting, settings: Settings) -> SettingLevels:
    """A setting, and what every level says about it."""
    said = {value.source: value for value in settings.levels(setting.key)}
    winner = settings.value(setting.key)
    return {
        "key": setting.key,
        "value": winner.value,
        "source": winner.source,
        "levels": [_level(level, said.get(level), winner) for level in Level],
    }


def change_of(setting: Setting, winner: Value, path: Path) -> SettingChange:
    """The value in force after a file was changed."""
    return {
        "key": setting.key,
        "value": winner.value,
        "source": winner.source,
        "file": str(path),
    }


def unknown_key_of(key: str, path: Path) -> UnknownKey:
    """A key that meant nothing and is gone."""
    return {"key": key, "file": str(path)}


def _row(setting: Setting, found: Value) -> SettingRow:
    return {
        "key": setting.key,
        "value": found.value,
        "source": found.source,
        "variable": setting.variable,
        "help": setting.help,
    }


def _level(level: Level, said: Value | None, winner: Value) -> LevelRow:
    return {
        "level": level,
        "value": None if said is None else said.value,
        "where": "" if said is None else said.where,
        "wins": level == winner.source,
    }
