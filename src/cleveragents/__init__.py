"""CleverAgents runs plans in a sandbox of your project and takes them back to any checkpoint.

Every name in `__all__` may be relied upon; each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cleveragents.app import App
    from cleveragents.checkpoints.checkpoint import Checkpoint
    from cleveragents.checkpoints.comparison import FileDiff
    from cleveragents.checkpoints.file_change import FileChange
    from cleveragents.checkpoints.reads import RollbackForesight
    from cleveragents.checkpoints.retention import Verdict
    from cleveragents.checkpoints.rollback import RollbackResult
    from cleveragents.checkpoints.saving import CheckpointRequest, Wanted
    from cleveragents.checkpoints.service import CheckpointService
    from cleveragents.checkpoints.triggers import CheckpointType, Trigger
    from cleveragents.checkpoints.verification import VerificationResult
    from cleveragents.engine.back.restore import PathRestoration
    from cleveragents.engine.bring.application import ApplyOutcome
    from cleveragents.engine.bring.apply import ApplyResult
    from cleveragents.engine.bring.proposal import ApplyMode, ApplyOptions, Proposal
    from cleveragents.engine.bring.refresh import RefreshResult
    from cleveragents.engine.care.erasure import ErasureRequest
    from cleveragents.engine.read.history import HistoryEvent
    from cleveragents.engine.read.status import PlanStatus
    from cleveragents.engine.read.tree import DecisionNode
    from cleveragents.engine.session import CallFailed, Session, StepRules, ToolResult
    from cleveragents.engine.undo.trail import Direction
    from cleveragents.errors import (
        Busy,
        CleverAgentsError,
        Damaged,
        Differs,
        Failed,
        Gone,
        Interrupted,
        InvalidInput,
        NotFound,
        Refused,
        Unforeseen,
        Unsettled,
    )
    from cleveragents.events import (
        CallUndone,
        CheckpointSame,
        CheckpointSaved,
        CheckpointTried,
        Decided,
        Event,
        Note,
        PathsRestored,
        PlanMoved,
        Reporter,
        RolledBack,
        SandboxReady,
        SandboxRefreshed,
        StepFailed,
        StepFinished,
        StepOutput,
        StepStarted,
        SubplanEnded,
        SubplanMerged,
        SubplanStarted,
        Validated,
        Working,
    )
    from cleveragents.ids import CheckpointId, DecisionId, PlanId
    from cleveragents.plans.action import Action, Argument, OnFailure, RollbackPolicy
    from cleveragents.plans.conflict import Conflict
    from cleveragents.plans.correction import CorrectionAttempt
    from cleveragents.plans.decision import Decision
    from cleveragents.plans.lifecycle import Phase, State
    from cleveragents.plans.plan import Plan
    from cleveragents.plans.step import (
        Decide,
        DecideStep,
        GroupMode,
        MergeStrategy,
        Step,
        Subplan,
        Subplans,
        SubplansStep,
        ToolStep,
    )
    from cleveragents.tools.declaration import CommandTool
    from cleveragents.tools.python_tool import tool
    from cleveragents.undertakings import Undertaking

__version__: str = "0.4.0"
__all__ = [
    "Action",
    "App",
    "ApplyMode",
    "ApplyOptions",
    "ApplyOutcome",
    "ApplyResult",
    "Argument",
    "Busy",
    "CallFailed",
    "CallUndone",
    "Checkpoint",
    "CheckpointId",
    "CheckpointRequest",
    "CheckpointSame",
    "CheckpointSaved",
    "CheckpointService",
    "CheckpointTried",
    "CheckpointType",
    "CleverAgentsError",
    "CommandTool",
    "Conflict",
    "CorrectionAttempt",
    "Damaged",
    "Decide",
    "DecideStep",
    "Decided",
    "Decision",
    "DecisionId",
    "DecisionNode",
    "Differs",
    "Direction",
    "ErasureRequest",
    "Event",
    "Failed",
    "FileChange",
    "FileDiff",
    "Gone",
    "GroupMode",
    "HistoryEvent",
    "Interrupted",
    "InvalidInput",
    "MergeStrategy",
    "NotFound",
    "Note",
    "OnFailure",
    "PathRestoration",
    "PathsRestored",
    "Phase",
    "Plan",
    "PlanId",
    "PlanMoved",
    "PlanStatus",
    "Proposal",
    "RefreshResult",
    "Refused",
    "Reporter",
    "RollbackForesight",
    "RollbackPolicy",
    "RollbackResult",
    "RolledBack",
    "SandboxReady",
    "SandboxRefreshed",
    "Session",
    "State",
    "Step",
    "StepFailed",
    "StepFinished",
    "StepOutput",
    "StepRules",
    "StepStarted",
    "Subplan",
    "SubplanEnded",
    "SubplanMerged",
    "SubplanStarted",
    "Subplans",
    "SubplansStep",
    "ToolResult",
    "ToolStep",
    "Trigger",
    "Undertaking",
    "Unforeseen",
    "Unsettled",
    "Validated",
    "Verdict",
    "VerificationResult",
    "Wanted",
    "Working",
    "__version__",
    "tool",
]

_NAMES = {
    "app": ("App",),
    "checkpoints.checkpoint": ("Checkpoint",),
    "checkpoints.comparison": ("FileDiff",),
    "checkpoints.file_change": ("FileChange",),
    "checkpoints.reads": ("RollbackForesight",),
    "checkpoints.retention": ("Verdict",),
    "checkpoints.rollback": ("RollbackResult",),
    "checkpoints.saving": ("CheckpointRequest", "Wanted"),
    "checkpoints.service": ("CheckpointService",),
    "checkpoints.triggers": ("CheckpointType", "Trigger"),
    "checkpoints.verification": ("VerificationResult",),
    "engine.back.restore": ("PathRestoration",),
    "engine.bring.application": ("ApplyOutcome",),
    "engine.bring.apply": ("ApplyResult",),
    "engine.bring.proposal": ("ApplyMode", "ApplyOptions", "Proposal"),
    "engine.bring.refresh": ("RefreshResult",),
    "engine.care.erasure": ("ErasureRequest",),
    "engine.read.history": ("HistoryEvent",),
    "engine.read.status": ("PlanStatus",),
    "engine.read.tree": ("DecisionNode",),
    "engine.session": ("CallFailed", "Session", "StepRules", "ToolResult"),
    "engine.undo.trail": ("Direction",),
    "errors": (
        "Busy",
        "CleverAgentsError",
        "Damaged",
        "Differs",
        "Failed",
        "Gone",
        "Interrupted",
        "InvalidInput",
        "NotFound",
        "Refused",
        "Unforeseen",
        "Unsettled",
    ),
    "events": (
        "CallUndone",
        "CheckpointSame",
        "CheckpointSaved",
        "CheckpointTried",
        "Decided",
        "Event",
        "Note",
        "PathsRestored",
        "PlanMoved",
        "Reporter",
        "RolledBack",
        "SandboxReady",
        "SandboxRefreshed",
        "StepFailed",
        "StepFinished",
        "StepOutput",
        "StepStarted",
        "SubplanEnded",
        "SubplanMerged",
        "SubplanStarted",
        "Validated",
        "Working",
    ),
    "ids": ("CheckpointId", "DecisionId", "PlanId"),
    "plans.action": ("Action", "Argument", "OnFailure", "RollbackPolicy"),
    "plans.conflict": ("Conflict",),
    "plans.correction": ("CorrectionAttempt",),
    "plans.decision": ("Decision",),
    "plans.lifecycle": ("Phase", "State"),
    "plans.plan": ("Plan",),
    "plans.step": (
        "Decide",
        "DecideStep",
        "GroupMode",
        "MergeStrategy",
        "Step",
        "Subplan",
        "Subplans",
        "SubplansStep",
        "ToolStep",
    ),
    "tools.declaration": ("CommandTool",),
    "tools.python_tool": ("tool",),
    "undertakings": ("Undertaking",),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}


if not TYPE_CHECKING:  # to a type checker, a name that is not imported above does not exist

    def __getattr__(name: str) -> object:
        """Resolves public names on first use, so that `agents --version` stays quick."""
        if name in _HOMES:
            return getattr(import_module(f"cleveragents.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """Lists the public names, imported or not."""
        return [*__all__, "__doc__", "__file__", "__name__", "__path__"]
