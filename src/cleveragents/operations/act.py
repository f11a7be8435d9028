"""Acts: each kind of operation has one, which its command and recovery carry out alike."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from cleveragents.errors import Damaged
from cleveragents.operations.intent import Intent
from cleveragents.operations.kind import Kind
from cleveragents.operations.operation import Operation
from cleveragents.storage.held import Held

I_contra = TypeVar("I_contra", bound=Intent, contravariant=True)


class TakenBack(Damaged):
    """The state to go to cannot be read; all is as it was before the operation."""


class Act(Protocol[I_contra]):
    """Carries operations of a kind out.

    It may be called again after a crash at any moment of it, and ends in the transaction that
    closes the intent; nothing else closes one.
    """

    def finish(self, held: Held, operation: Operation[I_contra]) -> str:
        """Carries out what was interrupted; returns what is told of it, if anything."""
        ...


Acts = Callable[[Kind], Act[Any]]  # which one carries operations of a kind out
