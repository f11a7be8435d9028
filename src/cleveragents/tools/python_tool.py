"""Python functions as tools: `@tool(...)` declares one; it is called in a process of its own."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from cleveragents.errors import InvalidInput
from cleveragents.records import as_dict, frozen
from cleveragents.tools.builtin import BUILT_IN
from cleveragents.tools.declaration import Declaration
from cleveragents.tools.function import Request, call_function, importable, result_path
from cleveragents.tools.python_call import loaded
from cleveragents.tools.tool import AnyTool, Call, Outcome, Tool, keep_masked

F = TypeVar("F", bound=Callable[..., object])
_DECLARED = "__cleveragents_tool__"  # where the decorator leaves what it was told


class DeclarationFields(TypedDict, total=False):
    """The arguments of `@tool(...)`: fields of a declaration, with defaults from the function."""

    name: str
    description: str
    read_only: bool
    checkpointable: bool
    side_effects: Sequence[str]
    idempotent: bool
    timeout: float
    undo: str | Callable[..., object]
    pass_env: Sequence[str]


@frozen
class PythonTool:
    """All that is to be known of a Python tool without having its function."""

    declaration: Mapping[str, Any]
    function: str  # module:name
    parameters: Mapping[str, bool]  # each name, and whether it must be given
    takes_more: bool  # whether it takes names it does not list

    def as_tool(self, name: str, origin: str) -> AnyTool:
        """Makes the tool that calls it."""
        declared = Declaration.model_validate({**self.declaration, "name": name})

        def run(call: Call, given: BaseModel) -> Outcome:
            keywords = given.model_dump(by_alias=True, exclude_unset=True)
            result = result_path(call.output)
            request = Request(
                self.function, keywords=keywords, then=importable(), result=str(result)
            )
            result.touch()  # what it is handed is there
            try:
                return call_function(call, request)
            finally:
                if said := result.read_bytes():
                    keep_masked(call, result, said)
                else:
                    result.unlink()  # it did not come to return anything

        return Tool(declared, self._model(name), run, origin)

    def _model(self, name: str) -> type[BaseModel]:
        extra = "allow" if self.takes_more else "forbid"
        # By alias: a parameter may have any name, also one that means something to a model.
        fields: dict[str, Any] = {
            f"parameter_{index}": (Any, Field(... if needed else None, alias=key))
            for index, (key, needed) in enumerate(self.parameters.items())
        }
        return create_model(name, __config__=ConfigDict(extra=extra, frozen=True), **fields)


_made_here: dict[str, AnyTool] = {}  # the tools of modules that this process imported


def tool(**declared: Unpack[DeclarationFields]) -> Callable[[F], F]:
    """Makes a function a tool; steps of plans that this process runs may call it by its name.

    The function must be importable: it is called in a process of its own, with what a step gives
    under `with` as keywords. What it returns is printed as JSON.
    """

    def mark(function: F) -> F:
        described = _described(function, declared)
        name = described.declaration["name"]
        made = described.as_tool(name, f"Python function {described.function}")
        known = BUILT_IN.get(name) or _made_here.get(name, made)
        if known.origin != made.origin:
            raise InvalidInput(f"there is a tool {name!r} already: {known.origin}")
        _made_here[name] = made
        setattr(function, _DECLARED, described)
        return function

    return mark


def made_here() -> Mapping[str, AnyTool]:
    """Returns the tools of modules that this process imported, by name."""
    return _made_here


def describe(target: str) -> dict[str, Any]:
    """Returns what a decorated function says of itself, as JSON data."""
    found = getattr(loaded(target), _DECLARED, None)
    if not isinstance(found, PythonTool):
        raise InvalidInput(f"{target} is not decorated with @cleveragents.tool(...)")
    return as_dict(found)


def _described(function: Callable[..., object], declared: DeclarationFields) -> PythonTool:
    target = _target(function)
    told = dict(declared)
    undo = told.get("undo")
    if callable(undo):
        told["undo"] = _target(undo)
    told.setdefault("name", getattr(function, "__name__", ""))
    told.setdefault("description", (inspect.getdoc(function) or "").partition("\n")[0])
    try:
        declaration = Declaration.model_validate(told)
    except ValidationError as error:
        wrong = "; ".join(f"{problem['loc'][0]}: {problem['msg']}" for problem in error.errors())
        raise InvalidInput(f"the tool {target} is declared wrongly: {wrong}") from error
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.POSITIONAL_ONLY for parameter in parameters):
        raise InvalidInput(f"{target} cannot be a tool: it takes an argument that has no name")
    named = [
        each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    return PythonTool(
        declaration.model_dump(mode="json", exclude_unset=True),
        target,
        {each.name: each.default is each.empty for each in named},
        any(each.kind is each.VAR_KEYWORD for each in parameters),
    )


def _target(function: Callable[..., object]) -> str:
    """Names a function so that another process finds it."""
    module = getattr(function, "__module__", "")
    name = getattr(function, "__qualname__", "<unnamed>")
    if module in ("", "__main__") or "<" in name:
        raise InvalidInput(
            f"{module}:{name} cannot be a tool: it is called in a process of its own, "
            "so it must stand at the top of a module that can be imported"
        )
    return f"{module}:{name}"
