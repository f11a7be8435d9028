"""All commands, as one table: `agents` is its root."""

from pathlib import Path

from cleveragents.cli.table.chats import CHATS
from cleveragents.cli.table.checkpoints import CHECKPOINTS
from cleveragents.cli.table.entries import Argument, Command, Group, Option
from cleveragents.cli.table.plans import PLANS
from cleveragents.cli.table.protection import PROTECTION
from cleveragents.cli.table.verbs import VERBS
from cleveragents.cli.table.words import (
    ACTION,
    ARG,
    CHECKPOINT,
    DRY_RUN,
    OF_PLAN,
    ON_PLAN,
    VERSION,
    YES,
    positive,
)

KEY = Argument("KEY", "key", "The name of a setting.")
PROJECT_LEVEL = Option(
    ("--project-level",), "In the project's file, for everybody who works on it."
)

ROOT = Group(
    "agents",
    "Takes back what agents did where you chat, and runs plans in a sandbox of your project.",
    (
        Command(
            "run",
            "Make a plan from an action file and run it.",
            "run:run",
            ("agents run action.yaml --arg module=auth", "agents run action.yaml --apply"),
            (ACTION,),
            (ARG, Option(("--apply",), "Bring the result into the project as well."), YES),
            "It runs in a sandbox: your files stay as they are until the result is applied.",
        ),
        *VERBS,
        *PROTECTION,
        Command(
            "init",
            "Write a first action file that fits the project.",
            "init:init",
            ("agents init", "agents init --to tasks/first.yaml"),
            options=(Option(("--to",), "Where; default: action.yaml here.", "FILE", make=Path),),
            more="It finds out how the project is tested, and explains each part in comments. A"
            " file that is there already stays as it is.",
        ),
        *CHATS,
        Group(
            "op",
            "What was done here.",
            (
                Command(
                    "log",
                    "List everything that was done here, the newest first.",
                    "op_log:log",
                    ("agents op log", "agents op log --limit 10", "agents op log --plan @"),
                    options=(
                        ON_PLAN,
                        Option(("--limit",), "At most so many.", "N", make=positive),
                    ),
                    more="Turns of chats are among them. It tells what has become of each act: it"
                    " stands, is undone, was ended by a later one (an unapply, a rollback), or is a"
                    " step that failed and whose files were put back.",
                ),
            ),
        ),
        Command(
            "doctor",
            "Look for problems, and repair them if asked.",
            "doctor:doctor",
            ("agents doctor", "agents doctor --repair"),
            options=(Option(("--repair",), "Repair what can be repaired."),),
            more="It looks at plans, checkpoints and the store. With --repair, lost rows are made"
            " again from the store, lost content is stored again where the sandbox or the"
            " project still has it, and interrupted operations are finished; one that cannot"
            " be is given up, and files stay as they are. With --verbose it draws what each"
            " checkpoint added to the store.",
        ),
        Command(
            "find",
            "Tell in which checkpoints a file or directory changed, the newest of a plan first.",
            "files:find",
            ("agents find src/auth.py", "agents find '*.py' --plan @"),
            (
                Argument(
                    "PATH",
                    "path",
                    "From the project's top; a name without / is found anywhere; globs work too.",
                ),
            ),
            (Option(("--plan",), "Only in this plan; default: in all.", "PLAN"),),
            more="Each checkpoint is compared with the one that it went on from, the first with"
            " what the plan started from.",
        ),
        Command(
            "forget",
            "Remove every stored version of paths from all checkpoints; this cannot be undone.",
            "forget:forget",
            ("agents forget .env --dry-run", "agents forget .env --everywhere"),
            (
                Argument(
                    "PATH...",
                    "paths",
                    "From here, or from the project's top; a directory goes with all in it.",
                    many=True,
                ),
            ),
            (
                Option(
                    ("--everywhere",),
                    "Also the same bytes under other paths, in all projects.",
                ),
                YES,
                DRY_RUN,
            ),
            more="All plans of the project lose it; their checkpoints stay good, and a rollback"
            " leaves the path alone. Your project and the files of sandboxes are not touched.",
        ),
        Command(
            "cat",
            "Print a file as it was at a checkpoint, byte for byte.",
            "files:cat",
            ("agents cat 3 src/auth.py", "agents cat cp3 logo.png --to logo.png"),
            (
                CHECKPOINT,
                Argument("PATH", "path", "From the project's top; a directory is listed."),
            ),
            (
                OF_PLAN,
                Option(("--to",), "Write it to a new file, with its mode.", "FILE", make=Path),
            ),
        ),
        Command(
            "demo",
            "Show how a plan, or an agent in your own files, is taken back.",
            "demo:demo",
            ("agents demo", "agents demo --chat"),
            options=(
                Option(("--chat",), "An agent that works in your own files, and undo there."),
            ),
            more="It tells the story on a throw-away repository and leaves nothing behind.",
        ),
        Command(
            "completion",
            "Write a script that lets your shell complete commands.",
            "completion:completion",
            ("agents completion bash", "agents completion zsh", "agents completion fish"),
            (Argument("bash|zsh|fish", "shell", "Which shell."),),
            more="Plans, checkpoints and decisions are offered with their names and labels. Write"
            " it where your shell looks for completions, e.g."
            " ~/.local/share/bash-completion/completions/agents for bash, ~/.zfunc/_agents for"
            " zsh, ~/.config/fish/completions/agents.fish for fish.",
        ),
        Group("plan", "Make, run, inspect and take back plans.", (*PLANS, CHECKPOINTS)),
        Group(
            "config",
            "The settings in force.",
            (
                Command(
                    "list",
                    "List every setting, its value and which level it comes from.",
                    "config:list_settings",
                    ("agents config list", "agents config list --format json"),
                ),
                Command(
                    "get",
                    "Tell the value of a setting; with --verbose, what every level says and which"
                    " one wins.",
                    "config:get",
                    (
                        "agents config get sandbox.checkpoint.auto-create-on --verbose",
                        "agents config get sandbox.base",
                    ),
                    (KEY,),
                ),
                Command(
                    "set",
                    "Set a setting in your own file, or in the project's.",
                    "config:set_setting",
                    (
                        "agents config set sandbox.checkpoint.auto-create-on before_step,on_error",
                        "agents config set sandbox.copy-ignored .env --project-level",
                    ),
                    (
                        KEY,
                        Argument(
                            "VALUE",
                            "value",
                            'The new value; a list: a,b or ["a", "b"]; an empty one: [].',
                        ),
                    ),
                    (PROJECT_LEVEL,),
                ),
                Command(
                    "unset",
                    "Take a setting out of your own file, or out of the project's.",
                    "config:unset",
                    (
                        "agents config unset sandbox.checkpoint.auto-create-on",
                        "agents config unset sandbox.copy-ignored --project-level",
                    ),
                    (KEY,),
                    (PROJECT_LEVEL,),
                ),
            ),
        ),
        Group(
            "tool",
            "The tools a step may call.",
            (
                Command(
                    "list",
                    "List the tools, what they declare and where they come from.",
                    "tool:list_tools",
                    ("agents tool list",),
                ),
                Command(
                    "show",
                    "Show a tool's declaration and parameters.",
                    "tool:show",
                    ("agents tool show edit_file",),
                    (Argument("TOOL", "name", "The name of a tool."),),
                ),
            ),
        ),
        Command(
            "hook",
            "Record an event of a coding agent, without the keeper.",
            "hook:hook",
            ("agents hook claude:PreToolUse",),
            (Argument("CLIENT:EVENT", "named", "Which agent tells it, and what it calls it."),),
            more="It reads what the agent tells of the event from standard input, prints what the"
            " agent is to be told, if anything, and always ends well: an agent is never kept from"
            " its work. `agents protect` lets agents call a quicker program that does the same.",
        ),
        Group(
            "keeper",
            "The process that takes what coding agents tell.",
            (
                Command(
                    "status",
                    "Tell whether it is running, and what it has recorded.",
                    "keeper:status",
                    ("agents keeper status",),
                ),
                Command(
                    "stop",
                    "End it; the next event of an agent starts another.",
                    "keeper:stop",
                    ("agents keeper stop",),
                    more="Nothing that was recorded is lost. It ends by itself when no agent has"
                    " said anything for half an hour.",
                ),
            ),
        ),
        Group(
            "project",
            "The directory that plans are made for.",
            (
                Command(
                    "move",
                    "Let the plans of a project that was moved follow it.",
                    "project:move",
                    ("agents project move", "agents project move --from /old/place --dry-run"),
                    options=(
                        Option(
                            ("--from",),
                            "Where it was; default: where this very directory was.",
                            "DIR",
                            to="was",
                            make=Path,
                        ),
                        YES,
                        DRY_RUN,
                    ),
                    more="Call it in the new place. Sandboxes and checkpoints stay where they are.",
                ),
            ),
        ),
        Group(
            "sandbox",
            "The directories where plans work.",
            (
                Command(
                    "list",
                    "List the sandboxes of this project and how large they are.",
                    "sandbox:list_sandboxes",
                    ("agents sandbox list",),
                ),
                Command(
                    "prune",
                    "Remove the files of sandboxes that are not needed any more.",
                    "sandbox:prune",
                    ("agents sandbox prune --dry-run", "agents sandbox prune --yes"),
                    options=(
                        Option(("--discard",), "Also those with work that was never applied."),
                        YES,
                        DRY_RUN,
                    ),
                    more="Their plans and checkpoints stay: `agents plan rollback PLAN CHECKPOINT"
                    " --rebuild` makes a sandbox again.",
                ),
            ),
        ),
    ),
    (VERSION,),
)
