"""Lets a part of a test run as an ordinary user where the tests run as root."""

import ctypes
import os
from contextlib import contextmanager

NOBODY = 65534
_DUMPABLE = 4  # PR_SET_DUMPABLE


@contextmanager
def ordinary_user(member_of=()):
    """Gives up root's rights within the block; an ordinary user has none to give up."""
    if os.geteuid() != 0:  # also within such a block
        yield
        return
    groups = os.getgroups()
    os.setgroups(list(member_of))
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    # A process that changed its user may not look at its own /proc entries; a fresh one may.
    ctypes.CDLL(None).prctl(_DUMPABLE, 1, 0, 0, 0)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def become_ordinary():
    """Gives up root's rights for good, in a process that ends with its part of the test."""
    if os.geteuid() != 0:
        return
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    ctypes.CDLL(None).prctl(_DUMPABLE, 1, 0, 0, 0)


def hand_over(top):
    """Makes an ordinary user the owner of a folder and all in it."""
    if os.geteuid() != 0:
        return
    os.chown(top, NOBODY, NOBODY)
    for _, directories, files, fd in os.fwalk(os.fsencode(top)):
        for name in (*directories, *files):
            mode = os.lstat(name, dir_fd=fd).st_mode
            os.chown(name, NOBODY, NOBODY, dir_fd=fd, follow_symlinks=False)
            if mode & 0o6000:  # a change of owner takes the set-id bits away
                os.chmod(name, mode & 0o7777, dir_fd=fd)
