"""Steps about what a sandbox holds, that it comes back, and that git works in it."""

import os

from behave import then
from boxes import agents, all_differences, pictures, sandbox_of
from oracle import assert_same, picture
from trees import git
from wrecks import WRECKS

# --- what it holds -----------------------------------------------------------------------------


@then("the sandbox holds exactly what the user sees")
def check_content(context):
    check_content_but(context, "")


@then('the sandbox holds exactly what the user sees but for "{paths}"')
def check_content_but(context, paths):
    left_out = [b".git", *map(os.fsencode, filter(None, paths.split(", ")))]
    seen = picture(context.world.project, without=left_out)
    assert_same(seen, picture(sandbox_of(context).path, without=[b".git"]))


@then("the sandbox is an exact copy of the project")
def check_copy(context):
    assert_same(picture(context.world.project), picture(sandbox_of(context).path))


@then('the sandbox is an exact copy of the project\'s "{folder}"')
def check_copy_of(context, folder):
    assert context.world.project.name == folder
    check_copy(context)


@then('the sandbox holds exactly the bytes of the commit "{revision}"')
def check_commit(context, revision):
    top, sandbox = context.world.project, sandbox_of(context).path
    expected = {}
    for line in git(top, "ls-tree", "-r", "-z", revision).split("\0")[:-1]:
        about, name = line.split("\t", 1)
        mode, _, identity = about.split()
        expected[name] = (mode, git(top, "cat-file", "blob", identity))
    found = {}
    for path in sandbox.rglob("*"):
        if path.is_symlink():
            found[str(path.relative_to(sandbox))] = ("120000", os.readlink(path))
        elif path.is_file() and path.name != ".git":
            mode = "100755" if path.stat().st_mode & 0o100 else "100644"
            text = os.fsdecode(path.read_bytes())
            found[str(path.relative_to(sandbox))] = (mode, text)
    assert found == expected, f"{found}\n{expected}"


@then('the sandbox has "{path}"')
def check_there(context, path):
    assert os.path.lexists(sandbox_of(context).path / path)


@then('the sandbox has no "{path}"')
def check_absent(context, path):
    assert not os.path.lexists(sandbox_of(context).path / path)


@then('the project has no "{path}"')
def check_project_absent(context, path):
    assert not os.path.lexists(context.world.project / path)


@then('a note of the sandbox says "{text}"')
def check_note(context, text):
    notes = sandbox_of(context).notes
    assert any(text in note for note in notes), notes
    assert text in context.world.done.err, "the user was not told"


@then("the sandbox comes back exactly {when}")
def check_wrecks(context, when):
    before = _saved(context)
    for ways in WRECKED[when]:
        _check_wreck(context, before, *ways)


WRECKED = {
    "after it was wrecked": [("turned over", "changed", "overgrown")],
    "however it is wrecked": [(way,) for way in WRECKS],
}


def _saved(context):
    done = agents(context, "plan", "checkpoint", "create", "@")
    assert done.code == 0, done
    return pictures(sandbox_of(context))


def _check_wreck(context, before, *ways):
    """Wrecks the files and the git directory, rolls back, and looks."""
    sandbox = sandbox_of(context)
    for way in ways:
        for root in sandbox.roots.values():
            WRECKS[way](root)
    assert all_differences(before, pictures(sandbox)), f"{ways}: nothing was wrecked"
    done = agents(context, "plan", "rollback", "@", "@", "--yes")
    assert done.code == 0, f"{ways}: {done.err}"
    found = all_differences(before, pictures(sandbox))
    assert not found, "\n".join([f"{ways}:", *found])


@then("the sandbox is exactly as it was")
def check_remembered(context):
    found = all_differences(context.sandbox_seen, pictures(context.first))
    assert not found, found


@then("the user's project is bit for bit as it was")
def check_project(context):
    assert_same(context.project_seen, picture(_project_remembered(context)))


def _project_remembered(context):
    """The project may since be one of its folders."""
    for path in (context.world.project, *context.world.project.parents):
        if path.parent == context.world.home:
            return path
    return context.world.project


# --- how a plan ended --------------------------------------------------------------------------


@then("the plan succeeded")
def check_success(context):
    assert context.world.done.code == 0, context.world.done.err


@then('the plan failed, saying "{text}"')
def check_failed(context, text):
    _check_end(context, 1, text)


@then('the plan was refused, saying "{text}"')
def check_refused(context, text):
    _check_end(context, 4, text)


@then('the rollback was refused, saying "{text}" with the hint "{hint}"')
def check_rollback_refused(context, text, hint):
    _check_end(context, 4, text)
    hints = [line for line in context.world.done.err.splitlines() if line.startswith("hint")]
    assert any(hint in line for line in hints), hints


def _check_end(context, code, text):
    done = context.world.done
    assert done.code == code, done
    assert text in done.err, done.err


# --- git in it ---------------------------------------------------------------------------------


@then('git in the sandbox lists as changed "{paths}"')
def check_status(context, paths):
    top = sandbox_of(context).path
    told = git(top, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    found = sorted(line[3:] for line in told.split("\0")[:-1])
    assert found == paths.split(", "), found


@then('git in the sandbox lists as changed ""')
def check_clean(context):
    top = sandbox_of(context).path
    told = git(top, "status", "--porcelain", "--untracked-files=all")
    assert told == "", told


@then('git in the sandbox says "{text}" to "{command}"')
def check_git(context, text, command):
    found = git(sandbox_of(context).path, *command.split()).rstrip("\n")
    assert found == text.replace("\\n", "\n"), found


@then('git in the sandbox says "" to "{command}"')
def check_git_silent(context, command):
    found = git(sandbox_of(context).path, *command.split())
    assert found == "", found


@then('git in the sandbox\'s "{folder}" says "{text}" to "{command}"')
def check_git_in(context, folder, text, command):
    found = git(sandbox_of(context).path / folder, *command.split()).rstrip("\n")
    assert found == text, found


@then("the plan's branch is checked out in the sandbox")
def check_branch(context):
    sandbox = sandbox_of(context)
    assert sandbox.branch == f"cleveragents/plan-{sandbox.plan_id}"
    assert git(sandbox.path, "symbolic-ref", "HEAD") == f"refs/heads/{sandbox.branch}\n"
