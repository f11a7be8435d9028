"""Steps about calls that the system fails: which failures are errors, and which are borne."""

import ctypes
import errno
import os

from behave import then

from cleveragents.snapshots.tree import attributes
from cleveragents.storage.durability import refuse_error
from cleveragents.storage.owner import Owner


def _sync(home, number):
    ctypes.set_errno(number)
    refuse_error(0, home)  # a call that succeeds leaves what an earlier one has set
    ctypes.set_errno(number)
    refuse_error(-1, home)


def _sign(home, number):
    (home / "lock").touch()
    path, mode = {errno.ENOSPC: ("/dev/full", "wb"), errno.EBADF: (home / "lock", "rb")}[number]
    with open(path, mode) as file:
        Owner.this_process("testing locks").sign(file.fileno())


def _look_at_attributes(_, number):
    if number == errno.ENOTSUP:  # Linux says so only of file systems outside the kernel
        assert attributes.none_there(OSError(number, "not supported")) == []
        return
    fd = os.open("/proc", os.O_RDONLY)
    os.close(fd)
    attributes.names(fd)


CALLS = {
    "a sync": _sync,
    "the signing of a lock": _sign,
    "a look at attributes": _look_at_attributes,
}


@then("the system's {name} to {call} is {outcome}")
def check_failure(context, name, call, outcome):
    number, found = getattr(errno, name), None
    try:
        CALLS[call](context.world.home, number)
    except OSError as error:
        found = error
    if outcome == "borne":
        assert found is None, found
        return
    assert found is not None, "nobody was told"
    assert found.errno == number, found
    about = {"an error": None, "an error about the path": str(context.world.home)}[outcome]
    assert about in (None, found.filename), found
