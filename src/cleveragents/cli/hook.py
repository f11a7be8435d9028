"""`agents hook`: records an event of a coding agent in a process of its own."""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from cleveragents.app import App
from cleveragents.cli import surprise
from cleveragents.cli.invocation import NOT_WATCHED, Invocation
from cleveragents.cli.render import Result
from cleveragents.config.environment import caller_environment, home
from cleveragents.hooks import plain_json, roots, spool
from cleveragents.hooks.client import agent_above
from cleveragents.hooks.intake import Intake, NotNow, Told
from cleveragents.hooks.payloads import event_of
from cleveragents.hooks.recorder import ChatRecorder
from cleveragents.sandbox.project import locate
from cleveragents.shapes.keeper import HookAnswer


def hook(call: Invocation, named: str) -> Result:
    """Record an event of a coding agent, without the keeper."""
    try:
        answer = _answer(call, named)
    except Exception as problem:  # noqa: BLE001 - an agent must go on, whatever is wrong with us
        surprise.keeping(["hook", named], call.place)(problem)
        answer = ""
    data: HookAnswer = {"answer": answer}
    return Result(data, content=[f"{answer}\n".encode()] if answer else [])


def _answer(call: Invocation, named: str) -> str:
    client, _, name = named.partition(":")
    event = event_of(client, name, plain_json.read(sys.stdin.read()))
    if event is None:
        return ""
    cwd = str(event["cwd"]) or os.getcwd()
    found = roots.whereabouts(str(call.place), cwd)
    root, event["cwd"] = found or (str(_located(call, Path(cwd))), cwd)
    event["pid"] = agent_above(os.getppid())
    with _intake(call) as intake:
        try:
            return intake.take(Told(root, event))
        except NotNow:
            told = {"root": root, "identity": roots.identity(root), "event": event}
            line = plain_json.written(told)
            spool.put(str(call.place), time.time_ns(), line.encode())
            return ""


def take_spooled(call: Invocation) -> None:
    """Records what lies in the spool, as far as that can be done."""
    with _intake(call) as intake:
        intake.take_spooled()


@contextmanager
def _intake(call: Invocation) -> Generator[Intake]:
    recorder = ChatRecorder(lambda path: _app(call, path), call.place)
    try:
        yield Intake(str(call.place), recorder, surprise.keeping(call.command.split(), call.place))
    finally:
        recorder.close()


def _located(call: Invocation, cwd: Path) -> Path:
    return locate(call.project, cwd, home(caller_environment())).path


def _app(call: Invocation, root: str) -> App:
    return App(
        root,
        data_dir=call.place,
        config_path=call.config_path,
        flags=[*NOT_WATCHED, *call.settings],
        cwd=root,
    )
