"""How long the way back takes, and that it touches nothing but what has changed."""

from benchmarks.project import FILES, OnProject, exactly, processes_started_by


class _WayBack(OnProject):
    def setup(self, home, files, changed):
        super().setup(home, files, changed)
        self.target = self.project.checkpoints()[-1]


class RollbackLatency(_WayBack):
    """From the wish to go back until the files are back, verified and durable."""

    def time_rollback(self, *_):
        self.project.rollback(self.target)

    def track_paths_changed(self, _, __, changed):
        done = self.project.rollback(self.target)
        return exactly("paths", len(done.changes), changed)

    track_paths_changed.unit = "paths"


class RollbackSteps(_WayBack):
    """What comes before it, what comes after it, and what it takes besides time."""

    params = [FILES, [10]]

    def time_preview(self, *_):
        self.project.service.preview_rollback(self.project.plan_id, self.target)

    def time_there_and_back(self, *_):
        """Back, and forth again to what the rollback had saved."""
        done = self.project.rollback(self.target)
        self.project.rollback(done.safety)

    def time_process(self, *_):
        """By the command, in a process that starts from nothing."""
        self.project.agents("plan", "rollback", "@", str(self.target.seq), "--yes")

    def track_files_written(self, _, __, changed):
        """Files that did not change are not touched."""
        before = self._touched()
        self.project.rollback(self.target)
        after = self._touched()
        exactly("files", len(after), len(before))
        return exactly("files touched", len(set(after.items()) - set(before.items())), changed)

    track_files_written.unit = "files"

    def track_processes_started(self, *_):
        started = processes_started_by(lambda: self.project.rollback(self.target))
        return exactly("processes", started, 0)

    track_processes_started.unit = "processes"

    def _touched(self):
        """Returns when the content or the inode of each file last changed."""
        files = (path for path in self.project.sandbox.rglob("*") if path.is_file())
        return {path: path.stat().st_ctime_ns for path in files}
