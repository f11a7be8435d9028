"""Steps about directories that somebody else has closed, or that lie on a disk of their own."""

import subprocess

from behave import then, when
from commands import words
from ordinary import ordinary_user

from cleveragents.errors import Refused
from cleveragents.sandbox.removal import remove_tree, somebody_elses
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.write.foreign import refuse_foreign
from cleveragents.storage.durability import sync_file_system
from cleveragents.storage.lock import FileLock


@then("a change in a directory that root has closed is refused to an ordinary user")
def check_refused(context):
    top = context.world.home / "top"
    (top / "closed").mkdir(parents=True, mode=0o700)
    context.world.home.chmod(0o755)
    with ordinary_user():
        try:
            refuse_foreign(top, [Change(b"closed/file", None, None)])
        except Refused as error:
            assert "no permission to change closed" in error.message, error.message
        else:
            raise AssertionError("it was not refused")


@then("a closed directory that is a file system of its own is not synced as the one it lies in")
def check_own_file_system(context):
    top = context.world.home / "mounted"
    top.mkdir()
    context.world.home.chmod(0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=000", "tmpfs", top], check=True)
    context.world.mounts.append(top)
    with ordinary_user():
        try:
            sync_file_system(top)
        except PermissionError as error:
            assert error.filename == str(top), error
        else:
            raise AssertionError("another file system was synced instead")


@then("one that is not is synced by way of the one it lies in")
def check_synced(context):
    with ordinary_user():
        own = context.world.home / "own"
        own.mkdir(mode=0o000)
        sync_file_system(own)


@then("neither what is gone nor what root has closed is told as removed")
def check_not_removed(context):
    ours = context.world.home / "ours"
    with ordinary_user():
        ours.mkdir()
    (ours / "closed" / "in").mkdir(parents=True)
    (ours / "closed").chmod(0o700)
    for path, kind in ((context.world.home / "gone", FileNotFoundError), (ours, PermissionError)):
        with ordinary_user():
            try:
                remove_tree(path, path.parent)
            except kind:
                continue
        raise AssertionError(f"{path} was told as removed")
    with ordinary_user():
        (ours / "mine" / "in").mkdir(parents=True)
        (ours / "mine").chmod(0)
        assert somebody_elses(ours / "mine") is None  # opened when it is removed
        assert somebody_elses(context.world.home / "gone") is None
        assert somebody_elses(ours) == ours / "closed"


@when('in this process an ordinary user runs "agents {line}"')
def run_here(context, line):
    """What starts no process needs none of its own."""
    with ordinary_user():
        context.world.agents(*words(context, line))


@then("a lock is shared there without leaving one")
def check_no_lock(context):
    place = context.world.home / "roots"
    place.mkdir()
    with ordinary_user(), FileLock(place / "a.lock", doing="looking", shared=True):
        pass
    assert list(place.iterdir()) == []
