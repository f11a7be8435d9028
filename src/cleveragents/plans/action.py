"""The action file: a reusable template of arguments, tools, a rollback policy and steps."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from cleveragents.counting import counted
from cleveragents.errors import CleverAgentsError, InvalidInput, NotFound
from cleveragents.nearest import asking
from cleveragents.plans.keys import keys_at
from cleveragents.plans.source import Location, Plain, Source
from cleveragents.plans.step import DECIDE, SUBPLANS, TOOL, Step, Stricter, Subplan
from cleveragents.tools.builtin import BUILT_IN
from cleveragents.tools.declaration import CommandTool, Plainly
from cleveragents.tools.registry import ToolRegistry

_REFERENCE = re.compile(r"\$(\$?)\{([A-Za-z_][A-Za-z0-9_-]*)\}")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class OnFailure(StrEnum):
    """Where the files go when a step fails for good."""

    LAST_GOOD = "last_good"
    START = "start"
    KEEP = "keep"


class RollbackPolicy(_Model):
    """Whether a plan is checkpointed, and what a failed step leads to."""

    enabled: bool = True
    on_failure: OnFailure = OnFailure.LAST_GOOD


class Argument(_Model):
    """A value that `plan use --arg` may set; without a default it must."""

    default: str | int | float | bool | None = None
    description: str = ""


class Action(_Model):
    """A whole action, arguments filled in."""

    name: Annotated[str, Field(min_length=1)]
    description: str = ""
    arguments: dict[str, Argument | None] = {}
    rollback: RollbackPolicy = RollbackPolicy()
    validate_: tuple[str, ...] = Field(default=(), alias="validate")
    tools: tuple[CommandTool, ...] = ()
    confine: Stricter | None = None  # at least, for all that the plan runs
    strategist: Annotated[Plainly, Field(min_length=1)] | None = None  # a command that plans
    steps: tuple[Step, ...] = ()  # none as long as the strategist has not answered

    def of_subplan(self, subplan: Subplan) -> "Action":
        """Returns the action of a subplan: its own steps under the rules of this one."""
        return Action(
            name=subplan.name,
            description=subplan.description,
            rollback=self.rollback,
            confine=self.confine,
            tools=self.tools,
            steps=subplan.steps,
        )


def read_again(path: Path, action: Action) -> Action:
    """Reads the file of an action as it is now, with the arguments as they were."""
    arguments = action.arguments.items()
    had = {name: str(declared.default) for name, declared in arguments if declared is not None}
    return read_action(path, {}, had)


def step_of(text: str) -> Step:
    """Reads one step as it is stored."""
    return _stored_step().validate_json(text)


@cache
def _stored_step() -> TypeAdapter[Step]:
    return TypeAdapter(Step)


def read_action(
    path: Path, given: Mapping[str, str], before: Mapping[str, str] | None = None
) -> Action:
    """Reads an action file; every problem in it is listed, each with file, line and field.

    The action keeps the values of its arguments as their defaults. Those that arguments had
    `before` count for as long as the file declares them.
    """
    # YAML is slow to import, and only files are written in it.
    from cleveragents.plans.yaml_file import read_source  # noqa: PLC0415

    source = read_source(path)
    if not isinstance(source.data, dict):
        raise InvalidInput(f"{source.name}: an action is a mapping with a name and steps")
    values, problems = _argument_values(source.data.get("arguments"), source, given, before or {})
    filled = _fill_in(source.data, (), values, source, problems)
    action = _checked(filled, source, problems)
    arguments = {
        name: Argument(default=values[name], description=declared.description if declared else "")
        for name, declared in action.arguments.items()
    }
    return action.model_copy(update={"arguments": arguments})


def with_steps(action: Action, steps: Sequence[Plain]) -> Action:
    """Returns the action with the steps a strategist answered; every problem in them is listed."""
    filled: Plain = {**action.model_dump(mode="json", by_alias=True), "steps": list(steps)}
    source = Source("strategist", filled, {(): 1}, {})
    found = _checked({**filled, "strategist": None}, source, [])
    return found.model_copy(update={"strategist": action.strategist})


def _checked(filled: Plain, source: Source, problems: list[str]) -> Action:
    action: Action | None = None
    try:
        action = Action.model_validate(filled)
    except ValidationError as error:
        problems += [
            _told(source, {**problem, "loc": (place := _in_file(problem["loc"]))}, Action, place)
            for problem in _telling(error)
        ]
    problems += _way_problems(filled, source)
    problems += _tool_problems(filled, source)
    problems += _uses_problems(filled, source)
    problems = list(dict.fromkeys(problems))
    if problems or action is None:
        raise InvalidInput(
            f"{source.name} has {counted(len(problems), 'problem')}",
            detail=problems,
            hints=["mend what is listed and try again"],
        )
    return action


def _way_problems(filled: Plain, source: Source) -> Iterator[str]:
    """Checks that the steps come from one place: the action or its strategist."""
    held = filled if isinstance(filled, dict) else {}
    if held.get("strategist") is None and held.get("steps") is None:
        yield f"{source.at(('steps',))}: missing"
    elif held.get("strategist") is not None and held.get("steps") is not None:
        yield f"{source.at(('strategist',))}: an action has steps or a strategist, not both"
    elif held.get("steps") == []:
        yield f"{source.at(('steps',))}: there must be at least one"


def _argument_values(
    declared: Plain, source: Source, given: Mapping[str, str], before: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    if not isinstance(declared, dict):
        declared = {}  # nothing declared; the model tells if something is wrong with it
    values: dict[str, str] = {}
    problems = [
        f"--arg {name}: {source.name} declares no such argument{asking(name, declared)}"
        for name in given
        if name not in declared
    ]
    for name, argument in declared.items():
        has_default = isinstance(argument, dict) and argument.get("default") is not None
        default = source.texts.get(("arguments", name, "default")) if has_default else None
        value = given.get(name, before.get(name, default))
        if value is None:
            where = source.at(("arguments", name))
            problems.append(f"{where}: missing; give it with --arg {name}=…")
        else:
            values[name] = value
    return values, problems


def _fill_in(
    value: Plain, location: Location, values: Mapping[str, str], source: Source, out: list[str]
) -> Plain:
    """Replaces ${name} in every text; $${name} stays as ${name}."""

    def one(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return "${" + name + "}"
        if name not in values:
            out.append(
                f"{source.at(location)}: no argument {name!r}; write $${{{name}}} for itself"
                f"{asking(name, values)}"
            )
        return values.get(name, "")

    if isinstance(value, str):
        return _REFERENCE.sub(one, value)
    if isinstance(value, list):
        return [_fill_in(v, (*location, i), values, source, out) for i, v in enumerate(value)]
    if isinstance(value, dict) and location != ("arguments",):
        return {k: _fill_in(v, (*location, k), values, source, out) for k, v in value.items()}
    return value


def _telling(error: ValidationError) -> list[ErrorDetails]:
    """Leaves out that a list is too short when it is what is wrong in it that made it so."""
    found = error.errors()
    return [
        problem
        for problem in found
        if problem["type"] != "too_short"
        or not any(
            other["loc"][: len(problem["loc"])] == problem["loc"]
            for other in found
            if other is not problem
        )
    ]


def _told(source: Source, problem: ErrorDetails, model: type[BaseModel], place: Location) -> str:
    """Says where and what; `place` is where the problem is in the model."""
    location = tuple(problem["loc"])
    if problem["type"] == "extra_forbidden":
        asked = asking(str(location[-1]), keys_at(model.model_json_schema(), place[:-1]))
        return f"{source.at(location)}: unknown key{asked}"
    told = "missing" if problem["type"] == "missing" else problem["msg"]
    return f"{source.at(location)}: {told}"


def _in_file(place: Location) -> Location:
    """Returns the place of a problem as it is in the file, where no step names its kind."""
    return tuple(
        part
        for before, part in pairwise(("", *place))
        if not (isinstance(before, int) and part in (TOOL, DECIDE, SUBPLANS))
    )


def _tool_problems(filled: Plain, source: Source) -> Iterator[str]:
    """Checks tools and their parameters in every step, whatever else is wrong with the file."""
    tools = _entries(filled, "tools")
    registry = ToolRegistry(list(_valid_tools(tools)))
    declared = [tool.get("name") for _, tool in tools]
    yield from _name_problems(tools, source)
    for location, step in _everywhere(filled):
        name, given = step.get("tool"), step.get("with", {})
        if not isinstance(name, str) or not isinstance(given, dict):
            continue
        try:
            registry.find(name).parameters.model_validate(given)
        except NotFound as error:
            if name not in declared:  # a tool that is declared wrongly is told of already
                yield f"{source.at((*location, 'tool'))}: {error.message}; {error.hints[0]}"
        except CleverAgentsError as error:
            yield f"{source.at((*location, 'tool'))}: {error.message}"
        except ValidationError as error:
            for problem in error.errors():
                place = (*location, "with", *problem["loc"])
                parameters = registry.find(name).parameters
                yield _told(source, {**problem, "loc": place}, parameters, problem["loc"])


def _uses_problems(filled: Plain, source: Source) -> Iterator[str]:
    """Checks that a decision depends on earlier ones of the same plan only."""
    for plan, location in _plans(filled, ()):
        yield from _uses_problems_of(plan, location, source)


def _uses_problems_of(plan: Plain, place: Location, source: Source) -> Iterator[str]:
    earlier: list[Plain] = []
    for location, step in _every_step(plan, place):
        decide = step.get("decide")
        if not isinstance(decide, dict):
            continue
        used = decide.get("uses")
        for index, name in enumerate(used if isinstance(used, list) else ()):
            if name not in earlier:
                where = source.at((*location, "decide", "uses", index))
                yield f"{where}: no earlier decision is called {name!r}"
        earlier.append(step.get("name") or decide.get("question"))


def _everywhere(filled: Plain) -> Iterator[tuple[Location, dict[str, Plain]]]:
    """Yields what looks like a step, with its place in the file, those of subplans included."""
    for plan, location in _plans(filled, ()):
        yield from _every_step(plan, location)


def _plans(holding: Plain, location: Location) -> Iterator[tuple[Plain, Location]]:
    """Yields the plan of the file, and what looks like a subplan at any depth, with its place."""
    yield holding, location
    for here, step in _every_step(holding, location):
        for index, plan in _entries(step.get("subplans"), "plans"):
            yield from _plans(plan, (*here, "subplans", "plans", index))


def _every_step(
    holding: Plain, location: Location, key: str = "steps"
) -> Iterator[tuple[Location, dict[str, Plain]]]:
    """Yields what looks like a step, with its place in the file, those in options included."""
    for index, step in _entries(holding, key):
        here = (*location, key, index)
        yield here, step
        decide = step.get("decide")
        options = decide.get("options") if isinstance(decide, dict) else None
        for option in options if isinstance(options, dict) else ():
            yield from _every_step(options, (*here, "decide", "options"), option)


def _name_problems(tools: Sequence[tuple[int, dict[str, Plain]]], source: Source) -> Iterator[str]:
    seen = list(BUILT_IN)
    for index, tool in tools:
        if tool.get("name") in seen:
            where = source.at(("tools", index, "name"))
            yield f"{where}: there is a tool {tool.get('name')!r} already"
        seen.append(str(tool.get("name")))


def _entries(filled: Plain, key: str) -> list[tuple[int, dict[str, Plain]]]:
    """Returns what looks like an entry in a list of the file, with its position."""
    listed = filled.get(key) if isinstance(filled, dict) else None
    found = enumerate(listed) if isinstance(listed, list) else ()
    return [(index, entry) for index, entry in found if isinstance(entry, dict)]


def _valid_tools(tools: Sequence[tuple[int, dict[str, Plain]]]) -> Iterator[CommandTool]:
    for _, tool in tools:
        with suppress(ValidationError):  # told with the rest of the file
            yield CommandTool.model_validate(tool)
