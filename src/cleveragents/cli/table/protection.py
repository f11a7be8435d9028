"""Commands about coding agents that work in the user's own directory."""

from cleveragents.cli.table.entries import Argument, Command, Option
from cleveragents.cli.table.words import DRY_RUN, YES

CLIENT = Argument(
    "CLIENT...",
    "clients",
    "claude, codex, gemini, qwen, copilot, opencode; default: those in use here.",
    needed=False,
    many=True,
)

PROTECTION = (
    Command(
        "protect",
        "Let coding agents here tell what they do, so that it can be taken back.",
        "protect:protect",
        ("agents protect", "agents protect claude codex --dry-run", "agents protect --check"),
        (CLIENT,),
        (
            Option(("--user",), "Hooks in your own settings of each client; the default."),
            Option(
                ("--project",),
                "Hooks in this checkout; to name another directory: agents --project DIR protect.",
                to="in_project",
            ),
            Option(("--check",), "Prove that hooks work; nothing is changed."),
            DRY_RUN,
            YES,
        ),
        "It puts hooks into the settings of the coding agents, registers this directory, and says"
        " what you have to confirm. Comments and other entries of the settings stay as they are."
        " In directories that are not registered the hooks do nothing.",
    ),
    Command(
        "unprotect",
        "Take our hooks out of the settings of coding agents.",
        "unprotect:unprotect",
        ("agents unprotect", "agents unprotect codex", "agents unprotect --all"),
        (CLIENT._replace(help="Only the hooks of these; default: this directory is let go."),),
        (
            Option(
                ("--all",),
                "Everything that was ever written, for all directories.",
                to="everything",
            ),
        ),
        "Without a name this directory is let go; with the last one the hooks in your own settings"
        " go as well. What was recorded stays.",
    ),
)
