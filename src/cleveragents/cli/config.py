"""`agents config …`: the settings in force, and the files that hold them."""

import os
import shlex
from pathlib import Path

from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Grid, Result, Text
from cleveragents.config import editing
from cleveragents.config.environment import caller_environment, home
from cleveragents.config.file import entries
from cleveragents.config.levels import (
    Level,
    Settings,
    Sources,
    load,
    refuse_in_project,
)
from cleveragents.config.settings import SETTINGS, Setting, SettingValue, known, written
from cleveragents.errors import Refused
from cleveragents.sandbox.project import locate
from cleveragents.shapes.setting import change_of, levels_of, list_of, unknown_key_of
from cleveragents.storage.privacy import HOOK

NO_PROJECT = Path("/nowhere/at all")  # where there is no file


def list_settings(call: Invocation) -> Result:
    """List every setting, its value and which level it comes from."""
    settings = _load(call, _sources(call))
    rows = [
        [key, _shown(settings.value(key).value), settings.value(key).source] for key in SETTINGS
    ]
    return Result(list_of(settings), [Grid("", ["KEY", "VALUE", "FROM"], rows)])


def get(call: Invocation, key: str) -> Result:
    """Tell the value of a setting; with --verbose, what every level says and which one wins."""
    setting = known(key, "")
    settings = _load(call, _sources(call))
    data, winner = levels_of(setting, settings), settings.value(setting.key)
    if not call.verbose:
        return Result(data, [Text([written(winner.value)])])
    rows = [
        [
            f"{one['level']} (wins)" if one["wins"] else one["level"],
            "-" if one["value"] is None else _shown(one["value"]),
            one["where"],
        ]
        for one in data["levels"]
    ]
    return Result(data, [Grid(setting.key, ["LEVEL", "VALUE", "WHERE"], rows)])


def set_setting(
    call: Invocation,
    key: str,
    value: str,
    project_level: bool = False,
) -> Result:
    """Set a setting in your own file, or in the project's."""
    setting = known(key, "")
    given = setting.parsed(value)
    checked = setting.checked(given, shlex.quote(value))
    if project_level:
        refuse_in_project(setting, key, checked, "")
    old = setting.old_spellings(key, given)
    call.messages += [f"old spelling: {', '.join(old)}"] if old else []
    sources = _sources(call, project_level=project_level)
    path = _file(sources, project_level=project_level)
    before = _said(path, setting)
    editing.put(path, setting.key, checked, setting.keys[1:])
    undo = ["unset", setting.key] if before is None else ["set", setting.key, before]
    return _changed(call, sources, setting, path, [*undo, *_flag(project_level=project_level)])


def unset(call: Invocation, key: str, project_level: bool = False) -> Result:
    """Take a setting out of your own file, or out of the project's."""
    sources = _sources(call, project_level=project_level)
    path = _file(sources, project_level=project_level)
    if key in entries(path).keys() - {name for one in SETTINGS.values() for name in one.keys}:
        editing.remove(path, [key])  # one that stops every other command, being unknown
        return Result(unknown_key_of(key, path), [Text([f"{key} was unknown and is gone"])])
    setting = known(key, "")
    before = _said(path, setting)
    if before is None:
        call.messages.append(f"{setting.key} is not set in {path}; nothing was changed")
        return _changed(call, sources, setting, path, [])
    editing.remove(path, setting.keys)
    undo = ["set", setting.key, before, *_flag(project_level=project_level)]
    return _changed(call, sources, setting, path, undo)


def _changed(
    call: Invocation, sources: Sources, setting: Setting, path: Path, undo: list[str]
) -> Result:
    """Tells what is in force now, and how to take the change back."""
    settings = load(sources)
    winner = settings.value(setting.key)
    if os.path.exists(call.place / HOOK):
        from cleveragents.foundations import launcher_of  # most people have no hooks

        launcher_of(call.place, settings).settle()
    if winner.where != str(path) and winner.source is not Level.DEFAULT:
        call.messages.append(f"{winner.source} wins: {winner.where}")
    line = f"{setting.key} = {_shown(winner.value)} (from the {winner.source})"
    back = f"{shlex.join(['agents', 'config', *undo])}    # takes it back"
    return Result(
        change_of(setting, winner, path), [Text([line])], next_steps=[back] if undo else []
    )


def _sources(call: Invocation, *, project_level: bool = False) -> Sources:
    """Where settings are; without a project, as in the home directory, there are one's own."""
    caller = caller_environment()
    try:
        project = locate(call.project, Path.cwd(), home(caller)).path
    except Refused:
        if project_level or call.project is not None:
            raise
        project = NO_PROJECT
    return Sources.of(project, call.config_path, call.settings, caller, Path())


def _load(call: Invocation, sources: Sources) -> Settings:
    settings = load(sources)
    call.messages += settings.warnings
    return settings


def _file(sources: Sources, *, project_level: bool) -> Path:
    """The file of the level; a project's that leads elsewhere is refused."""
    if not project_level:
        return sources.user_file
    path = sources.project_file
    if not path.resolve().is_relative_to(path.parent.parent.resolve()):
        raise Refused(f"{path} leads out of the project", hints=["change the file it leads to"])
    return path


def _said(path: Path, setting: Setting) -> str | None:
    """The value of a setting in a file, as it is typed."""
    found = entries(path)
    given = next((found[key] for key in setting.keys if key in found), None)
    return None if given is None else written(given)


def _flag(*, project_level: bool) -> list[str]:
    return ["--project-level"] if project_level else []


def _shown(value: SettingValue) -> str:
    return written(value) or "(empty)"
