"""`agents plan checkpoint …`: the part of the table about checkpoints."""

from cleveragents.cli.table.entries import Command, Group, Option
from cleveragents.cli.table.words import CHECKPOINT, DRY_RUN, PLAN, PLAN_OR_LATEST, STAT, YES

CHECKPOINTS = Group(
    "checkpoint",
    "The points a plan can be taken back to.",
    (
        Command(
            "list",
            "List the checkpoints of a plan, the oldest first; with --verbose, why each is kept.",
            "checkpoint:list_checkpoints",
            ("agents plan checkpoint list @ --verbose", "agents plan checkpoint list"),
            (PLAN_OR_LATEST,),
        ),
        Command(
            "show",
            "Show everything about a checkpoint.",
            "checkpoint:show",
            ("agents plan checkpoint show @ 3", "agents plan checkpoint show @ @"),
            (PLAN, CHECKPOINT),
        ),
        Command(
            "diff",
            "Show what changed from a checkpoint to another, or to the files as they are.",
            "checkpoint:diff",
            ("agents plan checkpoint diff @ 1 3", "agents plan checkpoint diff @ 1 --stat"),
            (
                PLAN,
                CHECKPOINT._replace(to="before"),
                CHECKPOINT._replace(
                    to="after", help="Default: the files as they are.", needed=False
                ),
            ),
            (STAT,),
        ),
        Command(
            "verify",
            "Read the content of checkpoints back and compare it with its hashes.",
            "checkpoint:verify",
            ("agents plan checkpoint verify @", "agents plan checkpoint verify --all"),
            (
                PLAN_OR_LATEST,
                CHECKPOINT._replace(help="Default: all of the plan.", needed=False),
            ),
            (Option(("--all",), "All plans of the project.", to="every"),),
        ),
        Command(
            "create",
            "Save the present state of a plan under a name; it is kept until you delete it.",
            "keeping:create",
            ('agents plan checkpoint create @ --label "before the risky part"',),
            (PLAN_OR_LATEST,),
            (
                Option(("--label",), "A name for it.", "TEXT"),
                Option(
                    ("--pin", "--no-pin"),
                    "Keep it until you delete it, or as the others.",
                    to="pinned",
                ),
            ),
        ),
        Command(
            "pin",
            "Keep a checkpoint until you delete it, however many there are.",
            "keeping:pin",
            ("agents plan checkpoint pin @ 3",),
            (PLAN, CHECKPOINT),
        ),
        Command(
            "unpin",
            "Let the limit remove a checkpoint, as it removes others.",
            "keeping:unpin",
            ("agents plan checkpoint unpin @ 3",),
            (PLAN, CHECKPOINT),
        ),
        Command(
            "delete",
            "Delete a checkpoint; this cannot be undone.",
            "keeping:delete",
            ("agents plan checkpoint delete @ 3", "agents plan checkpoint delete @ 3 --dry-run"),
            (PLAN, CHECKPOINT),
            (YES, DRY_RUN),
        ),
    ),
)
