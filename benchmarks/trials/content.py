"""Large files, growing files and real histories: what they take, and how much is kept of them."""

import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.costs import command, cpu, disk_bytes, least
from benchmarks.trials.place import Place
from cleveragents.snapshots.archive import MAIN, Archive
from cleveragents.snapshots.store.store import Store
from cleveragents.snapshots.tree.filter import Filter
from cleveragents.snapshots.tree.tracker import Tracking

ROOT = Path(__file__).parent.parent.parent
GIGABYTE, PIECE = 1 << 30, 1 << 20
LOG_BYTES, APPENDED, TIMES = 200 << 20, 1 << 10, 20
COMMITS = 120


def large_file(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """One byte of a file of a gigabyte changes; in a process of its own, whose memory is told."""
    place = Place(home, 10)
    large = place.tree / "large"
    _fill(large, GIGABYTE)
    hashing = min(least(3, command(["sha256sum", large], home)))
    create = place.agents("plan", "checkpoint", "create", "@")
    create()
    _poke(large, GIGABYTE // 2)
    saving = cpu(create)
    _poke(large, GIGABYTE // 3)
    going_back = cpu(place.agents("plan", "rollback", "@", "@", "--yes"))
    yield "1 GB, one byte changed: checkpoint / sha256sum", saving / hashing
    yield "1 GB, one byte changed: rollback / sha256sum", going_back / hashing
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield "1 GB, one byte changed: memory", memory


def growing_log(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """Bytes that a checkpoint adds when a log has grown by a kilobyte."""
    place = Place(home, 10)
    log = place.tree / "log"
    _fill(log, LOG_BYTES)
    place.checkpoint()
    before = disk_bytes(place.data / "projects")
    for number in range(TIMES):
        with log.open("ab") as file:
            file.write(f"{number:09d}\n".encode() * (APPENDED // 10))
        place.checkpoint()
    added = disk_bytes(place.data / "projects") - before
    yield "1 KB appended to a log of 200 MB", added / TIMES / 1024


def history(home: Path, _: int) -> Iterator[tuple[str, float]]:
    """The last commits of this repository, each a checkpoint, beside git's own pack of them."""
    tree, clone = home / "tree", home / "clone"
    subprocess.run(["git", "clone", "-q", "--bare", ROOT, clone], check=True)
    found = subprocess.run(
        ["git", "rev-list", "--first-parent", "--reverse", f"-{COMMITS}", "HEAD"],
        cwd=clone,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    tree.mkdir()
    archive = Archive(Store(home / "store"), Tracking.SCAN, print)
    for commit in found:
        line = ["git", f"--git-dir={clone}", f"--work-tree={tree}", "checkout", "-qf", commit, "."]
        subprocess.run(line, check=True)
        with archive.capture({MAIN: tree}, Filter()) as capture:
            capture.commit({"commit": commit})
    yield "120 real commits / git's pack", disk_bytes(home / "store") / _packed(home, clone, found)


def _packed(home: Path, clone: Path, commits: list[str]) -> int:
    """The bytes that git needs for the same states, packed as it packs by itself."""
    shallow = home / "shallow"
    depth = f"--depth={len(commits)}"
    subprocess.run(["git", "clone", "-q", "--bare", depth, f"file://{clone}", shallow], check=True)
    subprocess.run(["git", "repack", "-adfq"], cwd=shallow, check=True)
    return disk_bytes(shallow / "objects" / "pack")


def _fill(path: Path, size: int) -> None:
    """Writes noise, which no compression makes smaller."""
    with path.open("wb") as file, open("/dev/urandom", "rb") as noise:
        for _ in range(size // PIECE):
            file.write(noise.read(PIECE))


def _poke(path: Path, place: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))
