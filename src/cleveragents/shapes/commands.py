"""Which shape the data of each command has; the published schema is made from this table.

It imports every shape, so nothing that has to start quickly imports it.
"""

from collections.abc import Mapping
from types import UnionType

from cleveragents.shapes.apply import (
    Application,
    ApplyPreview,
    FinishedApply,
    Unapplication,
    UnapplyPreview,
)
from cleveragents.shapes.bisect import Border
from cleveragents.shapes.chat import ChatUndoPreview, ChatUndoReport
from cleveragents.shapes.chat_deletion import ChatDeletionPreview, ChatDeletions
from cleveragents.shapes.chat_status import ChatReport
from cleveragents.shapes.checkpoint import (
    CheckpointList,
    CheckpointRow,
    Deletion,
    DeletionPreview,
    ReadingBack,
)
from cleveragents.shapes.completion import CompletionScript
from cleveragents.shapes.conflict import (
    ConflictDetail,
    ConflictList,
    Resolution,
    ResolutionPreview,
)
from cleveragents.shapes.correction import (
    Addition,
    AdditionPreview,
    CorrectionPreview,
    SecondChoice,
)
from cleveragents.shapes.decision import Decisions, Explanation
from cleveragents.shapes.deed import OpLog, UndoPreview, UndoReport, UndoSeries, UndoSeriesPreview
from cleveragents.shapes.deletion import PlanDeletionPreview, PlanDeletions
from cleveragents.shapes.demo import Demonstration
from cleveragents.shapes.difference import Differences
from cleveragents.shapes.doctor import Diagnosis
from cleveragents.shapes.erasure import Forgetting
from cleveragents.shapes.failure import FailureReport
from cleveragents.shapes.file import (
    DirectoryListing,
    FileContent,
    LinkTarget,
    PathChanges,
    WrittenFile,
)
from cleveragents.shapes.first_action import FirstAction
from cleveragents.shapes.keeper import HookAnswer, KeeperStatus, KeeperStop
from cleveragents.shapes.log import PlanLog
from cleveragents.shapes.plan import Fork, PlanList, PlanRow
from cleveragents.shapes.protection import HookCheck, ProtectionReport, UnprotectionReport
from cleveragents.shapes.refresh import RefreshPreview, SandboxRefresh
from cleveragents.shapes.relocation import ProjectMove
from cleveragents.shapes.restore import Restoration, RestorePreview
from cleveragents.shapes.resume import NothingLeft, ResumePreview
from cleveragents.shapes.reversion import ReversionPreview
from cleveragents.shapes.rollback import Extraction, RebuildPreview, Rollback, RollbackPreview
from cleveragents.shapes.sandbox import SandboxList, SandboxPrune
from cleveragents.shapes.setting import SettingChange, SettingLevels, SettingList, UnknownKey
from cleveragents.shapes.status import PlanReport
from cleveragents.shapes.timeline import ChatTimeline
from cleveragents.shapes.tool import ToolList, ToolRow

SHAPES: Mapping[str, type | UnionType] = {
    "run": PlanReport | Application,
    "status": PlanReport | ChatReport,
    "log": PlanLog,
    "diff": Differences,
    "rollback": Rollback
    | RollbackPreview
    | RebuildPreview
    | Extraction
    | ChatUndoReport
    | ChatUndoPreview,
    "init": FirstAction,
    "undo": UndoReport
    | UndoPreview
    | UndoSeries
    | UndoSeriesPreview
    | ChatUndoReport
    | ChatUndoPreview,
    "redo": UndoReport | UndoPreview | ChatUndoReport | ChatUndoPreview,
    "timeline": ChatTimeline,
    "hook": HookAnswer,
    "keeper status": KeeperStatus,
    "keeper stop": KeeperStop,
    "op log": OpLog,
    "demo": Demonstration,
    "doctor": Diagnosis,
    "find": PathChanges,
    "cat": FileContent | LinkTarget | DirectoryListing | WrittenFile,
    "forget": Forgetting,
    "protect": ProtectionReport | HookCheck,
    "unprotect": UnprotectionReport,
    "completion": CompletionScript,
    "plan use": PlanRow,
    "plan list": PlanList,
    "plan status": PlanReport | ChatReport,
    "plan diff": Differences,
    "plan execute": PlanReport,
    "plan resume": PlanReport | ResumePreview | NothingLeft,
    "plan cancel": PlanReport,
    "plan watch": PlanReport,
    "chat delete": ChatDeletions | ChatDeletionPreview,
    "plan delete": PlanDeletions | PlanDeletionPreview,
    "plan apply": Application | ApplyPreview | FinishedApply,
    "plan unapply": Unapplication | UnapplyPreview | FinishedApply,
    "plan conflicts": ConflictList | ConflictDetail,
    "plan resolve": Resolution | ResolutionPreview,
    "plan refresh": SandboxRefresh | RefreshPreview,
    "plan errors": FailureReport,
    "plan log": PlanLog,
    "plan tree": Decisions,
    "plan explain": Explanation,
    "plan correct": SecondChoice | Addition | CorrectionPreview | AdditionPreview,
    "plan revert": PlanRow | ReversionPreview,
    "plan fork": Fork,
    "plan rollback": Rollback
    | RollbackPreview
    | RebuildPreview
    | Extraction
    | ChatUndoReport
    | ChatUndoPreview,
    "plan restore": Restoration | RestorePreview | ChatUndoReport | ChatUndoPreview,
    "plan bisect": Border,
    "plan checkpoint list": CheckpointList,
    "plan checkpoint show": CheckpointRow,
    "plan checkpoint diff": Differences,
    "plan checkpoint verify": ReadingBack,
    "plan checkpoint create": CheckpointRow,
    "plan checkpoint pin": CheckpointRow,
    "plan checkpoint unpin": CheckpointRow,
    "plan checkpoint delete": Deletion | DeletionPreview,
    "config list": SettingList,
    "config get": SettingLevels,
    "config set": SettingChange,
    "config unset": SettingChange | UnknownKey,
    "tool list": ToolList,
    "tool show": ToolRow,
    "project move": ProjectMove,
    "sandbox list": SandboxList,
    "sandbox prune": SandboxPrune,
}
