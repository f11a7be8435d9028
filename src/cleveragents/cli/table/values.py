"""Words that Tab offers for the name of a setting or of a tool; made by scripts/commands_page.py.

To import settings and tools for it would take longer than anybody waits for Tab.
"""

KEYS = {
    "sandbox.strategy": (
        "how a sandbox is made: auto, git_worktree, filesystem_copy (alias copy_on_write)"
    ),
    "sandbox.base": (
        "what a sandbox of a repository starts from: worktree (what you see now) or head"
    ),
    "sandbox.cleanup": (
        "when the files of a sandbox go: on_apply, on_terminal (also when cancelled), manual"
    ),
    "sandbox.copy-ignored": "globs of ignored files that a sandbox has too, such as .env",
    "sandbox.pass-env": "variables of the caller that every step sees",
    "sandbox.mask": (
        "regular expressions of further secrets to mask in what is told; every level adds"
    ),
    "sandbox.confinement": (
        "what steps cannot reach: auto (project, if possible), none, project, write, strict"
    ),
    "sandbox.writable": "where steps may write at the levels write and strict, beside usual caches",
    "sandbox.hidden": (
        "what steps cannot read at level strict, beside usual secrets; every level adds"
    ),
    "sandbox.limits.cpu": "seconds of processor time that each process of a step has",
    "sandbox.limits.memory": "memory that a step may use, or each of its processes ask for",
    "sandbox.limits.processes": "processes that a step may have; as root only in a group",
    "sandbox.limits.files": "how many files each process of a step may have open",
    "sandbox.limits.disk": "how much the sandbox may hold while a step runs",
    "sandbox.checkpoint.exclude": "globs of files that checkpoints neither save nor restore",
    "sandbox.checkpoint.tracking": (
        "how changes are found: auto (watch, and look at all where that is cheap), watch, scan"
    ),
    "sandbox.checkpoint.auto-create-on": (
        "milestones at which checkpoints are made by themselves; an empty list: none of these"
    ),
    "sandbox.checkpoint.max-checkpoints-per-plan": "how many checkpoints a plan keeps, at least 2",
    "subplans.on-conflict": (
        "what a plan with open conflicts does before its next step: stop, or continue"
    ),
    "chat.exclude": (
        "globs of files that checkpoints of chats neither save nor restore; every level adds"
    ),
    "chat.ignored-files": "with more files a directory that git ignores is left out of chats",
    "chat.ignored-bytes": "with more content a directory that git ignores is left out of chats",
    "chat.max-file": "larger files are left out of chats",
    "chat.max-bytes": "how much content of a directory chats cover",
    "chat.max-files": "how many files of a directory chats cover",
    "chat.hook-budget": "seconds that a hook takes at most; a checkpoint that takes longer is late",
    "chat.first-look": "seconds that the first call in a directory waits for the first look at it",
    "chat.strict": "whether a call is blocked if its checkpoint is late or failed: true, false",
    "chat.texts": "what becomes of prompts and commands: keep (their beginning, masked), none",
    "chat.keep-turns": "how many turns of a chat are kept whatever their age",
    "chat.keep-days": "days for which all turns of a chat are kept",
}

TOOLS = {
    "shell": "Runs a command with /bin/sh.",
    "write_file": "Writes a whole file.",
    "edit_file": "Replaces a text that occurs exactly once.",
    "delete_file": "Deletes a file.",
    "move_file": "Moves a file or directory to a free name.",
    "apply_patch": "Applies a unified diff.",
    "read_file": "Reads a file into the step's output.",
    "python": "Calls module:function in a Python process.",
}
