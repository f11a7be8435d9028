"""Where data may be kept: in a directory of our own user, on a disk of this machine."""

import ctypes
import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from cleveragents.errors import Refused
from cleveragents.storage.durability import refuse_error, sync_directory

# On these, locks and syncs do not do what SQLite and we rely on.
NETWORK: Mapping[int, str] = {
    0x6969: "NFS",
    0x517B: "SMB",
    0xFE534D42: "SMB",
    0xFF534D42: "CIFS",
    0x5346414F: "AFS",
    0x00C36400: "Ceph",
    0x0BD00BD0: "Lustre",
    0x7461636F: "OCFS2",
}
FUSE = 0x65735546
# What is behind a file system in user space stands in the table of mounts alone.
FUSE_NETWORK: Mapping[str, str] = {
    "fuse.sshfs": "SSHFS",
    "fuse.rclone": "rclone",
    "fuse.s3fs": "S3",
    "fuse.davfs": "WebDAV",
    "fuse.davfs2": "WebDAV",
    "fuse.curlftpfs": "FTP",
    "fuse.glusterfs": "GlusterFS",
    "fuse.ceph-fuse": "Ceph",
    "fuse.gvfsd-fuse": "GVfs",
    "fuse.gcsfuse": "Google Cloud Storage",
}
MOUNTS = Path("/proc/self/mountinfo")
ELSEWHERE = "choose another one with --data-dir or CLEVERAGENTS_DATA_DIR"
_STATFS_BYTES = 256  # more than the structure has anywhere; its first word is the type
_libc = ctypes.CDLL(None, use_errno=True)


def refuse_network(path: Path) -> None:
    """Refuses a data directory on a file system that is not of this machine."""
    kind = network_of(path)
    if kind is not None:
        text = f"the data directory is on a network file system ({kind}): {path}"
        raise Refused(text, hints=[ELSEWHERE])


def network_of(path: Path) -> str | None:
    """The kind of network that the file system of a path comes over; None: it is this machine's."""
    buffer = ctypes.create_string_buffer(_STATFS_BYTES)
    refuse_error(_libc.statfs(os.fsencode(path), buffer), path)
    kind = ctypes.c_ulong.from_buffer(buffer).value & 0xFFFFFFFF
    if kind != FUSE:
        return NETWORK.get(kind)
    return fuse_network_of(MOUNTS.read_text(errors="replace"), path.stat().st_dev)


def fuse_network_of(mounts: str, device: int) -> str | None:
    """The kind of network behind a device that is mounted by FUSE, by the table of mounts."""
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        mount, _, file_system = line.partition(" - ")
        if mount.split()[2:3] == [wanted]:
            return FUSE_NETWORK.get(file_system.partition(" ")[0])
    return None


def is_ours(path: Path) -> bool:
    """Tells whether we may leave something at a place: it is our user's and can be written to."""
    there = str(next(one for one in chain((path,), path.parents) if os.path.exists(one)))
    may_write = os.access(there, os.W_OK | os.X_OK, effective_ids=True)
    return may_write and os.stat(there).st_uid == os.geteuid()


def refuse_foreign(path: Path) -> None:
    """Refuses to change files that are closed, or another user's, who could not use them then."""
    owner = path.stat().st_uid
    if owner != os.geteuid():
        raise Refused(
            f"the data directory belongs to user {owner}, not to you ({os.geteuid()}): {path}",
            hints=[f"work as that user, or {ELSEWHERE}"],
        )
    if not is_ours(path):
        raise Refused(
            f"the data directory can be read and not written to: {path}",
            hints=[f"make it writable, or {ELSEWHERE}"],
        )


def make_durably(path: Path) -> None:
    """Makes a directory for its owner alone; its name and those above it survive a power cut."""
    if path.is_dir():
        return
    if not path.parent.exists():
        make_durably(path.parent)
    path.mkdir(exist_ok=True, mode=0o700)
    sync_directory(path.parent)
