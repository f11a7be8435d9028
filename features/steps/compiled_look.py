"""Steps about the compiled look at directories: what it finds, and how it is made."""

import importlib.util
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from behave import given, then, when
from both_looks import compiled, hold, hold_sanitized
from looks import look_by

from cleveragents.shapes.doctor import diagnosis_of
from cleveragents.snapshots.tree import looks

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/cleveragents/snapshots/tree/look.c"
SEED = 15


@given("the look at directories is {made}")
def make_look(context, made):
    file = _place(context)
    file.parent.mkdir(parents=True)
    shutil.copy(SOURCE, file.parent)
    look_by(context, file)
    if made.startswith("compiled"):
        _compile(context, file, made)
    elif made == "cut short":
        file.write_bytes(b"\x7fELF" + bytes(12))
    elif made == "a folder":
        file.mkdir()


def _place(context):
    """Where the compiled file is in a checkout of the scenario's own."""
    return context.world.home / "checkout" / SOURCE.relative_to(ROOT).with_suffix(".compiled")


def _compile(context, file, made):
    flags = {
        "compiled": [],
        "compiled with sanitizers": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        "compiled, and says it another way": [f"-D{looks.AGREEMENT}=another"],
    }[made]
    if shutil.which("cc") is None:
        context.scenario.skip("there is no compiler here")
        return
    problem = compiled(SOURCE, file, *flags)
    if "sanitizers" in made and "cannot find" in problem:
        context.scenario.skip("the compiler has no sanitizers")
    else:
        assert not problem, problem


@given("directories are looked at by {look}")
@then("directories are looked at by {look}")
def check_look(context, look):
    assert looks.is_compiled() is (look == "compiled code"), looks.COMPILED
    found = looks.best()
    assert isinstance(found, looks.CompiledLook) is looks.is_compiled(), found


@then("both looks find the same in {count:d} random directories and fail alike")
def check_both(context, count):
    assert hold(looks.COMPILED, SEED, count) > count


@then(
    "both looks find the same in {count:d} random directories and fail alike, "
    "in a process that checks memory"
)
def check_both_sanitized(context, count):
    done = hold_sanitized(looks.COMPILED, SEED, count)
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout) > count, done.stdout


@when("the project is built {how}")
def build(context, how):
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    if how == "with a compiler" and shutil.which("cc") is None:
        context.scenario.skip("there is no compiler here")
        return
    with _programs(context, how):
        told = hook.is_compiled(context.world.home / "checkout")
    assert told is (how == "with a compiler"), told
    left = {path.name for path in looks.COMPILED.parent.iterdir()}
    assert left == {"look.c"} | ({"look.compiled"} if told else set()), left


@contextmanager
def _programs(context, how):
    """Lets other programs be found: none, or a compiler that fails."""
    before = os.environ["PATH"]
    if how != "with a compiler":
        found = context.world.home / "programs"
        found.mkdir()
        os.environ["PATH"] = str(found)
    if how == "with a compiler that fails":
        (found / "cc").write_text("#!/bin/sh\nexit 1\n")
        (found / "cc").chmod(0o755)
    try:
        yield
    finally:
        os.environ["PATH"] = before


@when("the doctor of this process looks")
def examine(context):
    context.diagnosis = diagnosis_of(context.world.app().doctor.examine())


@then('it tells that directories are looked at by "{told}"')
def check_told(context, told):
    assert context.diagnosis["versions"]["looks"] == told, context.diagnosis["versions"]
