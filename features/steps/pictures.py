"""Steps about the oracle: a tree, a copy, and one difference between them."""

import os
import shutil
import socket
import stat
import struct
import subprocess
from contextlib import contextmanager

from behave import given, then, when
from oracle import differences, picture

PAST_NS = 1_234_567_890_123_456_789
LARGE = 3 << 20


@given("a tree of every kind")
def make_tree(context):
    context.tree = top = context.world.home / "tree"
    top.mkdir(mode=0o755)
    top.chmod(0o755)
    for name, data, mode in (
        ("plain", b"one\n", 0o644),
        ("same", b"one\n", 0o644),
        ("script", b"#!/bin/sh\n", 0o755),
        ("large", os.urandom(LARGE), 0o600),
    ):
        (top / name).write_bytes(data)
        (top / name).chmod(mode)
    (top / "empty").mkdir(mode=0o755)
    (top / "full").mkdir()
    (top / "full").chmod(0o755)
    (top / "full" / "inner").write_text("inner\n")
    os.link(top / "script", top / "full" / "twin")
    with (top / "holes").open("wb") as file:
        file.truncate(LARGE)
    (top / "link").symlink_to("plain")
    (top / os.fsdecode(b"\xfe")).write_bytes(b"")
    os.mkfifo(top / "pipe")
    (top / "pipe").chmod(0o640)
    for name in ("plain", "same", "full"):
        os.setxattr(top / name, "user.colour", b"red")
    for name in ("plain", "same"):
        os.utime(top / name, ns=(PAST_NS, PAST_NS))


@given("an exact copy of the tree")
def copy_tree(context):
    context.copy = context.world.home / "copy"
    subprocess.run(["cp", "-a", context.tree, context.copy], check=True)


@when("the copy has zeros where the tree has a hole")
def fill_holes(context):
    path = context.copy / "holes"
    with _times_kept(path):
        path.write_bytes(bytes(LARGE))
    assert path.stat().st_blocks > (context.tree / "holes").stat().st_blocks


@when("the copy differs in {difference}")
def make_difference(context, difference):
    DIFFERENCES[difference](context.copy)


@then("the oracle sees no difference in the copy")
def check_equal(context):
    assert differences(picture(context.tree), picture(context.copy)) == []


@then('the oracle sees no difference in the copy without "{path}"')
def check_equal_without(context, path):
    left_out = [os.fsencode(path)]
    first, second = (picture(top, without=left_out) for top in (context.tree, context.copy))
    assert differences(first, second) == []


@then('the oracle tells {lines:d} difference(s), "{told}"')
def check_told(context, lines, told):
    found = differences(picture(context.tree), picture(context.copy))
    shown = [os.fsencode(line).decode("latin-1").replace("\n", "\\n") for line in found]
    assert len(shown) == lines, shown
    assert any(line.replace("\xff", "\\xff").startswith(told) for line in shown), shown


@contextmanager
def _times_kept(path):
    before = path.stat()
    yield
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _rewrite(path, data):
    with _times_kept(path):
        path.write_bytes(data)


def _change_last_byte(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    _rewrite(path, bytes(data))


def _shift_time(path):
    at = path.stat().st_mtime_ns + 1
    os.utime(path, ns=(at, at))


def _retarget(path, target):
    path.unlink()
    path.symlink_to(target)


def _to_directory(path):
    path.unlink()
    path.mkdir()


def _to_file(path):
    path.rmdir() if path.is_dir() else path.unlink()
    path.write_bytes(b"")


def _to_link(path, target):
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(target)


def _bind_socket(path):
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(os.fspath(path))
    finally:
        listening.close()


def _limit_access(path):
    """Sets an access control list that leaves the mode bits as they are."""
    nobody = 0xFFFFFFFF
    bits = stat.S_IMODE(path.stat().st_mode)
    entries = [
        (0x01, bits >> 6 & 7, nobody),
        (0x02, 4, 1234),  # one user by number
        (0x04, bits >> 3 & 7, nobody),
        (0x10, bits >> 3 & 7, nobody),
        (0x20, bits & 7, nobody),
    ]
    value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    os.setxattr(path, "system.posix_acl_access", value)


def _split(top):
    path = top / "full" / "twin"
    data, found = path.read_bytes(), path.stat()
    path.unlink()
    path.write_bytes(data)
    path.chmod(stat.S_IMODE(found.st_mode))
    os.utime(path, ns=(found.st_mtime_ns, found.st_mtime_ns))


def _join(top):
    (top / "plain").unlink()
    os.link(top / "same", top / "plain")


DIFFERENCES = {
    "one byte, times put back": lambda top: _rewrite(top / "plain", b"onf\n"),
    "one byte more, times put back": lambda top: _rewrite(top / "plain", b"one\n\n"),
    "the last byte of a large file": lambda top: _change_last_byte(top / "large"),
    "the target of a link": lambda top: _retarget(top / "link", "plaim"),
    "the group write bit of a file": lambda top: (top / "plain").chmod(0o664),
    "the set-user-id bit": lambda top: (top / "large").chmod(0o4600),
    "the mode of a directory": lambda top: (top / "full").chmod(0o750),
    "the mode of the top": lambda top: top.chmod(0o700),
    "the mode of a fifo": lambda top: (top / "pipe").chmod(0o644),
    "one nanosecond of the time": lambda top: _shift_time(top / "plain"),
    "the value of an extended attribute": lambda top: os.setxattr(
        top / "plain", "user.colour", b"rod"
    ),
    "an extended attribute less": lambda top: os.removexattr(top / "plain", "user.colour"),
    "an extended attribute of a directory": lambda top: os.setxattr(top / "full", "user.x", b""),
    "an access control list": lambda top: _limit_access(top / "full" / "inner"),
    "an empty directory more": lambda top: (top / "more").mkdir(),
    "an empty directory less": lambda top: (top / "empty").rmdir(),
    "a file less": lambda top: (top / "plain").unlink(),
    "a file whose name is no text": lambda top: (top / os.fsdecode(b"\xff\n")).touch(),
    "a file instead of a directory": lambda top: _to_file(top / "empty"),
    "a directory instead of a file": lambda top: _to_directory(top / "plain"),
    "a link instead of an equal file": lambda top: _to_link(top / "plain", "same"),
    "a link instead of a directory": lambda top: _to_link(top / "empty", "full"),
    "a file instead of a fifo": lambda top: _to_file(top / "pipe"),
    "a socket more": lambda top: _bind_socket(top / "socket"),
    "a name in other case": lambda top: (top / "plain").rename(top / "PLAIN"),
    "a hard link made a copy": _split,
    "two equal files made one": _join,
}
