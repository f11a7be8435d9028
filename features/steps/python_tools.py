"""Steps about Python tools: modules and packages that bring them, and where they run."""

import importlib
import json
import sys

from behave import given, then, when

from cleveragents.errors import InvalidInput
from cleveragents.tools import installed, python_tool


@given(
    'an installed package "{package}" with the entry points "{points}" and the module "{module}"'
)
def install(context, package, points, module):
    """Lies where this process imports from, as an installed package does."""
    site = context.world.home / f"site of {package}"
    about = site / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (site / f"{module}.py").write_text(context.text + "\n")
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "\n".join(points.split(", "))
    (about / "entry_points.txt").write_text(f"[{installed.GROUP}]\n{lines}\n")
    add_site(context, site)


@given('the module "{module}" that this process imports')
def write_module(context, module):
    site = context.world.home / "modules"
    site.mkdir()
    (site / f"{module}.py").write_text(context.text + "\n")
    add_site(context, site)
    before = dict(python_tool.made_here())
    context.add_cleanup(restore_tools, before)
    context.add_cleanup(sys.modules.pop, module, None)
    importlib.invalidate_caches()
    importlib.import_module(module)


def add_site(context, site):
    sys.path.append(str(site))
    forget()
    context.add_cleanup(forget)
    context.add_cleanup(sys.path.remove, str(site))


def forget():
    installed.installed.cache_clear()
    installed.installed_tool.cache_clear()


def restore_tools(before):
    made = python_tool.made_here()
    made.clear()
    made.update(before)


@given("a package has {seconds:d} second to say what it brings")
def set_patience(context, seconds):
    context.add_cleanup(setattr, installed, "PATIENCE_SECONDS", installed.PATIENCE_SECONDS)
    installed.PATIENCE_SECONDS = seconds


@then('this process has not imported "{module}"')
def check_not_imported(context, module):
    assert module not in sys.modules


@then("the tools and their origins are")
def check_origins(context):
    found = {tool["name"]: tool["origin"] for tool in context.world.done.data["tools"]}
    for row in context.table:
        assert found.get(row["tool"]) == row["origin"], found


@then('there is no tool "{name}"')
def check_no_tool(context, name):
    assert name not in [tool["name"] for tool in context.world.done.data["tools"]]


@then("importing each of these is refused")
def check_refused(context):
    """Each row is the body of a module that declares a tool wrongly."""
    site = context.world.home / "wrong"
    site.mkdir()
    add_site(context, site)
    before = dict(python_tool.made_here())
    for number, row in enumerate(context.table):
        (site / f"wrong_{number}.py").write_text(
            "from cleveragents import tool\n" + row["module"].replace("\\n", "\n") + "\n"
        )
        importlib.invalidate_caches()
        try:
            importlib.import_module(f"wrong_{number}")
        except InvalidInput as error:
            assert row["error"] in error.message, error.message
        else:
            raise AssertionError(row["module"])
        assert python_tool.made_here() == before


@when('"{target}" is asked what it declares')
def ask(context, target):
    context.answer = python_tool.describe(target)


@then("the answer is")
def check_answer(context):
    assert json.loads(json.dumps(context.answer)) == json.loads(context.text), context.answer


@then('"{target}" has nothing to declare')
def check_undeclared(context, target):
    try:
        python_tool.describe(target)
    except InvalidInput as error:
        assert f"{target} is not decorated" in error.message, error.message
    else:
        raise AssertionError(target)
