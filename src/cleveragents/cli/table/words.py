"""Arguments and options that several commands have, and those that all have."""

from datetime import timedelta
from pathlib import Path

from cleveragents.cli.table.entries import Argument, Option

MOST_DIGITS = 9
MOST_DAYS = 5  # digits
AGES = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def positive(text: str) -> int:
    """Reads how many there may be: one at least."""
    if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS and int(text):
        return int(text)
    raise ValueError(f"{text!r} is not a number from 1 on")


def age(text: str) -> timedelta:
    """Reads how old something is: a number of hours, days or weeks."""
    number, unit = text[:-1], AGES.get(text[-1:])
    if unit is not None and number.isascii() and number.isdecimal() and len(number) <= MOST_DAYS:
        return unit * int(number)
    raise ValueError(f"{text!r} is no age; write 30d, 12h or 8w")


PLAN = Argument("PLAN", "plan", "A name, an id or its beginning, @ (the latest) or @- (before it).")
PLAN_OR_LATEST = PLAN._replace(help=f"{PLAN.help[:-1]}; default: @.", needed=False)
OF_PLAN = Option(("--plan",), "Of which plan; default: the latest.", "PLAN")
ON_PLAN = Option(("--plan",), "Only acts on this plan; default: on all.", "PLAN")
OF_CHAT = Option(("--chat",), "Of which chat: an id, its client's id for it, or @chat.", "CHAT")
CHECKPOINT = Argument("CHECKPOINT", "checkpoint", "A number, a label, an id, or @.")
DECISION = Argument("DECISION", "decision", "An id, or the name of its step; see `plan tree`.")
ACTION = Argument("ACTION", "action", "The action file.", make=Path)

YES = Option(("--yes", "-y"), "Do not ask.")
DRY_RUN = Option(("--dry-run",), "Only show what would happen.")
TAKE_OVER = Option(("--take-over",), "End the process that owns the plan, then continue.")
ARG = Option(("--arg",), "Set an argument of the action.", "NAME=VALUE", many=True)
STAT = Option(("--stat",), "Only count lines.")

HELP = Option(("--help",), "Show this help.")
VERSION = Option(("--version",), "Tell the version.")
FORMAT = Option(("--format",), "How to write the result.", "rich|color|table|plain|json|yaml")
# Before, between or after the words of a command.
EVERYWHERE = (
    FORMAT,
    Option(
        ("--project",),
        "The project; default: the git top level here, or else this directory.",
        "DIR",
        make=Path,
    ),
    Option(
        ("--data-dir",),
        "Where plans and checkpoints are kept; default: ~/.local/share/cleveragents.",
        "DIR",
        make=Path,
    ),
    Option(
        ("--config-path",),
        "Your configuration file; default: ~/.config/cleveragents/config.toml.",
        "FILE",
        make=Path,
    ),
    Option(
        ("--set",),
        "A setting for this call; beats all others.",
        "KEY=VALUE",
        to="settings",
        many=True,
    ),
    Option(("--verbose", "-v"), "Tell more."),
    HELP,
)
