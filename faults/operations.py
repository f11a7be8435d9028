"""The operations under test: the command that meets the fault, and the states it may leave."""

from dataclasses import dataclass

from faults.facts import NEXT

LIMIT = "CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN=2"
CREATE = "plan checkpoint create @ --label mine"
CREATE_NEXT = f"plan checkpoint create @ --label {NEXT}"
ROLLBACK = "plan rollback @ 2 --yes"
DELETE = "plan checkpoint delete @ 2 --yes"
EXECUTE = "plan execute @"
RUN = "run ../action.yaml"
APPLY = "plan apply @ --yes"
UNAPPLY = "plan unapply @ --yes"
CORRECT = "plan correct --mode revert --guidance why --choose b --yes DECISION"
KEEP_MINE = "plan unapply @ --keep-mine --yes"
RELOAD = "plan execute @ --reload"
MOVE = "project move --from ../was --yes"
UNDO = "undo --yes"
REDO = "redo --yes"
DELETE_PLAN = "plan delete @ --discard --yes"
REPAIR = "doctor --repair"  # works with plans and without
RESOLVE = "plan resolve @ a.txt --take parent --yes"
FORGOTTEN = "a.txt"  # a path that every checkpoint has
FORGET = f"forget {FORGOTTEN} --yes"
PIN = "plan checkpoint pin @ 2"  # changes a plan in whatever phase it is


@dataclass(frozen=True)
class Way:
    """A legal outcome: command lines that lead there without any fault, and the tree they leave."""

    lines: tuple[str, ...]
    tree: str


@dataclass(frozen=True)
class Operation:
    """One command line, started in a state that was kept, and what a user types after the fault.

    After the fault and the next command everything must be as after one of the ways followed by
    that command. If the command reported success, all must be as without the fault, or as after
    a line that is as good.
    """

    name: str
    start: str  # the kept data directory it starts from
    line: str
    ways: tuple[Way, ...]
    next_line: str = CREATE_NEXT
    look: str = "plan status @"  # a reading command, which must work at once
    owed: str | None = "dirty"  # a tree that no checkpoint held and that must not get lost
    repository: bool = False  # whether the project is one
    as_good: tuple[str, ...] = ()  # lines that lead where success may lead as well
    forgets: str | None = None  # a path that all checkpoints have afterwards, or none has
    counts_rows: bool = True  # False: which checkpoints appear depends on where it was cut
    next_codes: tuple[int, ...] = (0,)  # of the next command; another one if all is done already


# Between the closing of an apply and the removal of its sandbox is a legal place to stop. That it
# could not be removed is a note: the result is in the project.
APPLY_ALONE = f"CLEVERAGENTS_SANDBOX_CLEANUP=manual {APPLY}"
APPLIED = (Way((), "dirty"), Way((APPLY,), "gone"), Way((APPLY_ALONE,), "dirty"))


def _either(line: str, before: str, after: str) -> tuple[Way, Way]:
    return Way((), before), Way((line,), after)


# A checkpoint is saved before older ones go: between the two is a legal place to stop.
PRUNE = f"{LIMIT} {CREATE}"
PRUNED = (Way((), "dirty"), Way((CREATE,), "dirty"), Way((PRUNE,), "dirty"))

OPERATIONS = (
    Operation("checkpoint", "done", CREATE, _either(CREATE, "dirty", "dirty")),
    Operation("rollback", "done", ROLLBACK, _either(ROLLBACK, "dirty", "1")),
    Operation(
        "rollback in git", "done", ROLLBACK, _either(ROLLBACK, "dirty", "1"), repository=True
    ),
    Operation("delete", "done", DELETE, _either(DELETE, "dirty", "dirty")),
    Operation("prune", "done", PRUNE, PRUNED),
    Operation("forget", "done", FORGET, _either(FORGET, "dirty", "dirty"), forgets=FORGOTTEN),
    Operation("recover", "torn", CREATE_NEXT, (Way((), "1"),)),
    Operation(
        "resume",
        "interrupted",
        "plan resume @",
        (Way((), "3"),),
        next_line=EXECUTE,
        owed="half",
        counts_rows=False,
    ),
    Operation(
        "apply",
        "done",
        APPLY,
        APPLIED,
        next_line=PIN,
        as_good=(APPLY_ALONE,),
        counts_rows=False,
    ),
    Operation(
        "apply in git",
        "done",
        APPLY,
        APPLIED,
        next_line=PIN,
        as_good=(APPLY_ALONE,),
        repository=True,
        counts_rows=False,
    ),
    Operation("unapply", "applied", UNAPPLY, _either(UNAPPLY, "gone", "3"), PIN, owed=None),
    Operation("undo a step", "done", UNDO, _either(UNDO, "dirty", "2")),
    Operation("undo a rollback", "rolled back", UNDO, _either(UNDO, "1", "dirty")),
    Operation("undo an apply", "applied", UNDO, _either(UNDO, "gone", "3"), PIN, owed=None),
    Operation("redo", "undone", REDO, _either(REDO, "2", "dirty")),
    # Its rows go first, all at once. Files that a fault leaves after that are told by the doctor.
    Operation(
        "plan delete",
        "done",
        DELETE_PLAN,
        _either(DELETE_PLAN, "dirty", "none yet"),
        next_line=REPAIR,
        look="plan list",
        owed=None,
    ),
    Operation(
        "subplans",
        "made",
        EXECUTE,
        (Way((), "fan a"),),
        next_line=EXECUTE,
        owed=None,
        counts_rows=False,
    ),
    Operation(
        "correct",
        "decided",
        CORRECT,
        _either(CORRECT, "fan a", "fan b"),
        next_line=EXECUTE,
        owed=None,
        counts_rows=False,
    ),
    Operation(
        "resolve",
        "conflicted",
        RESOLVE,
        _either(RESOLVE, "merged by hand", "taken"),
        owed="merged by hand",
        counts_rows=False,
    ),
    Operation(
        "unapply merging",
        "merging",
        UNAPPLY,
        _either(UNAPPLY, "gone", "changed"),
        PIN,
        owed=None,
        counts_rows=False,
    ),
    Operation(
        "unapply keeping mine",
        "contested",
        KEEP_MINE,
        _either(KEEP_MINE, "gone", "changed"),
        PIN,
        owed=None,
        counts_rows=False,
    ),
    Operation(
        "reload",
        "failed",
        RELOAD,
        (Way((), "3"),),
        next_line=RELOAD,
        owed=None,
        counts_rows=False,
        next_codes=(0, 4),
    ),
    Operation(
        "move",
        "moved",
        MOVE,
        _either(MOVE, "3", "3"),
        next_line=MOVE,
        look="plan list",
        owed="3",
        next_codes=(0, 3),
    ),
    Operation("migrate", "old", "plan checkpoint list @", (Way((), "dirty"),)),
    Operation(
        "first use",
        "nothing",
        "plan list",
        (Way((), "3"),),
        next_line=RUN,
        look="plan list",
        owed=None,
    ),
)
