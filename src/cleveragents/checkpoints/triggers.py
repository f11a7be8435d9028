"""When checkpoints are made: each trigger and each type has its name here and nowhere else."""

from collections.abc import Mapping
from enum import StrEnum


class Trigger(StrEnum):
    """A milestone at which a checkpoint is made if the setting says so."""

    BEFORE_STEP = "before_step"
    BEFORE_TOOL_EXECUTE = "before_tool_execute"
    AFTER_TOOL_EXECUTE = "after_tool_execute"
    ON_SUBPLAN_SPAWN = "on_subplan_spawn"
    AFTER_SUBPLAN = "after_subplan"
    ON_ERROR = "on_error"


class CheckpointType(StrEnum):
    """Why a checkpoint exists, as stored."""

    STEP = "step"
    TOOL = "tool"
    SUBPLAN = "subplan"
    ERROR = "error"
    PRE_EXECUTE = "pre_execute"
    POST_EXECUTE = "post_execute"
    PRE_APPLY = "pre_apply"
    DECISION = "decision"
    MANUAL = "manual"
    ROLLBACK = "rollback"  # the appended record of a rollback
    SAFETY = "safety"  # what was there before a rollback
    PROMPT = "prompt"  # of a chat: what the user handed over
    CALL = "call"  # of a chat: around a call of its agent
    TURN = "turn"  # of a chat: what the agent left


TYPE_OF: Mapping[Trigger, CheckpointType] = {
    Trigger.BEFORE_STEP: CheckpointType.STEP,
    Trigger.BEFORE_TOOL_EXECUTE: CheckpointType.TOOL,
    Trigger.AFTER_TOOL_EXECUTE: CheckpointType.TOOL,
    Trigger.ON_SUBPLAN_SPAWN: CheckpointType.SUBPLAN,
    Trigger.AFTER_SUBPLAN: CheckpointType.SUBPLAN,
    Trigger.ON_ERROR: CheckpointType.ERROR,
}
