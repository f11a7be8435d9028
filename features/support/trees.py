"""Trees that are hard to keep, by what they hold."""

import os
import struct
import subprocess

# Where 64 bits of nanoseconds end, and of seconds; a file system takes the nearest it can hold.
EDGES_NS = (
    10_413_792_000_000_000_001,  # the year 2300
    *((1 << 63) - 1, 1 << 63, -(1 << 63), -(1 << 63) - 1),
    *(((1 << 63) - 1) * 10**9 + 999_999_999, -(1 << 63) * 10**9),
)
CHUNK = 4 << 20  # files beyond this size are stored in parts


def write(top, path, data=b"", mode=0o644):
    """Writes a file with its directories."""
    file = top / os.fsdecode(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    file.chmod(mode)
    return file


def git(top, *arguments):
    """Runs git in a directory as a user would, without any configuration but the repository's."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    who = ("-c", "user.name=T", "-c", "user.email=t@example.invalid")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=top, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, f"git {arguments} failed: {os.fsdecode(done.stderr)}"
    return os.fsdecode(done.stdout)


def commit_all(top):
    """Makes a directory a repository with everything in it committed."""
    git(top, "init", "-q", "-b", "main", ".")
    git(top, "add", "-A")
    git(top, "commit", "-q", "--allow-empty", "-m", "all")


def access_list(mode, *, user=1234):
    """An access control list that gives one more user what the group has."""
    anyone = 0xFFFFFFFF
    entries = [
        (0x01, mode >> 6 & 7, anyone),
        (0x02, mode >> 3 & 7, user),
        (0x04, mode >> 3 & 7, anyone),
        (0x10, mode >> 3 & 7, anyone),
        (0x20, mode & 7, anyone),
    ]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def _mixed_endings(top):
    write(top, ".gitattributes", b"* text eol=crlf\n")
    write(top, "mixed.txt", b"one\r\ntwo\nthree\rfour\r\r\n")
    write(top, "lf.txt", b"one\ntwo\n")
    write(top, "crlf.txt", b"one\r\ntwo\r\n")
    commit_all(top)


def _autocrlf(top):
    git(top, "init", "-q", ".")
    git(top, "config", "core.autocrlf", "input")
    write(top, "crlf.txt", b"one\r\ntwo\r\n")
    commit_all(top)


def _ident(top):
    write(top, ".gitattributes", b"* ident\n")
    write(top, "a.c", b"/* $Id$ */\n/* $Id: 0123 stale $ */\n")
    commit_all(top)


def _encodings(top):
    git(top, "init", "-q", ".")
    write(top, ".gitattributes", b"*.txt text working-tree-encoding=UTF-16\n")
    write(top, "a.txt", b"\xff\xfea\x00\x00\xd8b")
    write(top, "b.txt", b"odd")


def _filters(top):
    write(top, ".gitattributes", b"*.bin filter=lossy\n*.big filter=lfs diff=lfs -text\n")
    write(top, "a.bin", b"axbxcx\n")
    write(top, "real.big", os.urandom(1000))
    write(
        top, "pointer.big", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    )
    commit_all(top)
    for name in ("clean", "smudge", "process"):
        for driver in ("lossy", "lfs"):
            git(top, "config", f"filter.{driver}.{name}", f"touch '{top.parent}/canary'; tr -d x")


def _missing_filter(top):
    write(top, ".gitattributes", b"*.bin filter=gone\n")
    write(top, "a.bin", b"abc\n")
    commit_all(top)
    git(top, "config", "filter.gone.required", "true")
    git(top, "config", "filter.gone.clean", "/nonexistent/filter")


def _executable(top):
    git(top, "init", "-q", ".")
    git(top, "config", "core.fileMode", "false")
    write(top, "run.sh", b"#!/bin/sh\n", 0o755)
    write(top, "text", b"text\n", 0o644)
    commit_all(top)


def _modes(top):
    for mode in (0o600, 0o640, 0o444, 0o666, 0o711, 0o4755, 0o2755, 0o6711):
        write(top, f"file-{mode:o}", b"x", mode)
    for mode in (0o700, 0o750, 0o1777, 0o2775):
        write(top, f"dir-{mode:o}/inner", b"x")
        (top / f"dir-{mode:o}").chmod(mode)


def _links(top):
    write(top, "target", b"x")
    write(top, "dir/inner", b"x")
    for name, target in (
        ("to-file", "target"),
        ("to-dir", "dir"),
        ("dangling", "no/such/file"),
        ("absolute", "/etc/passwd"),
        ("outside", "../../.."),
        ("itself", "itself"),
        ("dir/up", "../target"),
        ("zero", "/dev/zero"),
        ("environment", "/proc/self/environ"),
        ("long", "x" * 4000),
    ):
        (top / name).symlink_to(target)
    os.symlink(b"\xff\n", os.fsencode(top) + b"/bytes")


def _kinds(top):
    write(top, "file", b"x")
    write(top, "dir/sub/deep", b"x")
    write(top, "dir/file", b"x")
    (top / "link-to-dir").symlink_to("dir")
    (top / "link-to-file").symlink_to("file")
    os.mkfifo(top / "pipe")


def _empty_directories(top):
    for path in ("a", "b/c/d", "b/e", ".hidden"):
        (top / path).mkdir(parents=True)


def _ignored(top):
    write(top, ".gitignore", b".env\nnode_modules/\nbuild\n*.log\n")
    write(top, "a.txt", b"x")
    commit_all(top)
    for path in (".env", "node_modules/m/index.js", "build/out.o", "trace.log"):
        write(top, path, os.fsencode(path))


def _nested(top):
    write(top, "a.txt", b"x")
    commit_all(top)
    write(top, "lib/committed/b.txt", b"x")
    commit_all(top / "lib" / "committed")
    write(top, "lib/committed/dirty.txt", b"x")
    write(top, "lib/unborn/c.txt", b"x")
    git(top / "lib" / "unborn", "init", "-q", ".")
    write(top, "lib/bare/README", b"x")
    git(top / "lib", "init", "-q", "--bare", "bare")


def _index_bits(top):
    for name in ("assumed", "skipped", "intended", "inside/one", "outside/two"):
        write(top, name, b"committed\n")
    commit_all(top)
    git(top, "sparse-checkout", "set", "inside")
    git(top, "update-index", "--assume-unchanged", "assumed")
    git(top, "update-index", "--skip-worktree", "skipped")
    write(top, "assumed", b"changed behind git's back\n")
    write(top, "skipped", b"changed behind git's back\n")
    write(top, "new", b"only intended\n")
    git(top, "add", "--intent-to-add", "new")


def _lying_index(top):
    write(top, "a.txt", b"one\n")
    commit_all(top)
    liar = write(top.parent, "fsmonitor", b"#!/bin/sh\nprintf 'token\\0'\n", 0o755)
    for key, value in (
        ("core.trustctime", "false"),
        ("core.checkStat", "minimal"),
        ("core.untrackedCache", "true"),
        ("core.fsmonitor", str(liar)),
    ):
        git(top, "config", key, value)
    git(top, "update-index", "--untracked-cache", "--fsmonitor")


def _hard_links(top):
    write(top, "a/first", b"together\n")
    write(top, "b/copy", b"together\n")
    (top / "c").mkdir()
    for name in ("a/second", "b/third", "c/fourth"):
        os.link(top / "a" / "first", top / name)
    write(top, "z", b"another pair\n", 0o755)
    os.link(top / "z", top / "a" / "z")
    write(top, "empty-one")
    os.link(top / "empty-one", top / "empty-two")


def _sparse(top):
    for name, size, parts in (
        ("only-hole", 3 * CHUNK, ()),
        ("small-hole", 100_000, ((50_000, b"x"),)),
        ("data-last", 2 * CHUNK + 5, ((2 * CHUNK, b"end"),)),
        ("data-between", 4 * CHUNK, ((CHUNK - 1, b"xy"), (3 * CHUNK, b"z"))),
    ):
        with (top / name).open("wb") as file:
            file.truncate(size)
            for at, data in parts:
                file.seek(at)
                file.write(data)


def _attributes(top):
    file = write(top, "file", b"x", 0o640)
    os.setxattr(file, "user.mime_type", b"text/plain")
    os.setxattr(file, "user.empty", b"")
    os.setxattr(file, "user.bytes", bytes(range(256)))
    write(top, "dir/inner", b"x")
    os.setxattr(top / "dir", "user.colour", b"red")
    listed = write(top, "listed", b"x", 0o640)
    os.setxattr(listed, "system.posix_acl_access", access_list(0o640))
    os.setxattr(top / "dir", "system.posix_acl_default", access_list(0o750))


def _times(top):
    for name, at in (
        ("nanosecond", 1_700_000_000_000_000_001),
        ("before-1970", -1_000_000_001),
        ("zero", 0),
        ("far", 7_258_118_400_000_000_000),  # the year 2200
        *((f"edge-{at}", at) for at in EDGES_NS),
    ):
        os.utime(write(top, f"times/{name}", b"x"), ns=(at, at))
    os.link(top / "times" / f"edge-{EDGES_NS[0]}", top / "times" / "linked")
    beyond = write(top, "times/beyond", b"x")
    os.setxattr(beyond, "user.colour", b"red")
    os.utime(beyond, ns=(EDGES_NS[0], EDGES_NS[0]))


def _read_only(top):
    write(top, "read-only-file", b"x", 0o444)
    write(top, "no-file", b"x", 0o000)
    write(top, "only-write", b"x", 0o200)
    for name, mode in (("read-only-dir", 0o555), ("no-dir", 0o000), ("only-search", 0o111)):
        write(top, f"{name}/inner", b"x")
        write(top, f"{name}/sub/deep", b"x", 0o400)
        (top / name / "sub").chmod(0o500)
        (top / name).chmod(mode)


def _fifo(top):
    write(top, "dir/inner", b"x")
    os.mkfifo(top / "dir" / "pipe")
    (top / "dir" / "pipe").chmod(0o622)


def _awkward_names(top):
    for name in (
        b"new\nline",
        b"\x1b[31mred\x1b[0m",
        b"-rf",
        b"--upload-pack=x",
        b"*",
        b"[ab]?",
        b":(exclude)b",
        b":",
        b'it\'s "quoted"',
        b"back\\slash",
        b" leading and trailing ",
        b"tab\there",
        b"$HOME `id`",
        b"%s%n",
        b"~",
        b"...",
    ):
        write(top, name, name)
        write(top, name + b".d/" + name, name)


def _byte_names(top):
    for name in (
        b"\xff\xfe",
        b"caf\xe9",
        "café".encode(),
        "cafe\u0301".encode(),
        b"x" * 255,
        "é".encode() * 127,
        "\u202egnp.exe".encode(),
        b"\x80",
        b"\x7f",
    ):
        write(top, name, name)
    write(top, b"\xff/\xfe/\xfd", b"deep")


def _git_names(top):
    for name in (
        ".GIT/config",
        "git~1/config",
        ".git::$x",
        ".git /x",
        ".git./x",
        ".Git",
        "sub/.git",
    ):
        write(top, name, b"x")
    write(top, ".gitmodules", b'[submodule "x"]\n path = ../../x\n url = ext::false\n')
    git(top / "git~1", "init", "-q", ".")


def _endless_path(top):
    fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    for level in range(25):
        name = f"{level:02}".encode() + b"n" * 240  # 25 of these exceed PATH_MAX
        os.mkdir(name, dir_fd=fd)
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
        os.close(fd)
        fd = inner
    for name in (b"first", b"second"):
        file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o640, dir_fd=fd)
        os.write(file, name)
        os.close(file)
    os.close(fd)


def _large(top):
    block = os.urandom(CHUNK)
    write(top, "one-chunk", block)
    write(top, "one-more-byte", block + b"x")
    write(top, "zeros-inside", block + bytes(CHUNK) + block[:1000])
    write(top, "zeros-at-the-end", block + bytes(CHUNK + 7))
    write(top, "only-zeros", bytes(CHUNK + 1))


TREES = {
    "files of mixed line endings under eol=crlf": _mixed_endings,
    "a CRLF file under core.autocrlf=input": _autocrlf,
    "$Id$ keywords under ident": _ident,
    "bytes that do not fit their working-tree-encoding": _encodings,
    "files under lossy filters and an LFS pointer": _filters,
    "a file under a required filter that is missing": _missing_filter,
    "executable files under core.fileMode=false": _executable,
    "files and directories of all modes": _modes,
    "links of all sorts": _links,
    "one of each kind": _kinds,
    "empty directories": _empty_directories,
    "files that git ignores": _ignored,
    "nested repositories": _nested,
    "a repository with index bits set": _index_bits,
    "a repository whose index trusts a liar": _lying_index,
    "hard links": _hard_links,
    "sparse files": _sparse,
    "extended attributes and access lists": _attributes,
    "times of all ages": _times,
    "read-only and unreadable entries": _read_only,
    "a fifo": _fifo,
    "awkward names": _awkward_names,
    "names that are no text": _byte_names,
    "names that git refuses": _git_names,
    "a path beyond PATH_MAX": _endless_path,
    "files beyond one chunk": _large,
}
