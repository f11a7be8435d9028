"""Steps about what the pages tell to type."""

import re
import shlex
from itertools import takewhile

from behave import given, then, when
from console_pages import ROOT, Page, blocks, matches, rewrite

from cleveragents.cli.reading import CommandLine

SHELL_WORDS = ("|", ">", "2>", "&&", "||")
SHELL_FENCE = re.compile(r"^```sh$(.*?)^```$", re.MULTILINE | re.DOTALL)


@then('the commands of "{name}" print what it says')
def check_page(context, name):
    count = 0
    for command, code, printed in Page(context.world).outputs(ROOT / name):
        where = f"{name}:{command.line + 1}: {command.text}"
        told = "\n".join(printed)
        assert matches(command.expected, printed), f"{where}\n{told}"
        says_error = any(line.startswith("error:") for line in command.expected)
        assert (code == 0) != says_error, f"{where} ended with {code}\n{told}"
        count += 1
    assert count, f"{name} has no command"


@then("the pages with console blocks are those of this feature")
def check_pages(context):
    listed = {row["page"] for scenario in context.feature for row in rows(scenario)}
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    found = {str(page.relative_to(ROOT)) for page in pages if blocks(page)}
    assert found == listed, found ^ listed


def rows(scenario):
    return [row for table in getattr(scenario, "examples", ()) for row in table.table]


@then('every "agents" line in a shell block of the pages is a command line that can be read')
def check_lines(context):
    count = 0
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for line in shell_lines(page):
            words = shlex.split(line, comments=True)[1:]
            words = list(takewhile(lambda word: word not in SHELL_WORDS, words))
            read = CommandLine(words)
            read.read()  # raises what is wrong with it
            assert read.asked is None, f"{page.name}: {line}"
            count += 1
    assert count > 20, count


def shell_lines(page):
    for block in SHELL_FENCE.findall(page.read_text(encoding="utf-8")):
        yield from (line for line in block.splitlines() if line.startswith("agents "))


@then("these lines match as told")
def check_matching(context):
    for row in context.table:
        found = matches(row["expected"].split(" / "), row["printed"].split(" / "))
        assert found == (row["match"] == "yes"), (row["expected"], row["printed"])


@given("a page")
def write_page(context):
    context.page = context.world.home / "page.md"
    context.page.write_text(context.text + "\n", encoding="utf-8")


@when("its outputs are written anew")
def write_anew(context):
    rewrite(context.page, context.world)


@then("the page holds")
def check_written(context):
    assert context.page.read_text(encoding="utf-8") == context.text + "\n", context.page.read_text(
        encoding="utf-8"
    )
