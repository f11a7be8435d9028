"""Steps about what modes, owners and disks keep an ordinary user from, and what they do not."""

import os
import subprocess
from pathlib import Path

from behave import then, when
from commands import words
from console_pages import matches
from ordinary import hand_over, ordinary_user

from cleveragents.errors import CleverAgentsError
from cleveragents.sandbox.removal import remove_tree, somebody_elses
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree import beneath
from cleveragents.snapshots.tree.manifest import Change
from cleveragents.snapshots.write.foreign import refuse_foreign
from cleveragents.storage.durability import sync_file_system
from cleveragents.storage.lock import FileLock

LYING = Path("/sys/kernel/mm/transparent_hugepage")  # its files are shorter than the system says


@when('in this process an ordinary user runs "agents {line}"')
def run_here(context, line):
    """What starts no process needs none of its own."""
    with ordinary_user():
        context.world.agents(*words(context, line))


# --- Where ----------------------------------------------------------------------------------------


def _roots(context, place, mode):
    (place / "in").mkdir(parents=True)
    place.chmod(mode)


def _own_closed(context, place):
    place.mkdir()
    (place / "a").write_text("one")
    place.chmod(0)
    hand_over(place)


def _own_with_roots(context, place):
    with ordinary_user():
        place.mkdir()
    _roots(context, place / "closed", 0o700)


def _own_disk(context, place):
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=000", "tmpfs", place], check=True)
    context.world.mounts.append(place)


def _lying(context, place):
    if LYING.is_dir():
        place.symlink_to(LYING)
    else:
        context.scenario.skip("no such file of the system here")


PLACES = {
    "a directory that is gone": lambda *_: None,
    "a directory of root's": lambda context, place: _roots(context, place, 0o755),
    "a directory that root has closed": lambda context, place: _roots(context, place, 0o700),
    "a directory of theirs that they have closed": _own_closed,
    "a directory of theirs with one that root has closed": _own_with_roots,
    "a closed disk of its own": _own_disk,
    "a directory whose files lie about their length": _lying,
}


# --- What they try --------------------------------------------------------------------------------


def _capture(place):
    archive = Archive(Store(place.parent / "store"))
    with archive.capture_once(place.resolve(), lambda _: False):
        pass


def _enter(place):
    with beneath.root_directory(place):
        pass


def _share_lock(place):
    with FileLock(place / "a.lock", doing="looking", shared=True):
        pass


def _find(place):
    found = somebody_elses(place)
    return "nothing" if found is None else str(found.relative_to(place))


ACTS = {
    "change": lambda place: refuse_foreign(place.parent, [Change(b"place/file", None, None)]),
    "sync": sync_file_system,
    "remove": lambda place: remove_tree(place, place.parent),
    "remove from elsewhere": lambda place: remove_tree(place, place / "elsewhere"),
    "capture": _capture,
    "read a file of": lambda place: beneath.read(place, b"a").decode(),
    "enter": _enter,
    "share a lock in": _share_lock,
    "find what is somebody else's in": _find,
}


@then("an ordinary user is answered")
def check_answers(context):
    """Whatever they try, the place keeps its mode, and what lies in it."""
    context.world.home.chmod(0o755)
    for number, row in enumerate(context.table):
        place = context.world.home / str(number) / "place"
        place.parent.mkdir()
        hand_over(place.parent)
        PLACES[row["place"]](context, place)
        before = _seen(place)
        with ordinary_user():
            found = _answer(ACTS[row["tries to"]], place)
        assert matches([row["answer"]], [found]), (row.cells, found)
        assert _seen(place) == before, row.cells


def _answer(act, place):
    try:
        return act(place) or "done"
    except CleverAgentsError as error:
        return f"refused: {error.message}".replace(str(place), "it")
    except OSError as error:
        about = " about it" if error.filename == str(place) else ""
        return f"{type(error).__name__}{about}"


def _seen(place):
    if not place.exists():
        return None
    inside = sorted(os.listdir(place)) if os.access(place, os.R_OK) else None
    return place.stat().st_mode, inside
