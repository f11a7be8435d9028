"""Steps about what the steps of plans cannot reach."""

import contextlib
import json
import os
import shlex
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from unittest.mock import patch

import yaml
from behave import given, then, when
from commands import words
from confined import (
    LAUNCHERS,
    filled,
    furnish,
    give_to,
    look,
    ordinary_machine,
    run_as,
    without_any,
    without_namespaces,
    without_own_namespaces,
)
from forked import forked
from ordinary import become_ordinary

from cleveragents.confinement import machine
from cleveragents.confinement.proof import FILE
from cleveragents.sandbox import trials
from cleveragents.storage.address import LOCK

ABI_WITH_TRUNCATE = 3


@given("a project of {whom} with secrets, caches and settings")
def make_estate(context, whom):
    world = context.world
    context.whom = whom
    furnish(world)
    world.make_repository()
    give_to(world, whom)
    context.before = look(world)


@given('the user has named "{places}" as {what}')
def name_places(context, places, what):
    context.world.variables[f"CLEVERAGENTS_SANDBOX_{what.upper()}"] = _placed(context, places)


@when('a step does "{command}" at "{level}"')
def do_deed(context, command, level):
    do_without(context, command, level)


@when('a step does "{command}" at "{level}" where only bubblewrap may make namespaces')
def do_without_own_namespaces(context, command, level):
    do_without(context, command, level, without_own_namespaces)


@when('a step fails at "{level}", and prints "{text}"')
def fail(context, level, text):
    told = shlex.quote(_placed(context, text.replace(r"\n", "\n")))
    do_without(context, f"printf '%s\\n' {told}; exit 1", level)


@then('the failure is "{text}"')
def check_whole_failure(context, text):
    ((found,),) = context.world.sql("SELECT result_json FROM step_runs")
    assert json.loads(found)["summary"] == _placed(context, text), found


def _placed(context, text):
    """A text with the places of a world."""
    world = context.world
    places = {
        "PROJECT": world.project,
        "HOME": world.home / "user",
        "DATA": world.data_dir,
        "SETTINGS": world.home / "xdg" / "cleveragents",
    }
    for name, path in places.items():
        text = text.replace(name, str(path.resolve()))
    return text


@given("the cache of the user leads nowhere")
def lead_nowhere(context):
    place = context.world.home / "user" / ".npm"
    place.rmdir() if place.exists() else None
    place.symlink_to("/not/mounted")


@given("the project borrows objects from a greater one")
def borrow_objects(context):
    _borrow(context.world.project, _greater(context) / ".git" / "objects")
    give_to(context.world, context.whom)


@given("the project lies in the work tree of a greater one")
def lie_within(context):
    world = context.world
    shutil.rmtree(world.project / ".git")
    greater = _greater(context)
    world.project = world.project.rename(greater / "project")
    give_to(world, context.whom)


@given("the project borrows objects from one that does")
def borrow_far(context):
    between = context.world.home / "between"
    subprocess.run(["git", "init", "-q", between], check=True)
    _borrow(between, Path("../../../greater/.git/objects"))
    _greater(context)
    _borrow(context.world.project, between / ".git" / "objects")


@given("the project's repository lies in that of a greater one")
def lie_in_other(context):
    _greater(context)
    context.world.project = context.world.project.rename(context.world.home / "greater/project")


@given("the project's git directory is a link to a greater one")
def link_git(context):
    world = context.world
    (world.home / "greater").mkdir()
    (world.project / ".git").rename(world.home / "greater" / ".git")
    (world.project / ".git").symlink_to("../greater/.git")
    give_to(world, context.whom)
    context.greater = digest_of(world.home / "greater" / ".git")


def _borrow(repository, objects):
    alternates = repository / ".git" / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{objects}\n")


def _greater(context):
    greater = context.world.home / "greater"
    subprocess.run(["git", "init", "-q", greater], check=True)
    give_to(context.world, context.whom)
    context.greater = digest_of(greater / ".git")
    return greater


def digest_of(place):
    return {
        str(path.relative_to(place)): path.read_bytes() if path.is_file() else None
        for path in sorted(place.rglob("*"))
    }


@then("the greater repository is as it was")
def check_greater(context):
    assert digest_of(context.world.home / "greater" / ".git") == context.greater


