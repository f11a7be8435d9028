"""What checkpoints cost: to make them, to go back to them, to list them, and to keep them."""

import random

from benchmarks.project import (
    FILE_BYTES,
    FILES,
    LISTED,
    BenchProject,
    OnProject,
    exactly,
    processes_started_by,
    within,
)

# A changed file is stored anew, and so is each directory on the way to it: at most four, of ten
# entries each. Nothing in this depends on how many files there are.
BYTES_PER_CHANGE = FILE_BYTES + 4 * 1024
BYTES_PER_CHECKPOINT = 4 * 1024


class Creation(OnProject):
    """Saving a state in which some files have changed."""

    def time_create(self, *_):
        self.project.checkpoint()

    def track_bytes_stored(self, _, __, changed):
        before = sum(self.project.packs().values())
        saved = self.project.checkpoint()
        added = sum(self.project.packs().values()) - before
        exactly("bytes it tells", saved.size_bytes, added)
        most = changed * BYTES_PER_CHANGE + BYTES_PER_CHECKPOINT
        return within("bytes stored", added, least=changed * FILE_BYTES, most=most)

    track_bytes_stored.unit = "bytes"


class CreationCounts(OnProject):
    """What saving a state takes, besides time."""

    params = [FILES, [10]]

    def track_packs_stored(self, *_):
        before = self.project.packs()
        self.project.checkpoint()
        return exactly("packs", len(self.project.packs().keys() - before.keys()), 1)

    track_packs_stored.unit = "packs"

    def track_processes_started(self, *_):
        return exactly("processes", processes_started_by(self.project.checkpoint), 0)

    track_processes_started.unit = "processes"

    def track_bytes_of_second_copy(self, *_):
        """Content that is there already, under whatever name, is not stored again."""
        content = random.randbytes(256 * 1024)
        (self.project.sandbox / "copied").write_bytes(content)
        self.project.checkpoint()
        (self.project.sandbox / "copy").write_bytes(content)
        saved = self.project.checkpoint()
        return within("bytes stored", saved.size_bytes, most=BYTES_PER_CHECKPOINT)

    track_bytes_of_second_copy.unit = "bytes"


class Unchanged(OnProject):
    """Saving a state that is saved already."""

    params = [FILES, [0]]

    def time_create(self, *_):
        self.project.automatic_checkpoint()

    def track_packs_stored(self, *_):
        before, rows = self.project.packs(), self.project.checkpoints()
        self.project.automatic_checkpoint()
        exactly("checkpoints", len(self.project.checkpoints()), len(rows))
        return exactly("packs", len(self.project.packs().keys() - before.keys()), 0)

    track_packs_stored.unit = "packs"


class Rollback(OnProject):
    """Going back to the latest checkpoint from a state in which some files have changed."""

    def time_rollback(self, *_):
        self.project.rollback(self.project.checkpoints()[-1])


class Listing:
    """Listing as many checkpoints as a plan keeps."""

    number = 1
    warmup_time = 0
    setup_cache = OnProject.setup_cache

    def setup(self, home):
        self.project = BenchProject(home / "listing", FILES[0])
        while len(self.project.checkpoints()) < LISTED:
            self.project.checkpoint()

    def time_list(self, _):
        self.project.checkpoints()

    def time_list_process(self, _):
        """The same by the command, in a process that starts from nothing."""
        self.project.agents("plan", "checkpoint", "list", "@")

    def track_checkpoints_kept(self, _):
        """However many are made."""
        self.project.checkpoint()
        return exactly("checkpoints", len(self.project.checkpoints()), LISTED)

    track_checkpoints_kept.unit = "checkpoints"
