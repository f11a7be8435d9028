"""Steps about secrets: of which kinds there are, where they must not be, and how output is cut."""

import base64
import json
import random
import shlex

from behave import given, then, when

from cleveragents.cli import surprise
from cleveragents.masking import Masking

KEY = "\n".join(
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        *("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ0123456789" + str(n) for n in range(5)),
        "c2hvcnQ=",
        "-----END OPENSSH PRIVATE KEY-----",
    ]
)
HANDED = "öpen sesame!"
LINES_HANDED = '{\n  "user": "a-user-of-ours",\n  "pass": "of several lines"\n}'
RANDOM_WORD = "Zx9f3kQ1mN8vB2cL0pT5"
# What must not be seen, and how a line of output says it; a name stands for what is handed on.
SECRETS = {
    "sk-proj-abcdefghij1234567890": "openai sk-proj-abcdefghij1234567890.",
    "sk-ant-api03-abcdEFGHijkl0123456789": "(sk-ant-api03-abcdEFGHijkl0123456789)",
    "ghp_abcdefghijKLMNOPQRST0123456789abcd": "ghp_abcdefghijKLMNOPQRST0123456789abcd",
    "github_pat_11AAAAAAA0aaaaaaaaaaaa_bbbb": '"github_pat_11AAAAAAA0aaaaaaaaaaaa_bbbb"',
    "xoxb-1234567890-abcdefghij": "slack=xoxb-1234567890-abcdefghij",
    "AKIAIOSFODNN7EXAMPLE": "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA-1234567890abcdefghijklmnopqrstu": "AIzaSyA-1234567890abcdefghijklmnopqrstu",
    "glpat-abcdefghij0123456789": "glpat-abcdefghij0123456789",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789": "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "eyJzdWIiOiIxMjM0NTY3ODkwIn0": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "pw0rd": "postgres://me:pw0rd@host/db",
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ": KEY,
    "a8f5f167f44f4964e6c998dee827110c": '{"token": "a8f5f167f44f4964e6c998dee827110c"}',
    "Qm9vCg77Qm9vCg77Qm9vCg77": "API_KEY=Qm9vCg77Qm9vCg77Qm9vCg77",
    "7fB2kQ9zL1xV5nM3": "--password 7fB2kQ9zL1xV5nM3 x",
    "dXNlcjpwYXNzd29yZDEyMzQ1": "Authorization: Basic dXNlcjpwYXNzd29yZDEyMzQ1",
    RANDOM_WORD: f"secret: '{RANDOM_WORD}'",
}
BY_NAME = {"HANDED": HANDED, "LINES_HANDED": LINES_HANDED, "RANDOM_WORD": RANDOM_WORD}
FORMS = (
    HANDED,
    json.dumps(HANDED)[1:-1],
    base64.b64encode(HANDED.encode()).decode(),
    "a-user-of-ours",
    "of several lines",
)


def everything():
    return "".join(f"{line}\n" for line in SECRETS.values())


def found_in(data):
    return [secret for secret in (*SECRETS, *FORMS) if secret.encode() in data]


def a_masking():
    masking = Masking()
    masking.learn(BY_NAME.values())
    return masking


# --- what there is -----------------------------------------------------------------------------


@given("secrets of every kind in the caller's environment and in a file at home")
def leave_secrets(context):
    home = context.world.home
    context.world.variables.update(BY_NAME)
    (home / "secrets").write_text(everything())
    said = " ".join(line.replace("\n", " ") for line in SECRETS.values())
    answer = {"choose": "one", "rationale": f"because of {said}"}
    (home / "answer").write_text(json.dumps(answer))


@given("the variables that steps pass on are")
def pass_on(context):
    rows = {row["name"]: row["value"] for row in context.table}
    context.world.variables.update(rows, CLEVERAGENTS_SANDBOX_PASS_ENV=",".join(rows))


@given("the project's settings file")
def write_project_settings(context):
    path = context.world.project / ".cleveragents" / "config.toml"
    path.parent.mkdir()
    path.write_text(context.text)


# --- what is done ------------------------------------------------------------------------------


@when('a step prints "{text}"')
def print_text(context, text):
    step = {"tool": "shell", "with": {"command": f"echo {shlex.quote(text)}"}}
    action = context.world.write_action(json.dumps({"name": "printing", "steps": [step]}))
    assert context.world.agents("run", action).code == 0, context.world.done


