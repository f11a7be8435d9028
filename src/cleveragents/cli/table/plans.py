"""`agents plan …`: the part of the table about plans, without their checkpoints."""

from pathlib import Path

from cleveragents.cli.table.entries import Argument, Command, Option
from cleveragents.cli.table.words import (
    ACTION,
    ARG,
    CHECKPOINT,
    DECISION,
    DRY_RUN,
    PLAN,
    PLAN_OR_LATEST,
    STAT,
    TAKE_OVER,
    YES,
    positive,
)

RETRY_UNSAFE = Option(
    ("--retry-unsafe",), "Run steps again even if their side effects happen twice."
)
NAME_ONLY = Option(("--name-only",), "Only name the files.")
GUIDANCE = Option(("--guidance",), "Say what should be done differently.", "TEXT")
ROLLBACK_OPTIONS = (
    YES,
    DRY_RUN,
    TAKE_OVER,
    Option(("--rebuild",), "Make a lost sandbox again from the checkpoint."),
    Option(("--to",), "Only write its files to a new directory.", "DIR", make=Path),
)
ABOUT_ROLLBACK = (
    "It shows what would change and asks. Only the sandbox and the plan go back, not your project."
    " The present state is saved first; the output says how to take the rollback back. Without a"
    " checkpoint you pick one, on a terminal."
)

