"""The caller's environment: where home is, where everything is kept."""

import os
from collections.abc import Mapping
from pathlib import Path
from pwd import getpwuid

DATA_DIR, CONFIG_PATH = "CLEVERAGENTS_DATA_DIR", "CLEVERAGENTS_CONFIG_PATH"
OURS = "cleveragents"


def home(environment: Mapping[str, str]) -> Path:
    """The caller's home directory."""
    return Path(environment.get("HOME") or getpwuid(os.getuid()).pw_dir)


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """Where everything is kept unless a flag says otherwise."""
    return Path(environment.get(DATA_DIR) or _base(environment, "DATA", ".local/share") / OURS)


def data_dir_of(directory: Path, named: Path | str | None, environment: Mapping[str, str]) -> Path:
    """Where everything is kept, seen from a directory: one place has one name, written anywhere."""
    place = directory / (named or default_data_dir(environment))
    return Path(os.path.abspath(place))


def user_config(environment: Mapping[str, str]) -> Path:
    """The settings of the user, unless a flag or a variable names others."""
    return _base(environment, "CONFIG", ".config") / OURS / "config.toml"


def _base(environment: Mapping[str, str], kind: str, usual: str) -> Path:
    """A directory by the XDG rules; libraries for it know only the environment of the process."""
    named = environment.get(f"XDG_{kind}_HOME", "").strip()
    return Path(named) if named else home(environment) / usual


def caller_environment() -> Mapping[str, str]:
    """The one place where the environment of the process is read."""
    return dict(os.environ)
