"""Checkpoints and rollbacks beside what other tools do, measured side by side in one run.

python -m benchmarks.peers [--files 1000 10000 100000] [--repetitions 7]

Ours is shown in milliseconds, everything else as times ours. What is bold is less than one: there
ours takes longer. Tools take turns, so that whatever else the machine does hits all of them, and
medians are shown. CPU is user and system time with all children; wall time depends on the disk.

Ours is measured in a plan that has more checkpoints than it keeps, so that each new one lets one
go. A checkpoint in a running plan follows another at once, as after a quick step; after a slow one
it looks at every file, and is shown apart. The others have few states and keep all, which is in
their favour; they save a copy of the project, without its repository. What is done once in a while
is in no median: freeing space at the end of some of our commands, `git gc`. Files that have changed
are compared with what was saved after each way back.

What each promises when it says that it is done:

ours    Saved: content and row are synced. Back: every file, mode, extended attribute, link and
        empty directory is as it was, what came since is gone, what was placed is read back, all is
        synced, and what was there before is saved. A change is known by size, times and inode.
git     As coding agents call it on a repository of their own; nothing is synced, of modes one bit
        is kept, of empty directories, ignored files and nested repositories nothing.
          git commit              add -A, commit; back: reset --hard, clean -fd
          git write-tree          add -A, write-tree: the least that git needs
          manyFiles …             the same with feature.manyFiles
restic  Saved: synced and encrypted; a key is derived at every start. Back: versions before 0.17
        write every file and leave what came since, so all goes to an empty directory, synced. To
        put that in place would be a rename.
borg    The same, not encrypted.
rsync   -aHAX --link-dest, synced. A change is known by size and time alone, to the nanosecond.
        Back: --delete, synced; a crash on the way leaves a mixture.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.trials.beside import OURS, Row, rows
from benchmarks.trials.ways import PEERS, is_installed

WIDTHS = (7, 46, 14)  # of the first columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--repetitions", type=int, default=7)
    options = parser.parse_args()
    for program in sorted({way.program for way in PEERS if not is_installed(way)}):
        print(f"{program}: not installed")
    peers = [way.name for way in PEERS if is_installed(way)]
    show_line(["files", "what", OURS, *peers], peers)
    show_line(["---"] * (len(peers) + 3), peers)
    for files in options.files:
        with tempfile.TemporaryDirectory(prefix="peers-") as home:
            for row in rows(Path(home), files, options.repetitions):
                show_line([f"{files:,}", *cells(row, peers)], peers)


def cells(row: Row, peers: Sequence[str]) -> list[str]:
    """What ours takes, and what the others take beside it."""
    ours = row.values[OURS]
    told = [beside(row.values[name] / ours) if name in row.values else "" for name in peers]
    return [row.what, f"{ours:,.{0 if ours >= 100 else 1}f} {row.unit}", *told]


def beside(ratio: float) -> str:
    """A ratio with two digits; where ours takes longer it is bold."""
    if ratio < 1:
        return f"**{ratio:.2f} x**"
    return f"{ratio:.{0 if ratio >= 10 else 1}f} x"


def show_line(columns: Sequence[str], peers: Sequence[str]) -> None:
    """Prints a line of the table, which is Markdown."""
    widths = [*WIDTHS, *(max(len(name), len("**0.00 x**")) for name in peers)]
    padded = (cell.ljust(width) for cell, width in zip(columns, widths, strict=True))
    print("|", " | ".join(padded), "|", flush=True)


if __name__ == "__main__":
    main()
