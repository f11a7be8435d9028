"""A step: one entry of a plan; what it has to be done with says of which kind it is."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from cleveragents.tools.declaration import Plainly

VariableName = Annotated[str, Field(pattern=r"^[^=\x00]+$")]
OptionName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]  # it is a part of cursors
TOOL, DECIDE = "tool", "decide"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class AnyStep(_Model):
    """What steps of every kind have."""

    name: str = ""
    checkpoint: str | None = None  # a named, pinned checkpoint before this step


class RunningStep(AnyStep):
    """What steps have that may start a process."""

    timeout: Annotated[float, Field(gt=0)] | None = None
    env: dict[VariableName, Plainly] = {}
    pass_env: tuple[str, ...] = ()


class ToolStep(RunningStep):
    """A tool call and how it is to be run."""

    tool: str
    with_: dict[str, object] = Field(default_factory=dict, alias="with")
    retries: Annotated[int, Field(ge=0, le=100)] = 0

    @property
    def title(self) -> str:
        """What the step is called in output."""
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
    def title(self) -> str:
        """What the step is called in output."""
        return self.name or self.decide.question


def _kind(value: object) -> str:
    """Tells by its key of which kind a step is; one without any lacks a tool."""
    if isinstance(value, Mapping):
        return DECIDE if DECIDE in cast("Mapping[str, Any]", value) else TOOL
    return DECIDE if isinstance(value, DecideStep) else TOOL


# The one list of kinds; `ExecutePhase` has one line for each.
Step: TypeAlias = Annotated[
    Annotated[ToolStep, Tag(TOOL)] | Annotated[DecideStep, Tag(DECIDE)], Discriminator(_kind)
]
Decide.model_rebuild()
