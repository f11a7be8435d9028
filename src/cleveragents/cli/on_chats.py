"""Commands about plans, met with a chat: which of them work, and what fits where one does not."""

from collections.abc import Mapping

from cleveragents.app import App
from cleveragents.errors import Refused
from cleveragents.plans.plan import CHAT, Plan

WORKS = ("", "")
TELLS = ("see what its agent did", "agents timeline --chat {}")
BACK = ("what its agent did is in your directory; take it back", "agents undo --chat {}")
FORK = ("its client runs it; make a plan from it", "agents plan fork {} @")

# Every command that takes a plan: why it does nothing with a chat, and the command that fits.
ON_CHATS: Mapping[str, tuple[str, str]] = {
    "status": WORKS,
    "log": WORKS,
    "diff": WORKS,
    "rollback": WORKS,
    "undo": ("it is named by another option", "agents undo --chat {}"),
    "redo": ("it is named by another option", "agents redo --chat {}"),
    "op log": TELLS,
    "find": WORKS,
    "cat": WORKS,
    "plan status": WORKS,
    "plan diff": WORKS,
    "plan execute": FORK,
    "plan resume": FORK,
    "plan cancel": ("its client stops it; take back what its agent did", "agents undo --chat {}"),
    "plan watch": TELLS,
    "plan delete": ("there is a command of its own", "agents chat delete {}"),
    "plan apply": BACK,
    "plan unapply": BACK,
    "plan conflicts": ("an undo tells what is in its way", "agents undo --chat {} --dry-run"),
    "plan resolve": (
        "an undo is told what stays as you have it",
        "agents undo --chat {} --mine PATH",
    ),
    "plan refresh": ("it works in your directory as it is", "agents plan status {}"),
    "plan errors": TELLS,
    "plan log": WORKS,
    "plan tree": TELLS,
    "plan correct": BACK,
    "plan revert": ("take back all that its agent did", "agents undo --chat {} --since t1"),
    "plan fork": WORKS,
    "plan rollback": WORKS,
    "plan restore": WORKS,
    "plan bisect": ("make a plan from it first", "agents plan fork {} @"),
    "plan checkpoint list": WORKS,
    "plan checkpoint show": WORKS,
    "plan checkpoint diff": WORKS,
    "plan checkpoint verify": WORKS,
    "plan checkpoint create": WORKS,
    "plan checkpoint pin": WORKS,
    "plan checkpoint unpin": WORKS,
    "plan checkpoint delete": WORKS,
}


def is_chat(plan: Plan) -> bool:
    """Whether a plan is what an agent does in the user's own directory."""
    return plan.kind == CHAT


def refuse_chat(command: str, plan: Plan) -> None:
    """Refuses a chat where a command does nothing with one, and names the command that fits."""
    why, fitting = ON_CHATS[command] if is_chat(plan) else WORKS
    if fitting:
        raise Refused(
            f"{plan.plan_id} is a chat of {plan.name}, and `agents {command}` is about plans",
            hints=[f"{why}: {fitting.format(plan.plan_id)}"],
        )


def refuse_unfinished(app: App, plan: Plan) -> None:
    """Refuses to touch a chat whose undo was interrupted: only who types one finishes it."""
    begun = app.chats.reads.unfinished(plan.plan_id) if is_chat(plan) else ()
    if begun:
        raise Refused(
            f"interrupted, and not finished yet: {begun[0].kind} of t{begun[0].intent.turn}",
            hints=[f"finish it: agents {begun[0].kind}"],
        )
