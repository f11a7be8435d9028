"""What the caller's environment says: where home is, where everything is kept."""

import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

DATA_DIR, CONFIG_PATH = "CLEVERAGENTS_DATA_DIR", "CLEVERAGENTS_CONFIG_PATH"


def home(environment: Mapping[str, str]) -> Path:
    """The caller's home directory."""
    return Path(environment.get("HOME") or "~").expanduser()


def default_data_dir(environment: Mapping[str, str]) -> Path:
    """Where everything is kept unless a flag says otherwise."""
    return Path(environment.get(DATA_DIR) or platformdirs.user_data_dir("cleveragents"))


def caller_environment() -> Mapping[str, str]:
    """The one place where the environment of the process is read."""
    return dict(os.environ)
