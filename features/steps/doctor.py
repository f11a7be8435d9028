"""Steps about the doctor."""

import os
import re
import shlex
import shutil
from dataclasses import replace

from behave import given, then, when
from checkpoints import packs
from forked import die, forked
from kept import begun_pack
from oracle import assert_same, picture

from cleveragents.cli.doctor import bar
from cleveragents.engine.care.checks import CHECKS
from cleveragents.snapshots.store.store import Store

KEPT = [b"cleveragents.db", b"cleveragents.db-journal", b"locks"]


@when("the doctor looks, and everything kept stays as it is")
def look(context):
    before = picture(context.world.data_dir, without=KEPT)
    context.world.agents("doctor", "--format", "json")
    assert_same(before, picture(context.world.data_dir, without=KEPT))


@then("the doctor has counted what is on the disk")
def check_disk(context):
    disk = context.world.done.data["disk"]
    assert disk["store_bytes"] == sum(path.stat().st_size for path in packs(context)), disk
    assert 0 < disk["plans"][0]["stored_bytes"] <= disk["store_bytes"], disk
    assert disk["plans"][0]["sandbox_bytes"] > 0, disk
    assert disk["history_bytes"] > 0, disk
    assert disk["free_bytes"] > 0, disk


def found(context, check, level):
    return [
        one
        for one in context.world.done.data["findings"]
        if one["check"] == check and one["level"] == level
    ]


@then('the doctor finds the problem "{text}" of "{check}"')
def check_problem(context, text, check):
    problems = found(context, check, "problem")
    assert any(text in one["message"] for one in problems), context.world.done.out
    assert all(one["help"] for one in problems), problems


@then('the doctor notes "{text}" of "{check}"')
def check_note(context, text, check):
    notes = found(context, check, "note")
    assert any(text in one["message"] for one in notes), context.world.done.out


@then('the doctor finds nothing of "{check}"')
def check_nothing(context, check):
    told = found(context, check, "problem") + found(context, check, "note")
    assert not told, told


@then('the doctor says it has done "{text}"')
def check_repairs(context, text):
    repairs = context.world.done.data["repairs"]
    assert any(text in line for line in repairs), repairs


@when("I follow the help of the doctor")
def follow_help(context):
    (problem,) = [one for one in context.world.done.data["findings"] if one["level"] == "problem"]
    _, *arguments = shlex.split(problem["help"])
    context.world.agents(*arguments, "--yes")


@given("a killed process has left an unfinished pack of {size:d} bytes and a file it was building")
def leave_unfinished(context, size):
    (home,) = context.world.data_dir.glob("projects/*/store")

    def work():
        begun_pack(Store(home))
        (left,) = home.glob("packs/writing-*")
        os.truncate(left, size)
        die()

    assert forked(work) < 0
    staging = context.world.sandbox.parent / "staging"
    staging.mkdir(exist_ok=True)
    (staging / "staged").write_text("half")


@given("the database is deleted")
def delete_database(context):
    for path in context.world.data_dir.glob("cleveragents.db*"):
        path.unlink()


@given("the rows of checkpoints {first:d} and {last:d} are lost")
def lose_rows(context, first, last):
    context.world.sql("DELETE FROM checkpoints WHERE seq >= ? AND seq <= ?", first, last)


@given('the database was told "{statement}"')
def tell_database(context, statement):
    """By hand, with the keys of other tables not looked at."""
    context.world.sql(statement)


@then('the doctor says about it "{text}"')
def check_detail(context, text):
    detail = [line for finding in context.world.done.data["findings"] for line in finding["detail"]]
    assert any(text in line for line in detail), detail


@then('with {fact} "{value}" the doctor says {level} of "{check}"')
def check_fact(context, fact, value, level, check):
    facts = context.world.app().doctor.examine().facts
    system = replace(facts.system, sqlite="3.40.1", journal_mode="persist", git="2.50.1")
    given_value = int(value) if value.isdecimal() else {"none": None}.get(value, value)
    changed = replace(facts, system=replace(system, **{fact: given_value}))
    told = [finding.level.value for finding in CHECKS[check](changed)]
    expected = {"nothing": [], "a note": ["note"], "a problem": ["problem"]}
    assert told == expected[level], told


@then('without git the doctor finds a problem of "{check}"')
def check_no_git(context, check):
    before = os.environ["PATH"]
    os.environ["PATH"] = str(context.world.home)
    try:
        findings = context.world.app().doctor.examine().findings
    finally:
        os.environ["PATH"] = before
    assert shutil.which("git")
    told = [finding.level.value for name, finding in findings if name == check]
    assert told == ["problem"], told


@then("each checkpoint that added something has a bar, the longest the one that added most")
def check_plot(context):
    shown = context.world.done.out
    added = dict(context.world.sql("SELECT 'cp' || seq, size_bytes FROM checkpoints"))
    bars = dict(re.findall(r"(cp\d+) +[\d.]+ (?:KiB|MiB|B) +([▏▎▍▌▋▊▉█]+)", shown))
    assert set(bars) == {name for name, count in added.items() if count}, shown
    assert [name for name, drawn in bars.items() if len(drawn) == 24] == [max(added, key=added.get)]


@then('{part:d} of {whole:d} is drawn as "{drawn}"')
def check_bar(context, part, whole, drawn):
    assert bar(part, whole) == drawn, bar(part, whole)
