"""Gives every scenario a world of its own: a temporary folder, removed afterwards."""

import gc
import os
import shutil
import signal
import sys
from pathlib import Path

from behave import fixture, use_fixture
from coverage import Coverage

sys.path.insert(0, str(Path(__file__).with_name("support")))
import confined
import grouped
from world import World

from cleveragents.tools.python_tool import made_here

MANY_DESCRIPTORS = 30
MEASURES = "COVERAGE_PROCESS_CONFIG"  # what lets processes that tests start measure themselves


@fixture
def unmeasured(context):
    """Pauses coverage, here and in what is started: what costs much and reaches no line more."""
    coverage = Coverage.current()
    if coverage is None:
        yield
        return
    config = os.environ.pop(MEASURES, None)
    coverage.stop()
    try:
        yield
    finally:
        coverage.start()
        if config is not None:
            os.environ[MEASURES] = config


def before_tag(context, tag):
    """Does what the tags of features and scenarios ask for."""
    if tag == "unmeasured":
        use_fixture(unmeasured, context)


def before_scenario(context, scenario):
    """Makes the world of the scenario."""
    context.world = World()
    context.tools = dict(made_here())
    if "needs_root" in scenario.effective_tags and os.geteuid() != 0:
        scenario.skip("mounting a file system needs root")
    if "needs_namespaces" in scenario.effective_tags and (why := confined.lacking()) is not None:
        scenario.skip(why)
    if "needs_groups" in scenario.effective_tags and (why := grouped.lacking()) is not None:
        scenario.skip(why)
    if "default_level" in scenario.effective_tags and os.environ.get("TESTED_CONFINEMENT"):
        scenario.skip("it is about the level that steps are confined to by default")
    for shell in ("zsh", "fish"):
        if f"needs_{shell}" in scenario.effective_tags and shutil.which(shell) is None:
            scenario.skip(f"{shell} is not installed")
    if "python_step" in scenario.effective_tags:
        # Steps see next to nothing of our environment; coverage would not follow them.
        context.world.variables["CLEVERAGENTS_SANDBOX_PASS_ENV"] = MEASURES


def after_scenario(context, scenario):
    """Removes it, whatever modes the scenario left behind, and the tools that it has made here."""
    context.world.remove()
    # What scenarios leave in cycles holds watches, of which all processes of a user have 128.
    if len(os.listdir("/proc/self/fd")) > MANY_DESCRIPTORS:
        gc.collect()
    for name in made_here().keys() - context.tools.keys():
        del made_here()[name]


def before_all(context):
    if (coverage := Coverage.current()) is not None:  # ordinary users are measured, too
        Path(coverage.config.data_file).parent.chmod(0o777)
    # A shell lets what it runs in the background ignore interrupts, nohup the end of a terminal,
    # and what is started inherits it; scenarios send both.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
