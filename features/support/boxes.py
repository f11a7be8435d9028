"""The sandbox of a scenario's plan, and the commands that work on it."""

from oracle import differences, picture
from ordinary import ordinary_user

from cleveragents.app import App


def agents(context, *arguments):
    """Runs a command as the user of the scenario, on the project of the scenario."""
    options = context.options if "options" in context else ()
    if "as_ordinary_user" not in context:
        return context.world.agents(*options, *arguments)
    with ordinary_user(context.groups if "groups" in context else ()):
        return context.world.agents(*options, *arguments)


def sandbox_of(context):
    """The sandbox of the latest plan."""
    app = App(context.world.project, data_dir=context.world.data_dir)
    return app.plans.status(app.plans.find("@")).sandbox


def pictures(sandbox):
    """What the oracle sees in all directories of a sandbox."""
    return {name: picture(path) for name, path in sandbox.roots.items()}


def all_differences(before, after):
    """Tells what differs between two such looks."""
    return [f"{name}: {line}" for name in before for line in differences(before[name], after[name])]
