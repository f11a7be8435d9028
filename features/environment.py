"""Gives every scenario a world of its own: a temporary folder, removed afterwards."""

from world import World


def before_scenario(context, scenario):
    """Makes the world of the scenario."""
    context.world = World()


def after_scenario(context, scenario):
    """Removes it, whatever modes the scenario left behind."""
    context.world.remove()
