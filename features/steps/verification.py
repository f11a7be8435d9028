"""Steps about reading checkpoints back."""

from collections import Counter

from behave import then
from checkpoints import checkpoints

from cleveragents.checkpoints.verification import Verification


@then("the damage is told of {count:d} plans")
def check_plans(context, count):
    found = {one["plan_id"] for one in context.world.done.data["damaged"]}
    assert len(found) == count, found


@then("reading all checkpoints back reads each object once")
def check_reads(context):
    app = context.world.app()
    archive = app.checkpoints._sandboxes.archive(app.plans.find("@").project_id)
    verification = Verification(archive)
    read, reads = verification._verifier._read, Counter()

    def counted(identity):
        reads[identity] += 1
        return read(identity)

    verification._verifier._read = counted
    for row in checkpoints(context):
        assert verification.of(row).is_intact
    assert len(reads) > 10, reads
    assert set(reads.values()) == {1}, reads.most_common(3)
