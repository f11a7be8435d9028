"""A step: one entry of a plan; what it has to be done with says of which kind it is."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, LiteralString, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from cleveragents.tools.declaration import Plainly

VariableName = Annotated[str, Field(pattern=r"^[^=\x00]+$")]
OptionName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]  # it is a part of cursors
TOOL, DECIDE, SUBPLANS = "tool", "decide", "subplans"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class AnyStep(_Model):
    """The fields of steps of every kind."""

    name: str = ""
    checkpoint: str | None = None  # a named, pinned checkpoint before this step

    @property
    def options(self) -> Mapping[str, tuple["Step", ...]]:
        """The steps of each option it chooses from; none, unless it decides."""
        return {}


Stricter: TypeAlias = Literal["project", "write", "strict"]  # levels that may be asked for


class RunningStep(AnyStep):
    """The fields of steps that may start a process."""

    timeout: Annotated[float, Field(gt=0)] | None = None
    env: dict[VariableName, Plainly] = {}
    pass_env: tuple[str, ...] = ()
    confine: Stricter | None = None  # at least; never less than the settings say


class ToolStep(RunningStep):
    """A tool call and how it is to be run."""

    tool: str
    with_: dict[str, object] = Field(default_factory=dict, alias="with")
    retries: Annotated[int, Field(ge=0, le=100)] = 0

    @property
    def title(self) -> str:
        """The name of the step in output."""
        return self.name or self.tool


class Decide(_Model):
    """A choice between options; the steps of the chosen one come next."""

    question: Annotated[str, Field(min_length=1)]
    options: Annotated[dict[OptionName, tuple["Step", ...]], Field(min_length=1)]
    choose: str | None = None
    chooser: Annotated[Plainly, Field(min_length=1)] | None = None  # a command that is asked
    uses: tuple[str, ...] = ()  # names of earlier decisions it depends on

    @model_validator(mode="after")
    def check_choice(self) -> "Decide":
        """Refuses a choice that is no option, and any but one way to choose."""
        if (self.choose is None) == (self.chooser is None):
            raise PydanticCustomError("ways", "give one of choose and chooser")
        if self.choose is not None and self.choose not in self.options:
            raise PydanticCustomError("no_option", "the choice is none of the options")
        return self


class DecideStep(RunningStep):
    """A decision of the plan."""

    decide: Decide

    @property
    def options(self) -> Mapping[str, tuple["Step", ...]]:
        """The steps of each option."""
        return self.decide.options

    @property
    def title(self) -> str:
        """The name of the step in output."""
        return self.name or self.decide.question


class GroupMode(StrEnum):
    """Which subplans of a group run at the same time."""

    SEQUENTIAL = "sequential"  # one after the other, each on the result of those before
    PARALLEL = "parallel"  # all from the same state
    DEPENDENCY_ORDERED = "dependency_ordered"  # each on the result of those it needs


class MergeStrategy(StrEnum):
    """How the result of a subplan comes into its parent."""

    GIT_THREE_WAY = "git_three_way"
    SEQUENTIAL_APPLY = "sequential_apply"
    FAIL_ON_CONFLICT = "fail_on_conflict"
    LAST_WINS = "last_wins"


class Subplan(_Model):
    """One plan of a group; its steps run in a sandbox of its own."""

    name: Annotated[str, Field(min_length=1)]
    description: str = ""
    needs: tuple[str, ...] = ()  # names of those whose result it starts from
    steps: Annotated[tuple["Step", ...], Field(min_length=1)]


class Subplans(_Model):
    """A group of subplans and how they are run and merged."""

    mode: GroupMode = GroupMode.SEQUENTIAL
    max_parallel: Annotated[int, Field(ge=1, le=50)] = 5  # how many at once, not how many
    fail_fast: bool = False
    retries: Annotated[int, Field(ge=0, le=100)] = 2
    timeout: Annotated[float, Field(gt=0)] | None = None  # of one attempt
    merge: MergeStrategy = MergeStrategy.GIT_THREE_WAY
    plans: Annotated[tuple[Subplan, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def check_names(self) -> "Subplans":
        """Refuses names that are not unique, and needs that cannot be met."""
        names = [plan.name for plan in self.plans]
        for plan in self.plans:
            if names.count(plan.name) > 1:
                raise _problem("two subplans are called {name}", plan.name)
            if plan.needs and self.mode is not GroupMode.DEPENDENCY_ORDERED:
                raise _problem("{name} has needs; they are for dependency_ordered", plan.name)
            for need in plan.needs:
                if need not in names:
                    raise _problem("{name} needs {need}, which there is not", plan.name, need)
        self.in_order()
        return self

    def in_order(self) -> list[Subplan]:
        """Returns them as they are written, but each after those it needs; refuses a circle."""
        ordered: list[Subplan] = []
        left = list(self.plans)
        while left:
            known = {plan.name for plan in ordered}
            ready = next((plan for plan in left if known.issuperset(plan.needs)), None)
            if ready is None:
                circle = ", ".join(plan.name for plan in left)
                raise _problem("needs lead in a circle: {name}", circle)
            left.remove(ready)
            ordered.append(ready)
        return ordered


class SubplansStep(AnyStep):
    """A group of subplans."""

    subplans: Subplans

    @property
    def title(self) -> str:
        """The name of the step in output."""
        return self.name or ", ".join(plan.name for plan in self.subplans.plans)


def _problem(text: LiteralString, name: str, need: str = "") -> PydanticCustomError:
    return PydanticCustomError("subplans", text, {"name": name, "need": need})


def _kind(value: object) -> str:
    """Tells by its key of which kind a step is; one without any lacks a tool."""
    if isinstance(value, Mapping):
        keys = cast("Mapping[str, Any]", value)
        return next((kind for kind in (DECIDE, SUBPLANS) if kind in keys), TOOL)
    if isinstance(value, DecideStep):
        return DECIDE
    return SUBPLANS if isinstance(value, SubplansStep) else TOOL


# The one list of kinds; `ExecutePhase` has one line for each.
Step: TypeAlias = Annotated[
    Annotated[ToolStep, Tag(TOOL)]
    | Annotated[DecideStep, Tag(DECIDE)]
    | Annotated[SubplansStep, Tag(SUBPLANS)],
    Discriminator(_kind),
]
