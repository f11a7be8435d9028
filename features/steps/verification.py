"""Steps about reading checkpoints back."""

import os
from collections import Counter

from behave import given, then
from checkpoints import checkpoints
from inside import Inside

from cleveragents.checkpoints.verification import Verification
from cleveragents.snapshots.archive import Archive
from cleveragents.snapshots.store.store import Store


@then("the damage is told of {count:d} plans")
def check_plans(context, count):
    found = {one["plan_id"] for one in context.world.done.data["damaged"]}
    assert len(found) == count, found


@given("a file of {size:d} MiB that two checkpoints share")
def share_file(context, size):
    (context.world.sandbox / "large").write_bytes(os.urandom(size << 20))
    for label in ("one", "two"):
        done = context.world.agents("plan", "checkpoint", "create", "@", "--label", label)
        assert done.code == 0, done.err


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
