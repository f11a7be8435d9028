"""Steps about the data directory of an earlier version."""

import json
import shutil
from pathlib import Path

import old_data
from behave import given, then, when


@given("the data directory of {version}, unpacked {where}")
def unpack(context, version, where):
    release = old_data.RELEASES[version]
    place = UNPACKED[where](release)
    context.add_cleanup(shutil.rmtree, place)
    context.digests = json.loads(release.digests.read_text())
    context.of_chat = context.digests.pop("a chat", {})
    context.world.project, context.world.data_dir = place / "project", place / "data"


UNPACKED = {"where it was made": old_data.unpack, "in another place": old_data.unpack_elsewhere}


@then("every plan of it is listed")
def check_listed(context):
    listed = context.world.agents("plan", "list", "--format", "json").data["plans"]
    found = {row["plan_id"] for row in listed}
    assert {name.split()[0] for name in context.digests} <= found, found


@when("the doctor has repaired what it found")
def repair(context):
    found = context.world.agents("doctor", "--format", "json")
    assert found.code == 1, found.out
    context.found = [row["check"] for row in found.data["findings"] if row["level"] == "problem"]
    context.repaired = context.world.agents("doctor", "--repair", "--format", "json")
    assert context.repaired.code == 0, context.repaired.out


@then("it has finished the rollback")
def check_finished(context):
    assert context.found == ["operations"], context.found
    said = " ".join(context.repaired.data["repairs"])
    assert "what was interrupted is finished" in said, said


@then("it has mended the broken line, finished the rollback")
def check_repaired(context):
    assert sorted(context.found) == ["lines", "operations"], context.found
    said = " ".join(context.repaired.data["repairs"])
    assert "is mended" in said, said
    assert "what was interrupted is finished" in said, said
    torn = "parent_id NOT IN (SELECT checkpoint_id FROM checkpoints)"
    assert not context.world.sql(f"SELECT seq FROM checkpoints WHERE {torn}")
    for (plan_id,) in context.world.sql("SELECT plan_id FROM plans WHERE name = 'line'"):
        first = context.world.agents("plan", "checkpoint", "list", plan_id, "--format", "json")
        assert not first.data["checkpoints"][0]["marked"], first.out


@then('the plan "{name}" is taken out of the project, which is as it was')
def check_unapplied(context, name):
    ((plan_id,),) = context.world.sql("SELECT plan_id FROM plans WHERE name = ?", name)
    assert (context.world.project / "d3").is_dir()
    done = context.world.agents("plan", "unapply", plan_id, "--yes")
    assert done.code == 0, done.err
    left = sorted(path.name for path in context.world.project.iterdir())
    assert left == ["kept.sh", "v"], left
    assert (context.world.project / "v").read_text() == "0\n"


@then("going back to {which} checkpoint of each plan brings back what was there")
def check_going_back(context, which):
    numbers = [(plan, int(cp[2:])) for plan, cp in map(str.split, context.digests)]
    wanted = dict(sorted(numbers)).items() if which == "the newest" else numbers
    for plan_id, number in wanted:
        name, checkpoint = f"{plan_id} cp{number}", f"cp{number}"
        done = context.world.agents("plan", "rollback", plan_id, checkpoint, "--yes", "--rebuild")
        assert done.code == 0, (name, done.err)
        ((path,),) = context.world.sql("SELECT path FROM sandboxes WHERE plan_id = ?", plan_id)
        assert old_data.digest(path) == context.digests[name], name


@then('the plan "{name}" can be corrected')
def check_corrected(context, name):
    ((plan_id,),) = context.world.sql("SELECT plan_id FROM plans WHERE name = ?", name)
    assert context.world.agents("plan", "execute", plan_id).code == 0
    counts = "cursor = '1' AND superseded_by IS NULL"
    query = f"SELECT decision_id FROM decisions WHERE plan_id = ? AND {counts}"
    ((decision,),) = context.world.sql(query, plan_id)
    done = context.world.agents(
        "plan", "correct", decision, "--guidance", "otherwise", "--choose", "b", "--yes"
    )
    assert done.code == 0, done.err


@when('I take "agents {words}" where the agent worked')
def run_in_chat(context, words):
    context.chat = context.world.project.with_name("chat")
    done = context.world.agents(*words.split(), cwd=context.chat)
    assert done.code == 0, done.err


@then('all is there as "{moment}" in it')
def check_chat(context, moment):
    assert old_data.digest(context.chat, times=False) == context.of_chat[moment]


@then("what the user wrote there is all that differs from before")
def check_edits(context):
    chat = context.chat
    assert (chat / "lines").read_text() == "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"
    assert (chat / "mine").read_text() == "mine\n"
    (chat / "mine").unlink()
    (chat / "lines").write_text("".join(f"{n}\n" for n in range(1, 10)))
    check_chat(context, "before")


@then('the steps of the plan "{name}" were confined to "{levels}"')
def check_confined(context, name, levels):
    status = context.world.agents("plan", "status", name, "--format", "json").data
    found = [(row["status"], row["level"], row["way"]) for row in status["progress"]]
    assert found == [("done", one, "namespaces") for one in levels.split(", ")], found


@then('the plan "{name}" has {count:d} of its steps')
def check_steps(context, name, count):
    left = sorted(path.name for path in _sandbox(context, name).glob("d*"))
    assert left == [f"d{number + 1}" for number in range(count)], left


@then('the plan "{name}" has no "{path}"')
def check_without(context, name, path):
    assert (_sandbox(context, name) / "v").read_text() == "1\n"
    assert not (_sandbox(context, name) / path).exists()


def _sandbox(context, name):
    query = "SELECT s.path FROM sandboxes s JOIN plans p ON p.plan_id = s.plan_id WHERE p.name = ?"
    ((path,),) = context.world.sql(query, name)
    return Path(path)
