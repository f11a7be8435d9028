"""Steps about the user's repositories: how they are made, and what evil they may hold."""

import os
import shutil
import subprocess
from pathlib import Path

from behave import given, then
from oracle import assert_same, picture
from trees import git, write

HOOKS = (
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-auto-gc",
    "pre-commit",
    "pre-receive",
    "prepare-commit-msg",
    "reference-transaction",
    "update",
)
PROGRAMS = """
[core]
    fsmonitor = EVIL
    sshCommand = EVIL
    pager = EVIL
    editor = EVIL
    askPass = EVIL
    gitProxy = EVIL
    alternateRefsCommand = EVIL
    attributesFile = ATTRIBUTES
[filter "evil"]
    clean = EVIL
    smudge = EVIL
    process = EVIL
    required = true
[diff]
    external = EVIL
[diff "evil"]
    textconv = EVIL
    command = EVIL
[merge "evil"]
    driver = EVIL
[gpg]
    program = EVIL
[commit]
    gpgSign = true
[credential]
    helper = !EVIL
[alias]
    ls-files = !EVIL
    rev-parse = !EVIL
    read-tree = !EVIL
    evil = !EVIL
[sequence]
    editor = EVIL
[interactive]
    diffFilter = EVIL
[uploadpack]
    packObjectsHook = EVIL
[pager]
    status = EVIL
    ls-files = EVIL
[protocol]
    allow = always
[remote "origin"]
    url = ext::EVIL
    uploadpack = EVIL
[submodule]
    recurse = true
"""


@given('a git repository with a submodule "{name}"')
def make_submodule(context, name):
    world = context.world
    library = world.home / "library"
    write(library, "s.txt", b"one\n")
    world.sh("git init -q -b main .; git add -A", cwd=library)
    world.sh("git -c user.name=T -c user.email=t@x commit -qm library", cwd=library)
    write(world.project, "a.txt", b"one\n")
    world.make_repository()
    world.sh(f"git -c protocol.file.allow=always submodule --quiet add ../library {name}")
    world.sh("git commit -qm submodule")
    assert (world.project / name / ".git").is_file()


@given("{what} asks for every program it can")
def make_evil(context, what):
    EVIL[what](context)


def _evil_repository(context):
    top, evil = context.world.project, _evil(context)
    write(top, ".gitattributes", b"* filter=evil diff=evil merge=evil\n")
    write(top, "filtered", b"as it is\n")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "attributes")
    attributes = write(top, ".git/info/attributes", b"* filter=evil diff=evil merge=evil\n")
    programs = PROGRAMS.replace("EVIL", str(evil)).replace("ATTRIBUTES", str(attributes))
    included = write(top, ".git/included", programs.encode())
    with (top / ".git" / "config").open("a") as config:
        config.write(f"{programs}[include]\n    path = {included}\n")
    for name in HOOKS:
        shutil.copy(evil, top / ".git" / "hooks" / name)
    write(top, "filtered", b"changed\n")
    _assert_bites(context)


def _assert_bites(context):
    """Makes sure that git as users call it does run what it is asked to."""
    subprocess.run(["git", "status"], cwd=context.world.project, capture_output=True, check=False)
    canary = context.world.home / "CANARY"
    assert canary.exists(), "the repository is harmless"
    canary.unlink()


@given("the user's repository promises its {missing}, which is missing, from a program")
def promise_missing(context, missing):
    _promise(context)
    _lose(context, missing)


def _promise(context):
    top, evil = context.world.project, _evil(context)
    write(top, ".gitignore", b"*.o\n")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "ignore")
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{evil}"),
        ("protocol.ext.allow", "always"),
    ):
        git(top, "config", key, value)


def _lose(context, missing):
    top = context.world.project
    names = {
        "commit": "HEAD",
        "tree": "HEAD^{tree}",
        "blob": "HEAD:a.txt",
        ".gitignore": "HEAD:.gitignore",
    }
    identity = git(top, "rev-parse", names[missing]).strip()
    if missing == ".gitignore":
        git(top, "update-index", "--skip-worktree", ".gitignore")
        (top / ".gitignore").unlink()
    (top / ".git" / "objects" / identity[:2] / identity[2:]).unlink()
    subprocess.run(["git", "cat-file", "-p", identity], cwd=top, capture_output=True, check=False)
    canary = context.world.home / "CANARY"
    assert canary.exists(), "the repository is harmless"
    canary.unlink()


def _evil_environment(context):
    """It names another repository, too."""
    context.other = context.world.home / "other"
    write(context.other, "o.txt", b"other\n")
    git(context.other, "init", "-q", ".")
    git(context.other, "add", "-A")
    git(context.other, "commit", "-qm", "other")
    context.other_seen = picture(context.other)
    own = context.other / ".git"
    context.world.variables |= {
        "GIT_DIR": str(own),
        "GIT_WORK_TREE": str(context.other),
        "GIT_INDEX_FILE": str(own / "index"),
        "GIT_OBJECT_DIRECTORY": str(own / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(_evil(context)),
        "GIT_EXTERNAL_DIFF": str(_evil(context)),
    }


@given('the data directory lies in a repository "{name}"')
def make_outer(context, name):
    context.other = context.world.home / name
    write(context.other, "o.txt", b"outer\n")
    git(context.other, "init", "-q", ".")
    context.world.data_dir = context.other / "data"
    context.other_seen = picture(context.other, without=[b"data"])


@then("the other repository is bit for bit as it was")
def check_other(context):
    assert_same(context.other_seen, picture(context.other, without=[b"data"]))


def _evil_home(context):
    """It would change line ends as well."""
    home = context.world.home / "home"
    settings = PROGRAMS.replace("EVIL", str(_evil(context))).replace("ATTRIBUTES", "/dev/null")
    hooks = home / "hooks"
    for name in HOOKS:
        write(hooks, name, _evil(context).read_bytes(), 0o755)
    text = f"{settings}[core]\n    autocrlf = true\n    hooksPath = {hooks}\n"
    write(home, ".gitconfig", text.encode())
    write(home, ".config/git/attributes", b"* filter=evil\n")
    context.world.variables |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}


EVIL = {
    "the user's repository": _evil_repository,
    "the caller's environment": _evil_environment,
    "the caller's home": _evil_home,
}


@then("no program of the user's repository has run")
def check_no_canary(context):
    found = [str(path) for path in context.world.home.rglob("CANARY")]
    found += ["/CANARY"] if Path("/CANARY").exists() else []
    assert not found, found


def _evil(context):
    """A program that leaves a trace: a canary beside the project."""
    # Its own path is plain: git hands it to a shell as it stands in a configuration.
    program = Path("/tmp") / f"evil-{os.getpid()}-{context.world.home.name.split()[-1]}"
    canary = context.world.home / "CANARY"
    program.write_text(f'#!/bin/sh\ntouch "{canary}"\nexit 1\n')
    program.chmod(0o755)
    context.add_cleanup(program.unlink, missing_ok=True)
    return program