@given("the user keeps secrets in a cache, and names them as hidden")
def keep_in_cache(context):
    world = context.world
    deep = world.home / "user" / ".cache" / "deep"
    (deep / "kept").mkdir(parents=True)
    (deep / "kept" / "key").write_text("secret\n")
    (deep / "token").write_text("secret\n")
    give_to(world, context.whom)
    name_places(context, "~/.cache/deep/kept,~/.cache/deep/token", "hidden")


@given("the secrets of the user are mounted elsewhere")
def mount_secrets(context):
    place = context.world.home / "elsewhere"
    place.mkdir()
    subprocess.run(["mount", "--bind", context.world.home / "user" / ".ssh", place], check=True)
    context.world.mounts.append(place)


@when('I run "agents {line}" where a trial has room for {few:d} files')
def run_on_full_disk(context, line, few):
    """The disk on which the rooms of trials are made has no space for one."""
    world = context.world
    world.agents("plan", "list")
    place = world.data_dir / "sandboxes"
    place.mkdir(exist_ok=True)
    small = ["mount", "-t", "tmpfs", "-o", f"size=64k,nr_inodes={few},mode=700", "small", place]
    subprocess.run(small, check=True)
    try:
        world.agents(*words(context, line))
    finally:
        subprocess.run(["umount", place], check=True)


@then("there is no plan")
def check_no_plan(context):
    assert not context.world.sql("SELECT plan_id FROM plans")


@when('a step does "{command}" where there are no namespaces')
def do_without_namespaces(context, command):
    do_without(context, command, "auto", without_namespaces)


@given("bubblewrap is installed")
def need_bubblewrap(context):
    if shutil.which("bwrap") is None:
        context.scenario.skip("bubblewrap is not installed")


@given("that user can have layers of directories")
def need_layers(context):
    """Tries it where the sandboxes lie: not every file system can hold what is changed."""
    line = "mkdir l u w && mount -t overlay o -o lowerdir=l,upperdir=u,workdir=w,userxattr l"
    with tempfile.TemporaryDirectory(dir=context.world.home) as place:
        os.chmod(place, 0o777)
        tried = forked(lambda: _in_namespaces(context.whom, line, place))
    if tried:
        context.scenario.skip("no layers of directories here")


def _in_namespaces(whom, line, place):
    if whom != "root":
        become_ordinary()
    subprocess.run(["unshare", "-Urm", "sh", "-c", line], cwd=place, check=True)


@then('it printed "{text}"')
def check_printed(context, text):
    ((path,),) = context.world.sql("SELECT output_path FROM step_runs WHERE name = 'deed'")
    assert Path(path).read_text().split() == text.split(), Path(path).read_text()


@given("there is Landlock")
def need_landlock(context):
    if machine.landlock() < ABI_WITH_TRUNCATE:
        context.scenario.skip("there is no Landlock")


@when("the doctor looks, while the launcher {does}")
def look_with_launcher(context, does):
    if does == "keeps signals alone" and not machine.this_machine().has_scopes:
        context.scenario.skip("signals are kept in by namespaces of processes here")
        return
    arguments = ["doctor", "--format", "json"]
    run_as(context.world, context.whom, arguments, LAUNCHERS[does])


@when("the doctor looks where {what}")
def look_without(context, what):
    name, found = {
        "bubblewrap is not installed": ("program", None),
        "Landlock is an older one": ("landlock", 2),
    }[what]
    with patch.object(trials, name, return_value=found):
        run_as(context.world, context.whom, ["doctor", "--format", "json"])


@then('it says of "{level}" by "{way}": "{told}"')
def check_possible(context, level, way, told):
    data = context.world.done.data["confinement"]
    (found,) = [one for one in data["ways"] if (one["way"], one["level"]) == (way, level)]
    assert found["problem"] == told, found
    assert data["way"] != way, data


@given("{what} is mounted elsewhere")
def mount_elsewhere(context, what):
    project, place = context.world.project, context.world.home / "elsewhere"
    (project / "folder").mkdir()
    (project / "folder" / "b.txt").write_text("mine\n")
    context.before = look(context.world)
    sources = {
        "the project": project,
        "what holds the project": project.parent,
        "a folder of the project": project / "folder",
    }
    place.mkdir()
    subprocess.run(["mount", "--bind", sources[what], place], check=True)
    context.world.mounts.append(place)


@given('a keeper says that it listens in "{name}"')
def listen_elsewhere(context, name):
    place = context.world.home / name
    place.mkdir()
    server = socket.socket(socket.AF_UNIX)
    context.add_cleanup(server.close)
    with contextlib.chdir(place):
        server.bind("k")
    server.listen()
    context.world.data_dir.mkdir(mode=0o700)
    said = {"socket": str(place / "k")}
    (context.world.data_dir / LOCK).write_text(json.dumps(said))


