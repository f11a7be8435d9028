"""Steps about a project that was moved."""

import shutil

from behave import given, then, when
from commands import words

from cleveragents.storage.lock import Locks


@given('the project is moved to "{name}"')
@when('the project is moved to "{name}"')
def move_project(context, name):
    context.world.project.rename(context.world.home / name)


@when('the directory is copied to "{name}", and gone here')
def copy_project(context, name):
    world = context.world
    shutil.copytree(world.project, world.home / name, symlinks=True)
    world.project.rename(world.home / "gone")


@then("the plans that are told of are {count:d}")
def count_plans(context, count):
    assert len(context.world.done.data["plans"]) == count, context.world.done.out


@when('the plan is owned while "agents {line}" runs below ../{name}')
def run_owned(context, line, name):
    """By this process, which is another one for the command."""
    world = context.world
    place = world.home / name
    ((plan_id,),) = world.sql("SELECT plan_id FROM plans")
    with Locks(world.data_dir / "locks", "plan").own(plan_id, "executing the plan"):
        world.agents(*words(context, line), cwd=place)
