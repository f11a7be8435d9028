"""Steps about projects and the plans that make, use and lose a sandbox of them."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from behave import given, step, when
from boxes import agents, pictures, sandbox_of
from forked import die, forked
from oracle import picture
from ordinary import hand_over
from trees import TREES
from world import World

from cleveragents.snapshots.archive import Archive

NOTHING = "name: nothing\nsteps: [{tool: shell, with: {command: 'true'}}]\n"


@given("a project with {content}")
def build_project(context, content):
    TREES[content](context.world.project)


@given('the project is "{name}"')
def choose_project(context, name):
    context.world.project = context.world.home / _meant(name)
    context.world.project.mkdir(exist_ok=True)


@given('the data directory is "{name}"')
def choose_data_dir(context, name):
    context.world.data_dir = context.world.home / _meant(name)


@given('the folders of project and data are "{name}" and "{data}"')
def choose_both(context, name, data):
    choose_project(context, name)
    choose_data_dir(context, data)


@given("a project on another file system")
def choose_elsewhere(context):
    here = context.world.home.stat().st_dev
    places = [Path(place) for place in ("/dev/shm", "/var/tmp", "/tmp")]
    elsewhere = next((p for p in places if p.is_dir() and p.stat().st_dev != here), None)
    if elsewhere is None:
        context.scenario.skip("there is no other file system here")
        return
    context.world.project = elsewhere / f"project-{context.world.home.name}"
    context.world.project.mkdir()
    context.add_cleanup(shutil.rmtree, context.world.project)


@given("an ordinary user owns the project")
def give_project_away(context):
    warm = World()  # loads every module while root may still read them all
    warm.agents("run", warm.write_action(NOTHING))
    warm.remove()
    hand_over(context.world.home)
    context.as_ordinary_user = True
    context.add_cleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
    tempfile.tempdir = str(context.world.home)  # the one we use may not be open to everybody


@given("the user's project is remembered")
def remember_project(context):
    context.project_seen = picture(context.world.project)


@step("the sandbox is remembered")
def remember_sandbox(context):
    context.first = sandbox_of(context)
    context.sandbox_seen = pictures(context.first)


@given('the shell has run "{command}" in its sandbox')
def run_shell_in_sandbox(context, command):
    top = sandbox_of(context).path
    subprocess.run(["/bin/sh", "-ec", command], cwd=top, check=True)
    hand_over(top)


@given("{cause} left a sandbox half made")
def leave_half_made(context, cause):
    CAUSES[cause](context)
    assert context.world.sql("SELECT status FROM sandboxes") == [("creating",)]
    assert list(context.world.data_dir.glob("sandboxes/*")), "nothing was made at all"


def _fail_half_way(context):
    deep = context.world.project / "deep"
    (deep / "/".join("d" * 201)).mkdir(parents=True)
    try_plan(context)
    assert context.world.done.code == 4, context.world.done
    shutil.rmtree(deep)


def _kill_by_git(context):
    """Puts a git in front that kills who calls it once it is asked what is ignored."""
    folder = context.world.home / "bin"
    folder.mkdir()
    wrapper = folder / "git"
    wrapper.write_text(
        '#!/bin/sh\ncase "$*" in *ls-files*) kill -KILL $PPID;; esac\n'
        f'exec "{shutil.which("git")}" "$@"\n'
    )
    wrapper.chmod(0o755)
    context.world.variables["PATH"] = f"{folder}:{os.environ['PATH']}"
    context.world.agents_beside("run", context.world.write_action(NOTHING))
    assert context.world.end_of_child().code < 0, context.world.done
    del context.world.variables["PATH"]


def _kill_after_copy(context):
    def work():
        fill = Archive.fill

        def fill_and_die(*given):
            fill(*given)
            die()

        Archive.fill = fill_and_die
        try_plan(context)

    assert forked(work) < 0
    (planted,) = context.world.data_dir.glob("sandboxes/*/tree")
    (planted / "left over").write_text("of the first try\n")


CAUSES = {
    "a project that cannot be read": _fail_half_way,
    "a process killed by its git": _kill_by_git,
    "a process killed after its copy": _kill_after_copy,
}


def _meant(name):
    return name.replace("\\n", "\n").replace("\\xe9", os.fsdecode(b"\xe9"))


@given("a plan has run")
@when("a plan runs")
def run_plan(context):
    try_plan(context)
    assert context.world.done.code == 0, context.world.done.err


@when("a plan runs the steps")
def run_steps(context):
    lines = "".join(f"  {line}\n" for line in context.text.splitlines())
    action = context.world.write_action(f"name: steps\nsteps:\n{lines}")
    done = context.world.agents("run", action)
    assert done.code == 0, done.err


@when("a plan is tried")
def try_plan(context):
    agents(context, "run", context.world.write_action(NOTHING))


@when('a plan is tried with "{options}"')
def try_plan_with(context, options):
    agents(context, *options.split(), "run", context.world.write_action(NOTHING))


@when('a plan runs with "{options}"')
def run_plan_with(context, options):
    try_plan_with(context, options)
    assert context.world.done.code == 0, context.world.done.err
    context.world.project /= options.split()[-1]
    context.options = ("--project", context.world.project)


@when('a plan runs in the project\'s "{folder}"')
def run_plan_in(context, folder):
    action = context.world.write_action(NOTHING)
    done = context.world.agents("run", action, cwd=context.world.project / folder)
    assert done.code == 0, done.err


@when("the plan is executed again")
def execute_again(context):
    agents(context, "plan", "execute", "@")


@when('"agents {line}" is run')
def run_command(context, line):
    done = context.world.agents(*line.split())
    assert done.code == 0, done.err + done.out


@when("the plan is rolled back to before step {index:d}")
def roll_back_to_step(context, index):
    app = context.world.app()
    rows = app.checkpoints.list_checkpoints(app.plans.find("@").plan_id)
    first = next(row for row in rows if row.step_index == index)
    done = context.world.agents("plan", "rollback", "@", first.seq, "--yes")
    assert done.code == 0, done.err


@when("a rollback to checkpoint {seq:d} is tried")
def try_rollback(context, seq):
    context.world.agents("plan", "rollback", "@", seq, "--yes")


@step("the sandbox's {part} is {fate}")
def change_part(context, part, fate):
    sandbox = sandbox_of(context)
    path = {
        "home": sandbox.home,
        "tree": sandbox.path,
        "git": sandbox.git_dir,
        "staging": sandbox.staging,
    }[part]
    if fate == "lost":
        shutil.rmtree(path)
        return
    moved = path.rename(context.world.home / "moved away")
    users = context.world.project / ".git" if part == "git" else context.world.project
    {
        "swapped for a link to the user's": lambda: path.symlink_to(users),
        "moved away from a link": lambda: path.symlink_to(moved),
        "moved away from a file": lambda: path.write_text("in the way\n"),
    }[fate]()
