"""A tool: its declaration, the parameters it takes, and what it does."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cleveragents.confinement.cell import Cell
from cleveragents.confinement.refusals import refused
from cleveragents.counting import size
from cleveragents.errors import CleverAgentsError
from cleveragents.masking import Masking
from cleveragents.records import frozen, replace
from cleveragents.sandbox.process import OUTPUT_CAP, Job, ProcessEnd, run

if TYPE_CHECKING:  # pydantic is slow to import, and calls are undone without it
    from pydantic import BaseModel

    from cleveragents.tools.declaration import Declaration

P = TypeVar("P", bound="BaseModel")
SHELL = "/bin/sh"
BUILT_IN = "built in"


@frozen
class Call:
    """One call of a tool, with everything it may use."""

    sandbox: Path
    environment: Mapping[str, str]
    mark: str  # ends up in the environment of every process of the call
    output: Path  # where what it prints is kept
    timeout: float | None
    on_line: Callable[[str], None]
    must_stop: Callable[[], bool]  # asked several times a second while a process runs
    masking: Masking  # of what is told about it
    cell: Cell
    rooms: Path  # where a temporary directory for it is made, if its cell needs one


@frozen
class Outcome:
    """How a call ended."""

    ok: bool
    summary: str  # one line for people
    tail: str = ""  # the last of what it printed
    exit_code: int | None = None


@frozen
class Tool(Generic[P]):
    """Something a step may call."""

    declaration: "Declaration"
    parameters: type[P]
    function: Callable[[Call, P], Outcome]
    origin: str = BUILT_IN  # where it comes from


AnyTool = Tool[Any]  # each knows its own parameters


def perform(tool: AnyTool, call: Call, given: Mapping[str, object]) -> Outcome:
    """Calls a tool; what it refuses or the system denies is a failed call, not a crash."""
    try:
        outcome = tool.function(call, tool.parameters.model_validate(given))
    except CleverAgentsError as error:
        outcome = failed(error.message, "\n".join(error.detail))
    except OSError as error:
        outcome = denied(error)
    return told(call, outcome)


def told(call: Call, outcome: Outcome) -> Outcome:
    """Returns an outcome as it is recorded and shown."""
    masked = call.masking.text
    return replace(outcome, summary=masked(outcome.summary), tail=masked(outcome.tail))


def keep_masked(call: Call, path: Path, said: bytes) -> None:
    """Keeps JSON that a command has left beside its output, or what was read of it, masked."""
    try:
        found = json.loads(said)
        masked = call.masking.data(found)
        kept = said if masked == found else json.dumps(masked).encode()
    except ValueError:  # no JSON: whoever wants to read it will say so
        kept = call.masking.output(said)
    if len(kept) != path.stat().st_size or kept != said:
        beside = path.with_suffix(".masked")
        beside.write_bytes(kept)
        beside.replace(path)


def succeeded(summary: str) -> Outcome:
    """The outcome of a call that did what it was asked to."""
    return Outcome(ok=True, summary=summary)


def failed(summary: str, tail: str = "") -> Outcome:
    """The outcome of a call that did not."""
    return Outcome(ok=False, summary=summary, tail=tail)


def denied(error: OSError) -> Outcome:
    """The outcome of a call that the system did not allow."""
    where = f": {os.fsdecode(error.filename)}" if error.filename else ""
    return failed(f"{error.strerror}{where}")


OUTPUT_CUT = f"its output beyond {size(OUTPUT_CAP)} was left out"


def run_process(
    call: Call,
    *arguments: str,
    more: Mapping[str, str] | None = None,
    given: bytes | None = None,
    handed: Sequence[Path] = (),
) -> Outcome:
    """Runs a command for a call; the outcome follows from how it ended."""
    finished = run_to_end(call, *arguments, more=more, given=given, handed=handed)
    return Outcome(
        finished.exit_code == 0 and finished.ended,
        told_end(call, finished) + (f", {OUTPUT_CUT}" if finished.cut else ""),
        finished.tail,
        finished.exit_code,
    )


def run_to_end(
    call: Call,
    *arguments: str,
    more: Mapping[str, str] | None = None,
    given: bytes | None = None,
    handed: Sequence[Path] = (),
) -> ProcessEnd:
    """Runs a command for a call, and tells how it ended; whatever a plan runs comes by here.

    It may write to the files that it is handed, though they are not in its sandbox.
    """
    job = Job(
        arguments,
        call.sandbox,
        {**call.environment, **(more or {})},
        call.mark,
        call.output,
        call.timeout,
        given,
        call.masking,
        call.cell,
        call.rooms,
        handed,
    )
    return run(job, on_line=call.on_line, must_stop=call.must_stop)


def told_end(call: Call, finished: ProcessEnd) -> str:
    """Tells in a few words how a command ended, and why as far as that can be known."""
    if finished.exceeded is not None:
        return f"stopped: {finished.exceeded}"
    if finished.stopped:
        return "stopped"
    if finished.timed_out:
        return f"stopped after {call.timeout:g} s"
    if not finished.exit_code:
        return "exit code 0"
    told = f"exit code {finished.exit_code}"
    if finished.exit_code < 0:
        told = f"ended by signal {-finished.exit_code}"
    whys = (
        refused(call.cell, finished.tail),
        call.cell.limits.met(finished.exit_code, finished.tail),
    )
    return ", ".join((told, *filter(None, whys)))
