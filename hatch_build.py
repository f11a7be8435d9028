"""Compiles what is written in C when the project is installed or built, if there is a compiler.

Without one, and where it fails, the package is pure Python, and Python does the same. Nothing is
ever compiled at run time.
"""

import os
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = ("-std=gnu11", "-O2")


@dataclass(frozen=True)
class Program:
    """A source, and the compilers with their flags: the first that succeeds is taken."""

    source: Path
    ways: tuple[tuple[str, ...], ...]

    @property
    def compiled(self) -> Path:
        """What is made of it; .so would be taken for a module of Python's."""
        return self.source.with_suffix(".compiled")


LOOK = Program(Path("src/cleveragents/snapshots/tree/look.c"), (("cc", "-fPIC", "-shared"),))
# Every step begins with it: without libraries to look for it does so sooner, and with musl, whose
# own start is next to nothing, in a millisecond less.
LAUNCHER = Program(
    Path("src/cleveragents/confinement/confine.c"),
    (("musl-gcc", "-static"), ("cc", "-static"), ("cc",)),
)


class CompilingBuildHook(BuildHookInterface):
    """Adds the compiled files to a wheel, which is then one for this kind of machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - theirs
        for program in (LOOK, LAUNCHER):
            if is_compiled(Path(self.root), program):
                platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
                build_data["artifacts"].append(f"/{program.compiled}")
                build_data["tag"] = f"py3-none-{platform}"
                build_data["pure_python"] = False


def is_compiled(root: Path, program: Program = LOOK) -> bool:
    """Compiles it in place; what runs meanwhile keeps the file it has opened."""
    target, made = root / program.compiled, root / f"{program.compiled}.new"
    target.unlink(missing_ok=True)  # it may be of another source
    for compiler, *flags in program.ways:
        if (found := shutil.which(compiler)) is None:
            continue
        line = [found, *FLAGS, *flags, "-o", made, root / program.source]
        if subprocess.run(line, capture_output=True, check=False).returncode == 0:
            os.replace(made, target)
            return True
    made.unlink(missing_ok=True)
    return False
