"""Steps about reading checkpoints back."""

from collections import Counter

from behave import then
from checkpoints import checkpoints
from inside import Inside

from cleveragents.checkpoints.verification import Verification
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store.store import Store


@then("the damage is told of {count:d} plans")
def check_plans(context, count):
    found = {one["plan_id"] for one in context.world.done.data["damaged"]}
    assert len(found) == count, found


@then("reading all checkpoints back reads each object once")
def check_reads(context):
    reads = Counter()

    class Counted(Store):
        def read(self, identity):
            reads[identity] += 1
            return super().read(identity)

    verification = Verification(Archive(Counted(Inside(context.world).store_directory)))
    for row in checkpoints(context):
        assert verification.of(row).is_intact
    assert len(reads) > 10, reads
    assert set(reads.values()) == {1}, reads.most_common(3)