@then('"confined" told "{text}"')
def check_told_level(context, text):
    world = context.world
    run_as(world, context.whom, ["plan", "status", "@", "--format", "plain"])
    assert f"Confined        {text}" in world.done.out, world.done


def do_without(context, command, level, lacking=ordinary_machine):
    world = context.world

    def action():
        step = {"tool": "shell", "name": "deed", "with": {"command": filled(world, command)}}
        text = yaml.safe_dump(
            {"name": "deeds", "rollback": {"on_failure": "keep"}, "steps": [step]}
        )
        return str(world.write_action(text))

    (world.home / "action.yaml").unlink(missing_ok=True)
    setting = f"sandbox.confinement={level}"
    run_as(world, context.whom, ["run", action, "--set", setting, "--format", "json"], lacking)


@then('that step {ended}, and its level is "{level}" by "{way}"')
def check_deed(context, ended, level, way):
    done = context.world.done
    assert done.code == (0 if ended == "succeeded" else 1), done
    run_as(context.world, context.whom, ["plan", "status", "@", "--format", "json"])
    (row,) = context.world.done.data["progress"]
    expected = {"succeeded": "done", "failed": "failed"}[ended]
    wanted_way = None if level == "none" else way  # nobody confines what is not
    assert (row["status"], row["level"], row["way"]) == (expected, level, wanted_way), row


@then("nothing but its own sandbox was changed")
def check_rest(context):
    world = context.world
    now = look(world)
    changed = {
        path for path in {*context.before, *now} if context.before.get(path) != now.get(path)
    }
    assert not changed, changed
    assert not Path("/tmp/confined.d").exists()
    run_as(world, context.whom, ["doctor", "--format", "json"])
    assert world.done.data["healthy"], world.done.data["findings"]


@given("somebody listens on the loopback")
def listen(context):
    server = socket.create_server(("127.0.0.1", 0))
    context.add_cleanup(server.close)
    context.port = server.getsockname()[1]


@given("a tool that reaches them and {declares}")
def declare_tool(context, declares):
    code = (
        "import socket, sys\n"
        f"try: socket.create_connection(('127.0.0.1', {context.port}), 5)\n"
        "except OSError: sys.exit(7)\n"
    )
    path = context.world.home / "reach.py"
    path.write_text(code)
    tool = {"name": "reach", "command": f"python3 -IS {shlex.quote(str(path))}"}
    if declares == "declares the network":
        tool["network"] = True
    action = {"name": "reaching", "tools": [tool], "steps": [{"tool": "reach", "name": "deed"}]}
    context.action = context.world.write_action(yaml.safe_dump(action))


@when('that tool is called at "{level}"')
def call_tool(context, level):
    setting = f"sandbox.confinement={level}"
    context.world.agents("run", context.action, "--set", setting, "--format", "json")


@then("its exit code is {code:d}")
def check_exit(context, code):
    ((found,),) = context.world.sql("SELECT result_json FROM step_runs")
    assert json.loads(found)["exit_code"] == code, found


@given('the settings ask for "{level}"')
def ask(context, level):
    context.world.variables["CLEVERAGENTS_SANDBOX_CONFINEMENT"] = level


@given("steps are not confined")
def leave_open(context):
    """Links and renames between a sandbox and elsewhere are no more, once a step is confined."""
    ask(context, "none")


@given('the user has set "{key}" to "{value}"')
@given('the user has set "{key}" to ""')
def set_by_user(context, key, value=""):
    path = context.world.home / "xdg" / "cleveragents" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{key} = "{value}"\n')


@given('the project\'s file sets "{key}" to "{value}"')
@given('the project\'s file sets "{key}" to ""')
def set_by_project(context, key, value=""):
    path = context.world.project / ".cleveragents" / "config.toml"
    path.parent.mkdir()
    path.write_text(f'{key} = "{value}"\n')


@then('the answer for "{key}" is "{outcome}"')
def check_answer(context, key, outcome):
    done = context.world.done
    if done.code:
        assert outcome in done.error["message"], done
        return
    (row,) = [one for one in done.data["settings"] if one["key"] == key]
    assert row["value"] == outcome, row


