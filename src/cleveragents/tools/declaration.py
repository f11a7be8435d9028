"""The declaration of a tool: it decides what is checkpointed and what may be undone."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# What can be handed to a process: the system ends texts at a zero byte.
Plainly = Annotated[str, Field(pattern=r"^[^\x00]*$")]


class Declaration(BaseModel):
    """The flat declaration of a tool; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")]
    description: str = ""
    read_only: bool = False  # a tool writes unless it says otherwise
    checkpointable: bool | None = None  # unset: true for what only changes sandbox files
    side_effects: tuple[str, ...] = ()  # what it changes outside the sandbox
    idempotent: bool = False
    timeout: Annotated[float, Field(gt=0)] | None = None
    undo: Annotated[Plainly, Field(min_length=1)] | None = None  # a command or module:function
    pass_env: tuple[str, ...] = ()
    network: bool = False  # it needs the network, and has it at every level

    @property
    def is_checkpointable(self) -> bool:
        """Whether a checkpoint before the call takes it back."""
        return not self.side_effects if self.checkpointable is None else self.checkpointable

    @property
    def can_be_taken_back(self) -> bool:
        """Whether a checkpoint before the call, or the tool's undo, takes it back."""
        return self.undo is not None or self.is_checkpointable

    @property
    def is_unsafe_to_repeat(self) -> bool:
        """Whether a second call would do something outside the sandbox a second time."""
        return bool(self.side_effects) and not self.idempotent


class CommandTool(Declaration):
    """A tool that an action declares in place: a command, run in the sandbox."""

    command: Plainly
