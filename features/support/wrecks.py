"""Ways to wreck a tree, whatever it holds.

Everything works on descriptors of directories and on names of bytes, so that no tree is too deep
and no name too strange.
"""

import os
import stat

from trees import write

PAST_NS = 1_111_111_111_222_333_444


def _change(top):
    """Changes every entry in place: bytes, modes, times and targets."""
    for _, _, files, fd in _walk(top):
        for name in files:
            found = os.lstat(name, dir_fd=fd)
            if stat.S_ISREG(found.st_mode):
                file = os.open(name, os.O_WRONLY | os.O_NOFOLLOW, dir_fd=fd)
                os.pwrite(file, b"wrecked", 0)
                os.close(file)
                os.chmod(name, stat.S_IMODE(found.st_mode) ^ 0o051, dir_fd=fd)
            elif stat.S_ISLNK(found.st_mode):
                os.unlink(name, dir_fd=fd)
                os.symlink(b"wrecked", name, dir_fd=fd)
            else:
                os.chmod(name, 0o606, dir_fd=fd)
        os.fchmod(fd, stat.S_IMODE(os.fstat(fd).st_mode) ^ 0o055)


def _truncate(top):
    """Cuts every file short and puts its time back."""
    for _, _, files, fd in _walk(top):
        for name in files:
            found = os.lstat(name, dir_fd=fd)
            if stat.S_ISREG(found.st_mode):
                file = os.open(name, os.O_WRONLY | os.O_NOFOLLOW, dir_fd=fd)
                os.ftruncate(file, found.st_size // 2)
                os.utime(file, ns=(found.st_mtime_ns, found.st_mtime_ns))
                os.close(file)
    write(top, "truncated")


def _empty(top):
    """Removes everything."""
    for _, directories, files, fd in _walk(top, topdown=False):
        for name in files:
            os.unlink(name, dir_fd=fd)
        for name in directories:
            if stat.S_ISDIR(os.lstat(name, dir_fd=fd).st_mode):
                os.rmdir(name, dir_fd=fd)
            else:
                os.unlink(name, dir_fd=fd)


def _files_to_directories(top):
    """Puts a directory that is not empty in the place of every file, link and fifo."""
    for _, directories, files, fd in _walk(top, topdown=False):
        for name in (*files, *directories):
            if stat.S_ISDIR(os.lstat(name, dir_fd=fd).st_mode):
                continue
            os.unlink(name, dir_fd=fd)
            os.mkdir(name, dir_fd=fd)
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
            os.close(os.open(b"inside", os.O_WRONLY | os.O_CREAT, dir_fd=inner))
            os.close(inner)
    (top / "one more").mkdir()


def _directories_to_others(top):
    """Puts files and links in the place of the directories at the top."""
    names = sorted(entry.name for entry in os.scandir(os.fsencode(top)))
    _empty(top)
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    for index, name in enumerate(names):
        if index % 2:
            os.symlink(b"/etc", name, dir_fd=fd)
        else:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=fd))
    os.close(fd)
    write(top, "one more")


def _overgrow(top):
    """Adds an entry of each kind everywhere; changes modes, times and attributes."""
    for _, _, files, fd in _walk(top, topdown=False):
        for name in files:
            if stat.S_ISREG(os.lstat(name, dir_fd=fd).st_mode):
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=fd)
                os.setxattr(file, "user.wrecked", b"yes")
                os.utime(file, ns=(PAST_NS, PAST_NS))
                os.close(file)
                os.link(name, b"linked-" + name[:200], src_dir_fd=fd, dst_dir_fd=fd)
        os.mkdir(b"wrecked dir", dir_fd=fd)
        os.symlink(b"..", b"wrecked link", dir_fd=fd)
        os.mkfifo(b"wrecked fifo", dir_fd=fd)
        os.close(os.open(b"wrecked file", os.O_WRONLY | os.O_CREAT, dir_fd=fd))
        os.setxattr(fd, "user.wrecked", b"yes")
        os.fchmod(fd, 0o703)


def _exchange(top):
    """Lets neighbours in each directory take each other's name."""
    for _, directories, files, fd in _walk(top, topdown=False):
        names = sorted((*directories, *files))
        for first, second in zip(names[::2], names[1::2], strict=False):
            os.rename(first, b"aside", src_dir_fd=fd, dst_dir_fd=fd)
            os.rename(second, first, src_dir_fd=fd, dst_dir_fd=fd)
            os.rename(b"aside", second, src_dir_fd=fd, dst_dir_fd=fd)
    write(top, "exchanged")


def _walk(top, *, topdown=True):
    """Walks by descriptors; gives the owner all rights on what stands in the way."""
    _allow(top)
    return os.fwalk(os.fsencode(top), topdown=topdown)


def _allow(top):
    waiting = [os.open(top, os.O_RDONLY | os.O_DIRECTORY)]
    while waiting:
        fd = waiting.pop()
        os.fchmod(fd, os.fstat(fd).st_mode & 0o7777 | 0o700)
        for text in os.listdir(fd):
            name = os.fsencode(text)
            found = os.lstat(name, dir_fd=fd)
            if not stat.S_ISLNK(found.st_mode):
                os.chmod(name, found.st_mode & 0o7777 | 0o600, dir_fd=fd)
            if stat.S_ISDIR(found.st_mode):
                os.chmod(name, found.st_mode & 0o7777 | 0o700, dir_fd=fd)
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                waiting.append(os.open(name, flags, dir_fd=fd))
        os.close(fd)


WRECKS = {
    "changed": _change,
    "truncated": _truncate,
    "emptied": _empty,
    "filled with directories instead of files": _files_to_directories,
    "filled with files instead of directories": _directories_to_others,
    "overgrown": _overgrow,
    "turned over": _exchange,
}
