"""Steps that do what they should not be able to, and a user whose things they try it on."""

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from forked import forked, save_coverage
from ordinary import become_ordinary, hand_over
from world import Done

from cleveragents.confinement import landlock, launch, usual
from cleveragents.confinement.launch import COMPILED
from cleveragents.sandbox import trials

NEW_USER = 0x10000000
CAPABILITIES = 0x20080522  # the version of what is told of them
OWN = (".cache", "named")  # directories at home that steps may write to
CACHES = {*OWN, *(name.partition("/")[0] for name in usual.CACHES)}


@cache
def lacking():
    """Why namespaces cannot be tried here, as root and as an ordinary user; None: they can."""
    for path in (*reversed(COMPILED.parents), COMPILED):
        if path.exists() and not path.stat().st_mode & 0o001:
            return f"the checkout is closed to ordinary users: {path}"
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    tried = ["unshare", "-Urm", "mount", "--bind", "/usr", "/mnt"]
    done = subprocess.run(tried, capture_output=True, check=False)
    return None if done.returncode == 0 else f"no namespaces: {done.stderr.decode().strip()}"


def furnish(world):
    """Gives the user of a world things of their own, outside of the project."""
    home = world.home / "user"
    for name in (".ssh", *OWN):
        (home / name).mkdir(parents=True)
    (home / ".ssh" / "id").write_text("secret\n")
    (home / ".netrc").write_text("secret\n")
    (home / ".profile").write_text("mine\n")
    (home / ".codex" / "old").mkdir(parents=True)
    (home / ".codex" / "config.toml").write_text("mine\n")
    (home / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@x\n")
    (world.project / "a.txt").write_text("mine\n")
    settings = world.home / "xdg" / "cleveragents"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text("")
    world.variables["HOME"] = str(home)
    world.variables["TMPDIR"] = str(world.home)


def look(world):
    """What nobody but the user may change: names, modes, times, contents."""
    tops = (world.project, world.home / "user", world.home / "xdg")
    found = {}
    for top in tops:
        for path in (top, *sorted(top.rglob("*"))):
            inside = path.relative_to(top).parts
            if top.name == "user" and (not inside or inside[0] in CACHES):
                continue
            facts = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (facts.st_mode, facts.st_uid, facts.st_mtime_ns, content)
    return found


@contextmanager
def temporary(world):
    """Lets temporary files of this process lie in a world."""
    before, tempfile.tempdir = tempfile.tempdir, str(world.home)
    try:
        yield
    finally:
        tempfile.tempdir = before


def run(world, arguments):
    """Runs `agents` in this process; an argument may be known only here."""
    return world.agents(*(one() if callable(one) else one for one in arguments))


def ordinary_machine():
    """Changes nothing of this process."""


def run_as(world, who, arguments, before=ordinary_machine):
    """Runs `agents` for root or for an ordinary user, in a process of its own if need be."""
    if who == "root" and before is ordinary_machine:
        with temporary(world):
            run(world, arguments)
        return
    told = [world.home / name for name in ("told", "told of errors")]

    def act():
        if who != "root":
            become_ordinary()
        before()
        with temporary(world):
            done = run(world, arguments)
        for path, text in zip(told, (done.out, done.err), strict=True):
            path.write_text(text, errors="surrogateescape")
        if before is not ordinary_machine:  # how that goes is measured elsewhere
            save_coverage()
        os._exit(done.code)

    code = forked(act)
    world.done = Done(code, *(path.read_text(errors="surrogateescape") for path in told))


def filled(world, command):
    """A command with the places of a world; called in the process that runs the step."""
    places = {
        "PROJECT": world.project,
        "DATA": world.data_dir,
        "SETTINGS": world.home / "xdg" / "cleveragents",
        "WORLD": world.home,
        "OURS": os.getpid(),
        "PYTHON": shutil.which("python3"),
    }
    named = (f"{name}={shlex.quote(str(place))}" for name, place in places.items())
    return f"export {' '.join(named)}\n{command}"


def give_to(world, who):
    """Makes a world a user's."""
    if who != "root":
        hand_over(world.home)


def without_namespaces():
    """Leaves this process, and all that it starts, no way to make a namespace of users."""
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.unshare(NEW_USER) == 0, os.strerror(ctypes.get_errno())
    maps = (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    )
    for name, text in maps:
        Path("/proc/self", name).write_text(text)
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    if user != 0:  # in a namespace of its own it has become more than ordinary
        header, nothing = (ctypes.c_uint * 2)(CAPABILITIES, 0), (ctypes.c_uint * 6)()
        assert libc.capset(header, nothing) == 0, os.strerror(ctypes.get_errno())


def without_any():
    """The same, and a kernel without Landlock."""
    without_namespaces()
    landlock.acts = lambda *_: [("ruleset", "0", "0")]


def _launches(kept, *more):
    """Has the launcher of this process do no acts but these, and what is put before the command."""
    written = launch.written

    def fewer(acts, command):
        return written([act for act in acts if act[0] in kept], (*more, *command))

    launch.written = fewer


def _not_there():
    launch.launcher = lambda: ("/not/there",)


def _never_ending():
    trials.SECONDS = 0.5
    _launches(("directory",), "/bin/sh", "-c", "sleep 60")


LAUNCHERS = {  # that are not what they are taken for, by what they do
    "confines nothing": lambda: _launches(("directory",)),
    "keeps signals alone": lambda: _launches(("no-new-privileges", "scope", "directory")),
    "does nothing at all": lambda: _launches((), "/bin/true"),
    "never ends": _never_ending,
    "is not there": _not_there,
}


def without_own_namespaces():
    """Has the launcher of this process refused all namespaces, as where only some programs may."""
    written = launch.written

    def refused(acts, command):
        return written([("enter", "1") if act[0] == "enter" else act for act in acts], command)

    launch.written = refused
