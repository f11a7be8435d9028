"""Words that people type right after `agents`: the part of the table about the latest plan."""

from cleveragents.cli.table.entries import Command
from cleveragents.cli.table.plans import ABOUT_ROLLBACK, NAME_ONLY, ROLLBACK_OPTIONS
from cleveragents.cli.table.words import CHECKPOINT, OF_PLAN, PLAN_OR_LATEST, STAT

VERBS = (
    Command(
        "status",
        "Tell where the latest plan stands, or another one, or a chat.",
        "status:status",
        ("agents status", "agents status @-"),
        (PLAN_OR_LATEST,),
    ),
    Command(
        "log",
        "Tell the whole story of the latest plan, or of another one.",
        "log:log",
        ("agents log", "agents log add-auth"),
        (PLAN_OR_LATEST,),
    ),
    Command(
        "diff",
        "Show what the latest plan has changed: all of it, since a checkpoint, or between two.",
        "differences:between",
        ("agents diff", "agents diff 3", "agents diff 3 5 --stat"),
        (
            CHECKPOINT._replace(to="before", help="Default: the start of the plan.", needed=False),
            CHECKPOINT._replace(to="after", help="Default: the files as they are.", needed=False),
        ),
        (OF_PLAN, STAT, NAME_ONLY),
        "Without a checkpoint it is what `agents plan apply` would bring.",
    ),
    Command(
        "rollback",
        "Roll the latest plan back to a checkpoint.",
        "rollback:rollback",
        ("agents rollback 3", "agents rollback 3 --dry-run", "agents rollback"),
        (CHECKPOINT._replace(needed=False),),
        (OF_PLAN, *ROLLBACK_OPTIONS),
        ABOUT_ROLLBACK,
    ),
)
