"""The program under test: the product as its users meet it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cleveragents.app import App
from cleveragents.cli.main import run


class Product:
    """`agents`, run inside a process that has imported it already."""

    def run(self, arguments: Sequence[str]) -> int:
        """Runs one command line; returns its exit code."""
        return run(arguments)

    def extract(self, project: Path, data: Path, plan: str, wanted: Mapping[int, Path]) -> None:
        """Writes intact checkpoints beside, by their numbers; leaves out any that is not whole."""
        app = App(project, data_dir=data)
        plan_id = app.plans.find(plan).plan_id
        rows = app.checkpoints.list_checkpoints(plan_id)
        for read in app.checkpoints.verify_checkpoints(rows):
            seq = read.checkpoint.seq
            if seq in wanted and read.is_intact:
                app.checkpoints.extract_checkpoint(plan_id, read.checkpoint, wanted[seq])
