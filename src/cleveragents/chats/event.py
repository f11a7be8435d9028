"""One thing that a coding agent told us: a prompt, a call before or after, the end of a turn."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, cast

from cleveragents.records import as_dict, field_names, frozen


class EventKind(StrEnum):
    """When it was told."""

    START = "start"
    PROMPT = "prompt"
    BEFORE = "before"
    AFTER = "after"
    BATCH = "batch"
    TURN_END = "turn-end"
    AGENT_START = "agent-start"
    AGENT_END = "agent-end"
    INTERRUPT = "interrupt"
    END = "end"


@frozen
class HookEvent:
    """An event of a client, in words that are the same for all of them."""

    client: str  # claude, codex, gemini, qwen, copilot, opencode
    session: str  # the client's id of the conversation
    kind: EventKind
    cwd: str = ""
    turn: str = ""  # the client's id of the turn, if it has one
    call: str = ""  # the client's id of the call, if it numbers them
    agent: str = ""  # the subagent's id
    tool: str = ""
    may_write: bool = False  # of a call: False for tools known to only read
    paths: tuple[str, ...] = ()  # that the call names as those it writes; empty: anything
    text: str = ""  # of a prompt, a command, the path of an edit; whole enough to be masked
    failed: bool = False  # of an after
    input: str = ""  # digest of tool and input: by it an after without an id finds its before
    digest: str = ""  # of the payload: makes events without numbers idempotent
    pid: int = 0  # the client's process; 0: not known

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> "HookEvent":
        """Reads an event that another process wrote; raises ValueError for what is none.

        Fields that it does not know are passed over: an older keeper may meet a newer hook.
        """
        given = {name: _checked(name, record[name]) for name in field_names(cls) if name in record}
        missing = [name for name in NEEDED if not given.get(name)]
        if missing:
            raise ValueError(f"an event needs its {missing[0]}")
        return cls(**given)

    def to_record(self) -> dict[str, object]:
        """The event as JSON has it."""
        return {**as_dict(self), "kind": self.kind.value, "paths": list(self.paths)}


NEEDED = ("client", "session", "kind")


def _checked(name: str, value: object) -> Any:  # noqa: ANN401 - of the type that the field has
    if name == "kind":
        return EventKind(value)
    if name == "paths":
        paths = cast("list[object]", value) if isinstance(value, list) else [None]
        return tuple(_of_type(name, path, str) for path in paths)
    return _of_type(name, value, {"may_write": bool, "failed": bool, "pid": int}.get(name, str))


def _of_type(name: str, value: object, wanted: type) -> object:
    if type(value) is not wanted:
        raise ValueError(f"{name} of an event is not of type {wanted.__name__}")
    return value