@when('I run "agents {line}" on the decision')
def run_on_decision(context, line):
    world = context.world
    query = "SELECT decision_id FROM decisions WHERE decision_type = 'strategy_choice'"
    ((decision_id,),) = world.sql(query)
    world.agents(*shlex.split(line), decision_id)


# --- what comes of it --------------------------------------------------------------------------


@then("no secret is told by")
def check_told(context):
    """By the command that was run before, either."""
    _check_told(context, found_in)


@then('"{text}" is told by none of')
def check_text_told(context, text):
    _check_told(context, lambda data: found_in(data) + [text] * (text.encode() in data))


def _check_told(context, look):
    world = context.world
    for row in (None, *context.table):
        if row is not None:
            line = row["command"].replace("$HOME", str(world.home).replace(" ", "\\ "))
            world.agents(*shlex.split(line))
        told = (world.done.out + world.done.err).encode()
        assert not look(told), (row and row["command"], look(told), told.decode())


@then("no secret is kept but in checkpoints and sandboxes")
def check_kept(context):
    data = context.world.data_dir
    paths = [
        path
        for path in data.rglob("*")
        if path.is_file() and not {"store", "sandboxes", "sandbox"} & set(path.parts)
    ]
    assert data / "cleveragents.db" in paths, paths
    kept = {path.relative_to(data): found_in(path.read_bytes()) for path in paths}
    kept = {path: found for path, found in kept.items() if found}
    assert not kept, kept


@then('the plan\'s file "{name}" is the file of secrets')
def check_file(context, name):
    assert (context.world.sandbox / name).read_text() == everything()


def first_output(context):
    ((path,),) = context.world.sql("SELECT output_path FROM step_runs ORDER BY started_at LIMIT 1")
    with open(path, encoding="utf-8") as file:
        return file.read()


@then("the first step has printed the file of secrets, masked")
def check_printed(context):
    lines = first_output(context).splitlines()
    assert lines[0] == "openai ***.", lines
    assert "postgres://me:***@host/db" in lines, lines
    assert '{"token": "***"}' in lines, lines
    assert "API_KEY=***" in lines, lines
    assert "Authorization: Basic ***" in lines, lines


@then('the first step has printed "{text}"')
def check_first(context, text):
    assert first_output(context) == text + "\n", first_output(context)


@then('the file "{name}" at home says "{text}"')
def check_at_home(context, name, text):
    found = (context.world.home / name).read_text()
    assert text in found, found


@then("of a surprise that says all secrets a log tells none")
def check_surprise(context):
    world = context.world
    world.data_dir.mkdir()
    told = surprise.told(ValueError(everything()), ["run", f"--arg=x={HANDED}"], world.data_dir)
    (log,) = (world.data_dir / "log").iterdir()
    assert not found_in(told.message.encode() + log.read_bytes()), log.read_text()


@then("output of secrets in pieces of any size is masked as it is in one")
def check_pieces(context):
    whole = f"first\n{everything()}x {HANDED} y\n{LINES_HANDED}\nlast".encode()
    masked = a_masking().output(whole)
    assert not found_in(masked), masked
    for size in (1, 2, 3, 7, 50, 97, 1000):
        stream = a_masking().stream()
        pieces = [stream.feed(whole[at : at + size]) for at in range(0, len(whole), size)]
        assert b"".join([*pieces, stream.finish()]) == masked, size


@then("a line of a megabyte with secrets in it is masked, cut wherever it may be")
def check_long_line(context):
    rand = random.Random(1)
    said = [line for line in SECRETS.values() if "\n" not in line]
    words = [f"{'x' * rand.randrange(9000)} {line} {HANDED} " for line in said for _ in range(15)]
    whole = "".join(words).encode()
    stream = a_masking().stream()
    pieces = [stream.feed(whole[at : at + 65536]) for at in range(0, len(whole), 65536)]
    masked = b"".join([*pieces, stream.finish()])
    assert len(whole) > 1 << 20, len(whole)
    assert masked == a_masking().output(whole), found_in(masked)


@then('"{text}" is told as "{told}"')
def check_masked(context, text, told):
    assert Masking().text(text) == told, Masking().text(text)


@then("the data {given} is told as {told}")
def check_masked_data(context, given, told):
    assert Masking().data(json.loads(given)) == json.loads(told)


@then('"{text}" is told as it is')
def check_plain(context, text):
    assert Masking().text(text) == text, Masking().text(text)
