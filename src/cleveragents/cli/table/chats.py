"""`agents undo|redo|timeline`: the part of the table about what was done here, also by agents."""

from cleveragents.cli.table.entries import Argument, Command, Group, Option
from cleveragents.cli.table.words import DRY_RUN, OF_CHAT, ON_PLAN, YES, age, positive

MINE = Option(("--mine",), "Leave these as you have them; globs work.", "PATH", many=True)
BEFORE = Option(
    ("--before",), "Make these what they were, whatever is there; globs work.", "PATH", many=True
)
ANYWAY = Option(("--anyway",), "Also while a call is under way, and whatever git has done since.")

CHATS = (
    Command(
        "undo",
        "Take back what was done last here.",
        "undo:undo",
        (
            "agents undo",
            "agents undo t4.2 --dry-run",
            "agents undo --since cp9 --path src",
            "agents undo --pick",
            "agents undo --plan @ --yes",
        ),
        (
            Argument(
                "TURN",
                "target",
                "Of a chat: a turn (t4), a call (t4.2), or the checkpoint after one (cp9).",
                needed=False,
            ),
        ),
        (
            ON_PLAN,
            OF_CHAT,
            Option(("--since",), "Of a chat: all since a checkpoint, turn or call.", "cpN|tN|tN.M"),
            Option(("--path",), "Of a chat: only these; globs work.", "PATH", many=True),
            Option(("--unclear",), "Whether what may be yours goes too.", "take|keep"),
            Option(("--everything",), "Of a chat: all as it was, also what you changed."),
            MINE,
            BEFORE,
            ANYWAY,
            Option(("--times",), "Of a chat: with the times of the checkpoint."),
            Option(("--with-chat",), "Take the conversation in the client back too."),
            Option(("--pick",), "Pick from a list of turns of chats and acts on plans."),
            DRY_RUN,
            YES,
        ),
        "That is the newest act that stands. In a chat it is the last turn that changed something:"
        " what the agent changed goes, what you did stays, by merge. On plans it is an apply,"
        " unapply, rollback, correct, revert, restore, resolve or refresh, or the last step of a"
        " plan that is not running. Typed again, it takes back the act before; an undo is never"
        " itself taken back by an undo. See `agents timeline` and `agents op log`. Paths and globs"
        " are read from the directory you are in; `:/PATH` is read from the top of the project.",
    ),
    Command(
        "redo",
        "Do again what was taken back last.",
        "undo:redo",
        ("agents redo", "agents redo --dry-run", "agents redo --chat @chat"),
        options=(ON_PLAN, OF_CHAT, MINE, BEFORE, ANYWAY, DRY_RUN, YES),
        more="On plans, once something new was done there is nothing to do again. In a chat it is"
        " done by merge, also after further edits.",
    ),
    Command(
        "timeline",
        "Tell the prompts and calls of every agent in this directory, the newest first.",
        "timeline:timeline",
        ("agents timeline", "agents timeline --limit 5", "agents timeline --chat @chat"),
        options=(OF_CHAT, Option(("--limit",), "At most so many turns.", "N", make=positive)),
        more="Each with what it changed. What you changed yourself stands apart, and so does what"
        " may be yours or of something that a call left running.",
    ),
    Group(
        "chat",
        "What is kept of conversations with coding agents.",
        (
            Command(
                "delete",
                "Delete what is kept of chats; this cannot be undone.",
                "chat_deletion:delete",
                (
                    "agents chat delete @chat --dry-run",
                    "agents chat delete 01K2ZD",
                    "agents chat delete --older-than 30d",
                ),
                (
                    Argument(
                        "CHAT...",
                        "chats",
                        "An id, its client's id for it, or @chat.",
                        needed=False,
                        many=True,
                    ),
                ),
                (
                    Option(
                        ("--older-than",),
                        "Those in this directory that were silent for so long: 30d, 12h, 8w.",
                        "AGE",
                        make=age,
                    ),
                    YES,
                    DRY_RUN,
                ),
                "Its turns and checkpoints go, and nothing of it can be taken back any more. Your"
                " files stay as they are, and so does the conversation in the client.",
            ),
        ),
    ),
)
