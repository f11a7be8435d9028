"""The scripts that the model plays, and the project that they are played in."""

import shlex

from clients_lab.script import Delegate, Edit, Read, Round, Shell, Wait, Write

LINES = 30
SHARED = "".join(f"line {number}\n" for number in range(1, LINES + 1))
FILES = {
    "shared.txt": SHARED,
    "tracked.txt": "tracked\n",
    "doomed.txt": "doomed\n",
    "mode.txt": "mode\n",
    "user.txt": "the user's\n",
    "dir/inner.txt": "inner\n",
    "dir/deeper/leaf.txt": "leaf\n",
    ".gitignore": ".env\nignored/\n",
}
IGNORED = {".env": "KEY=before\n", "ignored/cache.bin": "cached\n"}
HOLLOW = "hollow"  # an empty directory
LINK = ("link", "tracked.txt")

BETWEEN = "between"  # what the user does while the model thinks
LATE = "late.txt"  # of a child that outlives its call
HALF = "half.txt"
STARTED, GO = "started", "go"  # in the directory beside the project

_LATER = "sleep 2; echo late > late.txt"
_DESTROY = (
    "rm doomed.txt; echo changed > tracked.txt; mkdir -p out/deep; echo x > out/deep/gen.bin;"
    " chmod 600 mode.txt; chmod 700 dir; rm -r dir/deeper; ln -sfn elsewhere link;"
    " echo KEY=after > .env; rmdir hollow; mkfifo pipe"
)
_BACKGROUND = f"setsid sh -c {shlex.quote(_LATER)} </dev/null >/dev/null 2>&1 &"
_WAIT_FOR_USER = (
    f"touch ../beside/{STARTED}; until [ -e ../beside/{GO} ]; do sleep 0.05; done;"
    " echo agent > tracked.txt; sed -i 's/^line 28$/line 28 of the agent/' shared.txt"
)

_EDIT = (
    Round((Read("shared.txt"),)),
    Round((Edit("shared.txt", "line 28", "line 28 of the agent"),)),
)

SCRIPTS: dict[str, tuple[Round, ...]] = {
    "write": (Round((Write("made.txt", "one\ntwo\n"),)),),
    "shell": (Round((Shell(f"{_DESTROY}; {_BACKGROUND}"),)),),
    "edit": _EDIT,
    "parallel": (
        Round(
            (
                Shell("sleep 0.4; echo a > a.txt; rm doomed.txt"),
                Shell("sleep 0.4; echo b > b.txt; chmod 600 mode.txt"),
                Write("c.txt", "c\n"),
            )
        ),
    ),
    "subagent": (Round((Delegate("child"),)), Round((Wait(),))),
    "child": (
        Round((Shell("echo child > child.txt; rm doomed.txt"),)),
        Round((Write("by-child.txt", "written by the child\n"),)),
    ),
    "background-subagent": (Round((Delegate("child", is_behind=True),)),),
    "failing": (Round((Shell(f"echo half > {HALF}; rm doomed.txt; exit 3"),)),),
    "refused": (Round((Shell("rm -f doomed.txt"),)),),
    "nothing": (),
    "between": (
        Round((Shell("echo agent > tracked.txt"),)),
        Round((Read("shared.txt"),), meanwhile=BETWEEN),
        *_EDIT[1:],
    ),
    "during": (Round((Shell(_WAIT_FOR_USER),)),),
    "two": (*_EDIT, Round((Write("made.txt", "one\ntwo\n"),))),
}
