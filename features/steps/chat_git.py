"""Steps about undo beside what the user does with git."""

import os

from behave import given, then, when
from played_chat import PlayedChats


@given("the project is a repository")
def repository(context):
    context.world.make_repository()


@when('the user runs "{command}"')
@given('the user runs "{command}"')
def runs(context, command):
    context.world.sh(command)


@then('it says the command "{command}" with the latest commit')
def says_commit(context, command):
    commit = context.world.sh("git rev-parse HEAD").strip()
    hints = [hint for hint in context.error.hints if hint.startswith(command)]
    assert hints and commit[:12] in hints[0], context.error.hints


@then('it does not say "{text}"')
def says_not(context, text):
    error = context.error
    told = "\n".join([error.message, *error.detail, *error.hints])
    assert text not in told, told


@then('there is no "{name}"')
def is_gone(context, name):
    assert not os.path.lexists(context.world.project / name)


@then('there is a "{name}"')
def is_there(context, name):
    assert os.path.lexists(context.world.project / name)


@given("the project is a work tree of another repository")
def work_tree(context):
    world = context.world
    world.sh(
        "mv project elsewhere; git -C elsewhere worktree add -q -b tree ../project", world.home
    )


@given("the project lies in a repository")
def inside_repository(context):
    world = context.world
    world.sh("rm -rf .git; mkdir -p top; mv project top/project", world.home)
    world.sh("rm -rf project/.git; git init -q -b main", world.home / "top")
    world.project = world.home / "top" / "project"
    world.sh("git config user.name T; git config user.email t@x; git add -A; git commit -qm first")
    context.chats = PlayedChats(world)


@given("the repository is remembered")
@when("the repository is remembered")
def remember_repository(context):
    context.repository = _files(context)


@then("the repository is untouched")
def untouched(context):
    assert _files(context) == context.repository


@then("every checkpoint notes the repository")
def noted(context):
    rows = context.world.sql("SELECT metadata_json FROM checkpoints")
    assert rows and all('"git": {"head": "' in row[0] for row in rows), rows


def _files(context):
    """Every file and directory of the repository, by what a write would change."""
    top = context.world.project / ".git"
    found = {}
    for folder, folders, files in os.walk(top):
        for path in [folder, *(os.path.join(folder, name) for name in [*folders, *files])]:
            seen = os.lstat(path)
            found[path] = (seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size)
    return found
