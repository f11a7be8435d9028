"""Steps about what an apply does to the user's project, and what it must not."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pexpect
from behave import given, then, when
from boxes import agents
from commands import in_project
from inside import Inside
from oracle import assert_same, picture
from trees import git
from world import Done

from cleveragents.operations.in_project import Apply
from cleveragents.operations.operation import OperationRepository

GIT = b".git"


def _files(context):
    """Everything in the project but its git directory."""
    return picture(context.world.project, without=[GIT])


@given("the user's repository and files are remembered")
def remember(context):
    context.users_files = _files(context)
    context.users_git = _git_picture(context)


def _git_picture(context):
    top = context.world.project / ".git"
    return picture(top) if top.is_dir() else None


@then("the user's repository and files are as they were")
def unchanged(context):
    assert_same(_without_times(context.users_files), _without_times(_files(context)))
    if context.users_git is not None:
        found = _git_picture(context)
        assert_same(_lasting(context.users_git), _lasting(found))


def _without_times(seen):
    return {path: replace(each, mtime=None) for path, each in seen.items()}


def _lasting(seen):
    """What must be bit-identical: all but objects that came and are reachable from nowhere."""
    return {
        path: each
        for path, each in _without_times(seen).items()
        if not path.startswith((b"objects", b"refs/heads/cleveragents", b"logs/refs/heads/clever"))
    }


@then("the project has the plan's result and all else is as it was")
def has_result(context):
    top = context.world.project
    expected = _without_times(context.users_files)
    found = _without_times(_files(context))
    changed = {b"text", b"new", b"n", b"n/m", b"n/m/f", b"d", b"d/old", b"link", b"run"}
    assert_same(
        {path: each for path, each in expected.items() if path not in changed},
        {path: each for path, each in found.items() if path not in changed},
    )
    assert (top / "text").read_text() == "2\n3\n4\n5\n6\n7\n8\n9\n"
    assert (top / "new").read_text() == "plan\n"
    assert (top / "n/m/f").read_text() == "in\n"
    assert not (top / "d").exists()
    assert os.readlink(top / "link") == "keep"
    assert (top / "run").stat().st_mode & 0o777 == 0o755
    if context.users_git is not None:
        assert_same(_without_times(context.users_git), _without_times(_git_picture(context)))


@then('the project\'s file "{name}" holds "{text}"')
def project_file(context, name, text):
    found = (context.world.project / name).read_text()
    assert found.rstrip("\n") == text.encode().decode("unicode_escape"), repr(found)


@then('in the project "{check}" holds')
def project_check(context, check):
    context.world.sh(check)


@then('"{command}" in the project prints')
def project_prints(context, command):
    found = in_project(context, command)
    assert found.split() == context.text.split(), found


@when('somebody edits "{name}" while the question of "agents {line}" stands')
def edit_meanwhile(context, name, line):
    terminal = context.world.agents_on_terminal(*line.split())
    terminal.expect_exact("[y/N]")
    with (context.world.project / name).open("a") as file:
        file.write("10\n")
    terminal.sendline("y")
    terminal.expect(pexpect.EOF)
    terminal.close()
    context.world.done = Done(terminal.exitstatus, terminal.before, "")


def _branch(context):
    return f"cleveragents/plan-{context.world.plan.plan_id}"


@then('the plan\'s branch changes "{path}" not and "{changes}"')
def branch_changes(context, path, changes):
    listed = git(
        context.world.project, "diff", "--name-status", "--no-renames", "HEAD", _branch(context)
    )
    found = ", ".join(sorted(" ".join(line.split("\t")) for line in listed.splitlines()))
    assert found == changes, found
    assert path not in found


@then('the validations that are stored are "{codes}"')
def stored_validations(context, codes):
    rows = context.world.sql("SELECT outcome_json FROM operations WHERE kind = 'validate'")
    found = [check["exit_code"] for (text,) in rows for check in json.loads(text)["checks"]]
    assert found == [int(code) for code in codes.split()], found


@then("{some} files of a sandbox are left")
def left_of_sandboxes(context, some):
    found = list((context.world.data_dir / "sandboxes").iterdir())
    assert bool(found) == (some == "some"), found


@given("a sandbox was half removed")
def half_removed(context):
    world = context.world
    (home,) = (world.data_dir / "sandboxes").iterdir()
    home.rename(home.with_name(f"{home.name}.removing"))
    world.sql("UPDATE sandboxes SET status = 'removed'")


@given("a removal was killed before it moved anything")
def removal_killed(context):
    context.world.sql("UPDATE sandboxes SET status = 'removed'")


@given('the subplan\'s file "{name}" is changed to "{text}"')
def change_in_subplan(context, name, text):
    (_of_subplan(context) / name).write_text(text)


def _of_subplan(context):
    ((path,),) = context.world.sql(
        "SELECT path FROM sandboxes JOIN plans USING (plan_id) WHERE parent_plan_id IS NOT NULL"
    )
    return Path(path)


@then("the output is")
def output_is(context):
    assert context.world.done.out.strip() == context.text.strip(), context.world.done.out


@then("operations keep {count:d} snapshots")
def check_kept_count(context, count):
    assert len(kept(context)) == count, kept(context)


@then("operations keep the versions of the latest apply")
def check_apply_kept(context):
    intent = latest_apply(context)
    missing = {intent.base, intent.result, *intent.versions} - kept(context)
    assert not missing, missing


def kept(context):
    """The snapshots that operations of the project still need."""
    inside = Inside(context.world)
    with inside.database.reading() as connection:
        return OperationRepository(connection).kept_refs(inside.plan.project_id)


def latest_apply(context):
    """What the latest apply of the plan intended."""
    inside = Inside(context.world)
    with inside.database.reading() as connection:
        return OperationRepository(connection).latest(inside.plan.plan_id, Apply).intent


@then('the paths in the way are "{paths}"')
def check_obstacles(context, paths):
    found = [line["path"] for line in context.world.done.data["obstacles"]]
    assert found == paths.split(", "), found


@then('the notes on "{path}" are "{notes}"')
@then('the notes on "{path}" are ""')
def check_notes(context, path, notes=""):
    (found,) = [row["notes"] for row in context.world.done.data["files"] if row["path"] == path]
    assert "; ".join(found) == notes, found


@given("the user is a member of group {group:d}")
def join_group(context, group):
    context.groups = [group]


@given('"{paths}" of the project belong to "{owner}"')
@given('"{paths}" of the project belongs to "{owner}"')
def set_owner(context, paths, owner):
    context.world.sh(f"chown -h {owner} {paths}")


@then('"{paths}" of the project belong to "{owner}"')
@then('"{paths}" of the project belongs to "{owner}"')
def check_owner(context, paths, owner):
    found = context.world.sh(f"stat -c %u:%g {paths}").split()
    assert found == [owner] * len(paths.split()), found


@when('the user runs "agents {line}"')
def run_as_user(context, line):
    arguments = [str(context.action) if word == "ACTION" else word for word in line.split()]
    done = agents(context, *arguments)
    assert done.code == 0, done.err + done.out


@then('the latest checkpoint of {whose} holds the file "{name}" with "{text}"')
def latest_holds(context, whose, name, text):
    """Read without a sandbox, which may be gone."""
    is_subplans = "IS NOT NULL" if whose == "the subplan" else "IS NULL"
    query = f"SELECT plan_id FROM plans WHERE parent_plan_id {is_subplans} ORDER BY number DESC"
    plan_id = context.world.sql(query)[0][0]
    target = context.world.home / "extracted"
    done = context.world.agents("plan", "rollback", plan_id, "@", "--to", target)
    assert done.code == 0, done.err
    assert (target / name).read_text().strip() == text