@then('the step "{name}" was confined to "{level}"')
def check_level(context, name, level):
    found = context.world.sql("SELECT level, way FROM step_runs WHERE name = ?", name)
    assert found[-1:] == [(level, None if level == "none" else "namespaces")], found
    log = context.world.agents("plan", "log", "@", "--format", "json").data["events"]
    told = [
        (one["level"], one["way"]) for one in log if one["kind"] == "step" and one["step"] == name
    ]
    assert told == found, (told, found)


@when('a session calls "{command}" asking for "{level}"')
def call_in_session(context, command, level):
    with context.world.variables_set(), context.world.app().session(context.world.project) as run:
        run.step("shell", {"command": command}, confine=level)


@when('I run "agents {line}" where there is no way')
def run_without(context, line):
    world = context.world
    (world.data_dir / FILE).unlink(missing_ok=True)
    run_as(world, "root", words(context, line), without_any)


@when('I run "agents {line}" where there is no way and nobody knows')
def run_without_knowing(context, line):
    """The kernel, the user and the launcher are those that the proof was made for."""
    world = context.world

    def before():
        without_namespaces()
        path = world.data_dir / FILE
        kept = json.loads(path.read_text())
        kept["of"][3:5] = [os.stat(f"/proc/self/ns/{name}").st_ino for name in ("user", "mnt")]
        path.write_text(json.dumps(kept))

    run_as(world, "root", words(context, line), before)


@then('the proof of "{level}" {is_kept}')
def check_proof(context, level, is_kept):
    path = context.world.data_dir / FILE
    kept = json.loads(path.read_text())["levels"] if path.exists() else []
    assert (f"{level}, by namespaces" in kept) == (is_kept == "is kept"), kept


@then('the finding "{check}" says "{text}"')
def check_finding(context, check, text):
    found = [one for one in context.world.done.data["findings"] if one["check"] == check]
    assert any(text in one["message"] for one in found), found


@when("every kind of command tries to write to the project")
def try_everywhere(context):
    """An undo, a chooser, a strategist, a validation, a search, a Python tool."""
    world = context.world
    bad = f"echo bad > {shlex.quote(str(world.project / 'a.txt'))}"
    spoiling = f"def spoil(): open({str(world.project / 'a.txt')!r}, 'w').write('bad')"
    tools = [{"name": "sent", "command": "true", "side_effects": ["mail"], "undo": bad}]
    context.told = {}

    def run(kind, action, *more):
        path = world.write_action(yaml.safe_dump({"name": kind, **action}), f"{kind}.yaml")
        done = world.agents("run", path, "--format", "json")
        for arguments in more:
            done = world.agents(*arguments, "--format", "json")
        context.told[kind] = f"{done.out}{done.err}"

    shell = {"tool": "shell", "with": {"command": "true"}}
    run(
        "undo",
        {"tools": tools, "steps": [shell, {"tool": "sent"}]},
        ["plan", "rollback", "@", "1", "--yes"],
    )
    deciding = {"question": "which?", "options": {"a": [shell]}, "chooser": f"{bad}; echo no"}
    run("chooser", {"steps": [{"decide": deciding}]})
    run("strategist", {"strategist": f"{bad}; echo no"})
    writes = {"tool": "write_file", "with": {"path": "b.txt", "content": "b"}}
    run("validation", {"steps": [writes], "validate": [bad]}, ["plan", "apply", "@", "--yes"])
    said, search = world.home / "user" / ".cache" / "said", world.home / "search.sh"
    search.write_text(f"{{ {bad}; }} 2>{shlex.quote(str(said))}; test ! -e b.txt")
    run("search", {"steps": [writes]}, ["plan", "bisect", "@", "--", "/bin/sh", str(search)])
    context.told["search"] = said.read_text()
    writes = {"tool": "write_file", "with": {"path": "badly.py", "content": spoiling}}
    run("python", {"steps": [writes, {"tool": "python", "with": {"call": "badly:spoil"}}]})


@then("each of them was told that it is read-only")
def check_told(context):
    told = context.told.items()
    wrong = {kind: said for kind, said in told if "Read-only file system" not in said}
    assert not wrong, wrong


@given('{what} is limited to "{most}"')
def limit(context, what, most):
    context.world.variables[f"CLEVERAGENTS_SANDBOX_LIMITS_{what.upper()}"] = most


@then('the failure says "{text}"')
def check_failure(context, text):
    ((found,),) = context.world.sql("SELECT result_json FROM step_runs")
    assert text in json.loads(found)["summary"], found