PLANS = (
    Command(
        "use",
        "Make a plan from an action file.",
        "plan:use",
        ("agents plan use action.yaml --arg module=auth",),
        (ACTION,),
        (ARG,),
        "No step runs before `agents plan execute`.",
    ),
    Command(
        "list",
        "List the plans of this project, the newest first, subplans below theirs.",
        "plan:list_plans",
        ("agents plan list --limit 5", "agents plan list --state errored --name auth"),
        options=(
            Option(("--limit",), "At most so many, with their subplans.", "N", make=positive),
            Option(
                ("--state",),
                "Only those in a state.",
                "queued|processing|complete|errored|applied|cancelled",
            ),
            Option(("--name",), "Only those whose name holds a text.", "TEXT"),
            Option(("--kind",), "Plans (default), chats, or both.", "plan|chat|all"),
        ),
    ),
    Command(
        "status",
        "Tell where a plan stands.",
        "status:status",
        ("agents plan status @", "agents plan status 01K2ZD --format json"),
        (PLAN_OR_LATEST,),
    ),
    Command(
        "diff",
        "Show what a plan has changed so far, how another one differs, or what a correction"
        " changed.",
        "differences:diff",
        ("agents plan diff @", "agents plan diff @ --stat", "agents plan diff 01K2ZD 01K2ZE"),
        (
            PLAN_OR_LATEST,
            Argument("OTHER", "other", "A plan to compare it with.", needed=False),
        ),
        (
            STAT,
            NAME_ONLY,
            Option(("--correction",), "Show what a correction changed.", "ID"),
        ),
    ),
    Command(
        "execute",
        "Run a plan in its sandbox, with checkpoints as it goes.",
        "execute:execute",
        ("agents plan execute @", "agents plan execute @ --reload"),
        (PLAN_OR_LATEST,),
        (
            Option(("--reload",), "Read the steps that are left from the action file again."),
            RETRY_UNSAFE,
            TAKE_OVER,
        ),
        "Finished steps are not run again. After a failed step, a rollback or a cancel it goes on"
        " with the files as they are; `resume` restores them first. With --reload finished steps"
        " stay as they ran, and those whose definition has changed since are named.",
    ),
    Command(
        "resume",
        "Resume a plan from its latest checkpoint.",
        "execute:resume",
        ("agents plan resume @", "agents plan resume @ --dry-run"),
        (PLAN_OR_LATEST,),
        (DRY_RUN, RETRY_UNSAFE, TAKE_OVER),
        "The files are restored from that checkpoint: from the one before the step that was cut off"
        " or failed, if there is such a step. Later changes of the files are saved as a safety"
        " checkpoint first.",
    ),
    Command(
        "cancel",
        "Stop a plan, also one that another process runs; you can resume it later.",
        "execute:cancel",
        ("agents plan cancel @",),
        (PLAN_OR_LATEST,),
        (YES,),
        "It asks only about a plan that is complete: there is nothing left to stop.",
    ),
    Command(
        "watch",
        "Follow a plan that another process runs until it ends.",
        "watch:watch",
        ("agents plan watch", "agents plan watch 01K2ZD"),
        (PLAN_OR_LATEST,),
        more="It tells what `execute` tells, from the beginning of the present run, and exits as"
        " that does. Ctrl-C leaves the plan alone.",
    ),
    Command(
        "delete",
        "Delete plans with all that is kept of them; this cannot be undone.",
        "deletion:delete",
        ("agents plan delete 01K2ZD --dry-run", "agents plan delete @ --discard"),
        (PLAN._replace(shown="PLAN...", to="plans", many=True),),
        (Option(("--discard",), "Also one with work that was never applied."), YES, DRY_RUN),
        "Their subplans, checkpoints, sandboxes and the output of their steps go as well. Your"
        " project stays as it is.",
    ),
    Command(
        "apply",
        "Bring the result of a finished plan into your project, whole or not at all.",
        "apply:apply",
        (
            "agents plan apply @",
            "agents plan apply @ --dry-run",
            "agents plan apply @ --as branch --yes",
        ),
        (PLAN_OR_LATEST,),
        (
            YES,
            DRY_RUN,
            Option(
                ("--as",),
                "Change your files (default), or only create a branch.",
                "changes|branch",
                to="mode",
            ),
            Option(("--include-ignored",), "Also apply files that .gitignore ignores."),
        ),
        "It shows what would change and asks. Nothing is committed, but for --as branch."
        " `agents plan unapply` takes it back.",
    ),
    Command(
        "unapply",
        "Take an applied plan out of your project again.",
        "unapply:unapply",
        (
            "agents plan unapply @",
            "agents plan unapply @ --dry-run",
            "agents plan unapply @ --keep-mine",
        ),
        (PLAN_OR_LATEST,),
        (
            Option(
                ("--keep-mine",),
                "Leave files as you have them that you changed in the same places.",
            ),
            YES,
            DRY_RUN,
        ),
        "What you changed since elsewhere in the same files stays, as with apply.",
    ),
    Command(
        "conflicts",
        "List the open conflicts of a plan, or show both versions of a path.",
        "conflicts:conflicts",
        (
            "agents plan conflicts",
            "agents plan conflicts @ src/auth.py",
            "agents plan conflicts src/auth.py",
        ),
        (
            PLAN_OR_LATEST,
            Argument(
                "PATH",
                "path",
                "A path in conflict: shows both versions and what they came from.",
                needed=False,
            ),
        ),
        (),
        "One word alone is a plan, or else a path of the latest plan; ./PATH is always a path.",
    ),
    Command(
        "resolve",
        "Resolve a conflict: the version you take goes into the sandbox.",
        "conflicts:resolve",
        (
            "agents plan resolve @ src/auth.py --take mine",
            "agents plan resolve @ src/auth.py --take merged.py",
            "agents plan resolve @ src/auth.py --take plan --dry-run",
            "agents plan resolve @ src/auth.py --tool",
        ),
        (PLAN, Argument("PATH", "path", "The path of the conflict.")),
        (
            Option(("--take",), "Which version of the whole file counts.", "mine|plan|FILE"),
            Option(
                ("--tool",),
                "Merge with a tool that git knows; default: git's merge.tool.",
                "NAME",
                alone="",
            ),
            YES,
            DRY_RUN,
        ),
        "`mine` is your project's version after a refresh, and the plan's own after a merge of"
        " subplans; `plan` is the plan's after a refresh, and the subplan's after a merge. It asks"
        " only where it would replace what you have made there by hand.",
    ),
    Command(
        "refresh",
        "Merge your later changes of the project into a plan's sandbox.",
        "conflicts:refresh",
        ("agents plan refresh @",),
        (PLAN_OR_LATEST,),
        (YES, DRY_RUN),
        "Your project stays as it is. What cannot be merged stays as the plan has it; `agents plan"
        " conflicts` lists it. `agents undo` takes a refresh back.",
    ),
    Command(
        "errors",
        "Tell what failed, where the files are now, and which commands make sense next.",
        "errors:errors",
        ("agents plan errors @",),
        (PLAN_OR_LATEST,),
    ),
    Command(
        "log",
        "Tell the whole story of a plan: steps, checkpoints, rollbacks, and why.",
        "log:log",
        ("agents plan log @",),
        (PLAN_OR_LATEST,),
    ),
    Command(
        "tree",
        "Draw the decisions of a plan with the steps, checkpoints and outcomes below each.",
        "decisions:tree",
        ("agents plan tree @",),
        (PLAN_OR_LATEST,),
        (Option(("--show-superseded",), "Also show decisions that were taken back."),),
    ),
    Command(
        "explain",
        "Tell all about a decision: why it was made, what hangs on it, what a correction would"
        " cost.",
        "decisions:explain",
        ("agents plan explain 01K2ZD",),
        (DECISION,),
    ),
    Command(
        "correct",
        "Decide again what followed from a decision (revert), or add a fix on top (append).",
        "correct:correct",
        ('agents plan correct --guidance "we have no server" --choose sqlite 01K2ZD',),
        (DECISION._replace(help="A decision, or an errored plan."),),
        (
            GUIDANCE._replace(needed=True),
            Option(("--mode",), "Take it back (default), or add to it.", "revert|append"),
            Option(("--choose",), "The option to choose.", "OPTION"),
            YES,
            DRY_RUN,
        ),
        "It shows what would happen and asks, then runs the plan. The state before it is saved; the"
        " output says how to take the correction back.",
    ),
    Command(
        "revert",
        "Plan anew: read the action file or ask the strategist again, and go back to the start.",
        "revert:revert",
        ("agents plan revert @",),
        (PLAN_OR_LATEST,),
        (
            Option(("--to-phase",), "The phase to go back to; only this one.", "strategize"),
            GUIDANCE,
            YES,
            DRY_RUN,
        ),
        "It runs nothing: `agents plan execute` does. The state before it is saved; `agents undo`"
        " takes it back.",
    ),
    Command(
        "fork",
        "Start a second plan from a checkpoint, to try another way beside the first.",
        "fork:fork",
        ('agents plan fork @ 3 --name "with sqlite"',),
        (PLAN, CHECKPOINT),
        (Option(("--name",), "A name for the new plan.", "TEXT"),),
        "The first plan stays as it is.",
    ),
    Command(
        "rollback",
        "Roll a plan back to a checkpoint.",
        "rollback:rollback",
        (
            "agents plan rollback @ 3",
            "agents plan rollback @ 3 --dry-run",
            "agents plan rollback @ 3 --yes",
            "agents plan rollback @",
        ),
        (PLAN, CHECKPOINT._replace(needed=False)),
        ROLLBACK_OPTIONS,
        ABOUT_ROLLBACK,
    ),
    Command(
        "restore",
        "Take single files or directories back from a checkpoint; all else stays as it is.",
        "restore:restore",
        (
            "agents plan restore @ 3 --path src/auth.py",
            "agents plan restore @ 3 --path src --path README.md --dry-run",
        ),
        (PLAN, CHECKPOINT),
        (
            Option(
                ("--path",),
                "A file or directory, from the project's top.",
                "PATH",
                needed=True,
                many=True,
            ),
            YES,
            DRY_RUN,
        ),
        "A path that the checkpoint does not hold is removed. Only the sandbox changes. The present"
        " state is saved first; the output says how to take it back.",
    ),
    Command(
        "bisect",
        "Find the first checkpoint at which a command fails, in a throw-away directory.",
        "bisect:bisect",
        ("agents plan bisect -- pytest -q", "agents plan bisect @- --from 3 -- 'make && ./check'"),
        (
            PLAN_OR_LATEST,
            Argument("COMMAND...", "command", "The command that fails now, after `--`.", many=True),
        ),
        (
            Option(("--from",), "Where it passes; default: the first.", "CHECKPOINT", to="first"),
            Option(("--to",), "Where it fails; default: the newest.", "CHECKPOINT", to="last"),
        ),
    ),
)
