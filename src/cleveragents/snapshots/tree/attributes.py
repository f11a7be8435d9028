"""Extended attributes: which ones a snapshot keeps, and how they are read and set."""

import errno
import os

Attributes = tuple[tuple[bytes, bytes], ...]  # name and value, sorted by name
KEPT = ("user.", "system.posix_acl_")
UNTOLD = ("security.selinux", "security.apparmor")  # set by the system, not by a step


def names(fd: int) -> list[str]:
    """Returns the names of all attributes."""
    try:
        return os.listxattr(fd)
    except OSError as error:
        return none_there(error)


def none_there(error: OSError) -> list[str]:
    """Takes the error of a file system without attributes for none; any other one stays one."""
    if error.errno not in (errno.ENOTSUP, errno.ENOSYS):
        raise error
    return []


def kept(fd: int, found: list[str]) -> Attributes:
    """Returns the attributes that a snapshot keeps."""
    if not found:  # as of nearly every file
        return ()
    wanted = sorted(name for name in found if name.startswith(KEPT))
    return tuple((os.fsencode(name), os.getxattr(fd, name)) for name in wanted)


def untold(found: list[str]) -> list[str]:
    """Returns the names that a snapshot leaves out and must tell of."""
    return [name for name in found if not name.startswith(KEPT) and name not in UNTOLD]


def replace(fd: int, wanted: Attributes) -> None:
    """Gives a file or directory exactly these attributes, of those that a snapshot keeps."""
    for name in [name for name in names(fd) if name.startswith(KEPT)]:
        os.removexattr(fd, name)
    for key, value in wanted:
        os.setxattr(fd, key, value)
