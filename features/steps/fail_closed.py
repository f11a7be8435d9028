"""Steps about what is lost under a running plan."""

from behave import then
from checkpoints import checkpoints


@then("every checkpoint that is intact can be gone back to")
def check_all(context):
    """The state before the last step must be among them if that step has run."""
    for aside in context.world.data_dir.glob("projects/*/store/away"):
        (aside.parent / "packs").unlink()
        aside.rename(aside.parent / "packs")
    app = context.world.app()
    rows = checkpoints(context)
    found = app.checkpoints.verify_checkpoints(rows)
    good = [verified.checkpoint for verified in found if verified.is_intact]
    if (context.world.home / "gate.ran").exists():
        assert rows[-1] in good, [row.name for row in good]
        before = [row for row in good if row.step_index == 2]
        assert before, "the state before the step that ran is lost"
    for row in good:
        done = context.world.agents("plan", "rollback", "@", row.seq, "--yes")
        assert done.code == 0, done.err
        expected = {0: None, 1: "1\n", 2: "2\n", 3: "3\n"}[row.step_index]
        path = context.world.sandbox / "v"
        assert (path.read_text() if path.exists() else None) == expected, row


@then("the step {has} run")
def check_ran(context, has):
    assert context.world.gate.with_name("gate.ran").exists() == (has == "has"), has
