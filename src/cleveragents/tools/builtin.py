"""The built-in tools, as one literal table at the end of the file."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cleveragents.counting import counted
from cleveragents.sandbox.git import apply_patch
from cleveragents.sandbox.paths import ContainedFiles
from cleveragents.tools.declaration import CommandTool, Declaration, Plainly
from cleveragents.tools.function import FUNCTION, Request, call_function
from cleveragents.tools.tool import (
    SHELL,
    AnyTool,
    Call,
    Outcome,
    Tool,
    failed,
    run_process,
    succeeded,
)

OF_ACTION = "the action"
Text = Annotated[str, Field(min_length=1)]


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class ShellParameters(_Parameters):
    command: Annotated[Plainly, Field(min_length=1)]


class WriteParameters(_Parameters):
    path: Text
    content: str


class EditParameters(_Parameters):
    path: Text
    old: Text
    new: str


class PathParameters(_Parameters):
    path: Text


class MoveParameters(_Parameters):
    source: Text
    target: Text


class PatchParameters(_Parameters):
    patch: Text


class PythonParameters(_Parameters):
    call: Annotated[str, Field(pattern=FUNCTION)]
    arguments: dict[str, object] = {}


class AnyParameters(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


def command_tool(declared: CommandTool) -> AnyTool:
    """Makes the tool an action declared; its input is JSON in CLEVERAGENTS_INPUT."""

    def run(call: Call, given: AnyParameters) -> Outcome:
        sent = {"CLEVERAGENTS_INPUT": given.model_dump_json()}
        return run_process(call, SHELL, "-c", declared.command, more=sent)

    return Tool(declared, AnyParameters, run, OF_ACTION)


def _shell(call: Call, given: ShellParameters) -> Outcome:
    return run_process(call, SHELL, "-c", given.command)


def _python(call: Call, given: PythonParameters) -> Outcome:
    first = [str(call.sandbox)]
    return call_function(call, Request(given.call, keywords=given.arguments, first=first))


def _write_file(call: Call, given: WriteParameters) -> Outcome:
    data = given.content.encode()
    ContainedFiles(call.sandbox).write(given.path, data)
    return succeeded(f"wrote {given.path} ({counted(len(data), 'byte')})")


def _edit_file(call: Call, given: EditParameters) -> Outcome:
    files, path = ContainedFiles(call.sandbox), given.path
    data, old = files.read(path), given.old.encode()
    if (found := data.count(old)) != 1:
        return failed(f"{path}: the text to replace occurs {found} times, not once")
    files.write(path, data.replace(old, given.new.encode()))
    return succeeded(f"edited {path}")


def _delete_file(call: Call, given: PathParameters) -> Outcome:
    ContainedFiles(call.sandbox).delete(given.path)
    return succeeded(f"deleted {given.path}")


def _move_file(call: Call, given: MoveParameters) -> Outcome:
    source, target = given.source, given.target
    ContainedFiles(call.sandbox).move(source, target)
    return succeeded(f"moved {source} to {target}")


def _apply_patch(call: Call, given: PatchParameters) -> Outcome:
    apply_patch(call.sandbox, given.patch.encode())
    return succeeded("patch applied")


def _read_file(call: Call, given: PathParameters) -> Outcome:
    data = ContainedFiles(call.sandbox).read(given.path)
    call.output.write_bytes(call.masking.output(data))
    return succeeded(f"read {given.path} ({counted(len(data), 'byte')})")


def _declared(name: str, description: str, *, read_only: bool = False) -> Declaration:
    return Declaration(
        name=name, description=description, read_only=read_only, idempotent=read_only
    )


BUILT_IN: Mapping[str, AnyTool] = {
    tool.declaration.name: tool
    for tool in (
        Tool(_declared("shell", "Runs a command with /bin/sh."), ShellParameters, _shell),
        Tool(_declared("write_file", "Writes a whole file."), WriteParameters, _write_file),
        Tool(
            _declared("edit_file", "Replaces a text that occurs exactly once."),
            EditParameters,
            _edit_file,
        ),
        Tool(_declared("delete_file", "Deletes a file."), PathParameters, _delete_file),
        Tool(
            _declared("move_file", "Moves a file or directory to a free name."),
            MoveParameters,
            _move_file,
        ),
        Tool(_declared("apply_patch", "Applies a unified diff."), PatchParameters, _apply_patch),
        Tool(
            _declared("read_file", "Reads a file into the step's output.", read_only=True),
            PathParameters,
            _read_file,
        ),
        Tool(
            _declared("python", "Calls module:function in a Python process."),
            PythonParameters,
            _python,
        ),
    )
}
