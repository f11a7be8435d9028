"""Compiles the look at directories when the project is installed or built, if there is a compiler.

Without one, and where it fails, the package is pure Python and looks in Python. Nothing is ever
compiled at run time.
"""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("src/cleveragents/snapshots/tree/look.c")
COMPILED = SOURCE.with_suffix(".compiled")  # .so would be taken for a module of Python's
FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-shared"]


class LookBuildHook(BuildHookInterface):
    """Adds the compiled file to a wheel, which is then one for this kind of machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - theirs
        if is_compiled(Path(self.root)):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["artifacts"].append(f"/{COMPILED}")
            build_data["tag"] = f"py3-none-{platform}"
            build_data["pure_python"] = False


def is_compiled(root: Path) -> bool:
    """Compiles it in place; what runs meanwhile keeps the file it has opened."""
    target, made = root / COMPILED, root / f"{COMPILED}.new"
    target.unlink(missing_ok=True)  # it may be of another source
    compiler = shutil.which("cc")
    if compiler is None:
        return False
    done = subprocess.run(
        [compiler, *FLAGS, "-o", made, root / SOURCE], capture_output=True, check=False
    )
    if done.returncode != 0:
        made.unlink(missing_ok=True)
        return False
    os.replace(made, target)
    return True
