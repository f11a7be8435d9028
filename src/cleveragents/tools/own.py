"""The names of the built-in tools, for who only has to know that a call was one of theirs.

What they do stays in the sandbox: none of them has an effect outside, or needs an undo.
"""

OWN = frozenset(
    {
        "shell",
        "write_file",
        "edit_file",
        "delete_file",
        "move_file",
        "apply_patch",
        "read_file",
        "python",
    }
)
