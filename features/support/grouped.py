"""Groups of the system's for scenarios: handed on to a user, with this process in one of them."""

import os
import uuid
from contextlib import suppress
from pathlib import Path

from ordinary import NOBODY

from cleveragents.confinement.mounts import mounts

COUNTED = "+memory +pids"


def top():
    """Where groups of version 2 are mounted; None: nowhere, or not for us."""
    places = [Path(one.place) for one in mounts() if one.kind == "cgroup2"]
    return next((place for place in places if os.access(place, os.W_OK)), None)


def lacking():
    """Why no groups can be had that count; None: they can."""
    place = top()
    if place is None:
        return "no groups of version 2 for us"
    there = (place / "cgroup.controllers").read_text().split()
    return None if {"memory", "pids"} <= set(there) else "nothing is counted in groups here"


def hand_on(context, whom):
    """Makes a group in which that user may make groups, with this process in another there."""
    place = top() / f"tested-{uuid.uuid4().hex}"
    own = place / "own"
    before = Path("/proc/self/cgroup").read_text().split("0::", 1)[1].split("\n")[0]

    def put_back():
        (top() / before.lstrip("/") / "cgroup.procs").write_text(str(os.getpid()))
        for path in (*place.glob("*/"), place):
            path.rmdir()

    place.mkdir()
    own.mkdir()
    context.add_cleanup(put_back)
    with suppress(PermissionError):  # it has been handed on already
        (top() / "cgroup.subtree_control").write_text(COUNTED)
    (place / "cgroup.subtree_control").write_text(COUNTED)
    (own / "cgroup.procs").write_text(str(os.getpid()))
    if whom != "root":
        for path in (place, place / "cgroup.procs", own, own / "cgroup.procs"):
            os.chown(path, NOBODY, NOBODY)
    return place
