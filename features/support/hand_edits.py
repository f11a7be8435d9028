"""Lives of a plan in which somebody edits files by hand before each act; no bytes may get lost.

Judged is by bytes alone: whatever a file or link in a sandbox or in the project held before an act
is still in one of them, in a checkpoint, or in what `unapply` would put back.
"""

import json
import os
import shutil

from inside import Inside
from oracle import picture
from world import World

PATHS = ("a.txt", "text", "dir/b", "dir/c", "new", "made/deep/x", "picked")
THEIRS = ("mine/one", "mine/two")  # of the project, where no plan writes
KINDS = ("write", "write", "append", "remove", "mode", "link", "directory", "rename", "twin")
STEPS = [
    {
        "tool": "shell",
        "with": {"command": "rm -rf new; echo plan > new; [ ! -f text ] || sed -i 1d text"},
    },
    {
        "name": "pick",
        "decide": {
            "question": "which",
            "options": {
                name: [
                    {"tool": "shell", "with": {"command": f"rm -rf picked; echo {name} > picked"}}
                ]
                for name in ("a", "b")
            },
            "choose": "a",
        },
    },
    {
        "tool": "shell",
        "pass_env": ["GATE"],
        "with": {"command": 'echo half > half; test -e "$GATE"'},
    },
    {
        "subplans": {
            "plans": [
                {"name": "x", "steps": [{"tool": "shell", "with": {"command": "echo x > x"}}]},
                {
                    "name": "y",
                    "steps": [
                        {
                            "tool": "shell",
                            "with": {
                                "command": "rm -rf y; echo y > y; [ ! -f text ] || sed -i 2d text"
                            },
                        }
                    ],
                },
            ],
        }
    },
]


class Life:
    """A project, a plan, and somebody who edits files before each act."""

    def __init__(self):
        self.world = World()
        self.count = 0  # of edits: no two write the same
        self.held = {}  # what checkpoints hold, by id: they never change
        self.derived = set()  # what applies have written: it can be had again by the same
        self.worked = set()  # the acts that were not refused
        self.world.sh("seq 1 9 > text; echo one > a.txt; mkdir dir; echo b > dir/b")
        self.world.make_repository()
        self.action = self.world.write_action(json.dumps({"name": "life", "steps": STEPS}))
        self.world.variables["CLEVERAGENTS_SANDBOX_CLEANUP"] = "manual"
        self._agents("plan", "use", self.action)
        ((self.plan_id,),) = self.world.sql("SELECT plan_id FROM plans")
        self._agents("plan", "execute", self.plan_id)  # until its gate

    # --- the acts ---

    def act(self, name, edits, *, theirs=()):
        """Edits by hand, does one act, and looks for every byte string that was there."""
        for root in self._trees():
            self._edit(root, edits, PATHS)
        self._edit(self.world.project, theirs, PATHS)
        self._edit(self.world.project, edits, THEIRS)
        before = self._contents()
        codes = [self._agents(*line) for line in getattr(self, f"_{name}")()]
        if (codes and not any(codes)) or name == "resume":  # that comes to the closed gate again
            self.worked.add(name)
        if name.startswith("apply") and not any(codes):
            self.derived |= set(self._contents([self.world.project]))
        self._assert_nothing_lost(name, before)

    def _resume(self):
        return [("plan", "resume", self.plan_id)]

    def _execute(self):
        self.world.gate.touch()
        return [("plan", "execute", self.plan_id)]

    def _refresh(self):
        return [("plan", "refresh", self.plan_id, "--yes")]

    def _resolve(self):
        left = self._agents("plan", "conflicts", self.plan_id, "--format", "json")
        found = [] if left else self.world.done.data["conflicts"]
        return [
            ("plan", "resolve", self.plan_id, each["path"], "--take", side, "--yes")
            for each, side in zip(found, ("parent", "child") * len(found), strict=False)
        ]

    def _restore(self):
        return [
            ("plan", "restore", self.plan_id, "1", "--path", "text", "--path", "a.txt", "--yes")
        ]

    def _rollback(self):
        return [("plan", "rollback", self.plan_id, "2", "--yes")]

    def _rebuild(self):
        return [("plan", "rollback", self.plan_id, "2", "--rebuild", "--yes")]

    def _correct(self):
        rows = self.world.sql(
            "SELECT decision_id FROM decisions WHERE plan_id = ? AND question = 'which'"
            " AND superseded_by IS NULL",
            self.plan_id,
        )
        chosen = ("--choose", "b", "--guidance", "other", "--yes")
        return [("plan", "correct", row[0], *chosen) for row in rows[-1:]]

    def _revert(self):
        return [("plan", "revert", "--to-phase", "strategize", self.plan_id, "--yes")]

    def _fork(self):
        return [("plan", "fork", self.plan_id, "1", "--name", "other")]

    def _delete(self):
        return [("plan", "checkpoint", "delete", self.plan_id, "3", "--yes")]

    def _cancel(self):
        return [("plan", "cancel", self.plan_id, "--yes", "--set", "sandbox.cleanup=on_terminal")]

    def _apply(self):
        return [("plan", "apply", self.plan_id, "--yes")]

    def _apply_and_clean(self):
        clean = ("--set", "sandbox.cleanup=on_apply")
        return [("plan", "apply", self.plan_id, "--yes", *clean)]

    def _prune(self):
        return [("sandbox", "prune", "--yes")]

    def _discard(self):
        return [("sandbox", "prune", "--discard", "--yes")]

    def _unapply(self):
        return [("plan", "unapply", self.plan_id, "--yes")]

    def _agents(self, *line):
        code = self.world.agents(*line).code
        assert "unforeseen" not in self.world.done.out + self.world.done.err, self.world.done
        return code

    # --- by hand ---

    def _edit(self, root, edits, paths):
        for kind, first, second in edits:
            self.count += 1
            path, other = root / paths[first % len(paths)], root / paths[second % len(paths)]
            getattr(self, f"_by_hand_{kind}")(path, other, f"by hand {self.count}\n")

    def _by_hand_write(self, path, _, text):
        _make_way(path)
        path.write_text(text)

    def _by_hand_append(self, path, _, text):
        if path.is_file() and not path.is_symlink():
            with path.open("a") as file:
                file.write(text)

    def _by_hand_remove(self, path, _, __):
        _remove(path)

    def _by_hand_mode(self, path, _, __):
        if path.is_file() and not path.is_symlink():
            path.chmod((0o755, 0o600, 0o444, 0o0)[self.count % 4])

    def _by_hand_link(self, path, _, text):
        _make_way(path)
        path.symlink_to(f"nowhere {text.strip()}")

    def _by_hand_directory(self, path, _, text):
        _make_way(path)
        path.mkdir()
        (path / "inside").write_text(text)

    def _by_hand_rename(self, path, other, _):
        if os.path.lexists(path) and path != other and path not in other.parents:
            _make_way(other)
            if os.path.lexists(path):  # it was not part of what had to make way
                path.rename(other)

    def _by_hand_twin(self, path, other, text):
        self._by_hand_write(path, other, text)
        if path != other and path not in other.parents:
            _make_way(other)
            if path.is_file():
                os.link(path, other)

    # --- what there is ---

    def _trees(self):
        return sorted(self.world.data_dir.glob("sandboxes/*/tree"))

    def _contents(self, roots=None):
        """Maps what files and links hold to where it lies."""
        found = {}
        for root in roots or [self.world.project, *self._trees()]:
            for path, seen in picture(root, without=[b".git"]).items():
                if seen.kind in ("file", "link"):
                    found[seen.content] = root / os.fsdecode(path)
        return found

    def _assert_nothing_lost(self, name, before):
        lost = before.keys() - self._contents().keys() - self.derived
        if lost:
            lost -= self._stored()
        told = [str(before[each]) for each in lost]
        assert not lost, f"{name} lost what was in {told}: {self.world.done}"

    def _stored(self):
        """What all checkpoints hold, and what the latest apply has replaced."""
        app = self.world.app()
        found = set()
        for plan_id, checkpoint_id in self.world.sql(
            "SELECT plan_id, checkpoint_id FROM checkpoints"
        ):
            if checkpoint_id not in self.held:
                row = app.checkpoints.get_checkpoint(plan_id, checkpoint_id)
                self.held[checkpoint_id] = self._extracted(
                    lambda to, row=row: app.checkpoints.extract_checkpoint(row.plan_id, row, to)
                )
            found |= self.held[checkpoint_id]
        plan = app.plans.find(self.plan_id)
        if plan.phase == "apply":
            archive = Inside(self.world).sandboxes.archive(plan.project_id)
            old = archive.load(app.apply.versions(plan)[0])
            found |= self._extracted(lambda to: archive.extract(old, to))
        return found

    def _extracted(self, write):
        target = self.world.home / "extracted"
        write(target)
        try:
            return set(self._contents([target]))
        finally:
            shutil.rmtree(target)


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _make_way(path):
    """Removes what stands at a path or where its directories have to be."""
    for parent in reversed(path.parents):
        if os.path.lexists(parent) and (parent.is_symlink() or not parent.is_dir()):
            parent.unlink()
    _remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)


# Each act where it can work, from a plan that has just failed to one that is planned anew.
WAY = (
    "resume",
    "execute",
    "refresh",
    "resolve",
    "restore",
    "apply",
    "prune",
    "unapply",
    "apply_and_clean",
    "unapply",
    "correct",
    "fork",
    "delete",
    "rollback",
    "discard",
    "rebuild",
    "cancel",
    "execute",
    "revert",
)
ACTS = tuple(dict.fromkeys(WAY))


def live(chance, names):
    """Leads one life, with other edits before each act."""
    life = Life()
    try:
        for name in names:
            theirs = some_edits(chance) if name == "refresh" else ()
            life.act(name, some_edits(chance), theirs=theirs)
        return life.worked
    finally:
        life.world.remove()


def some_edits(chance):
    """A few edits: of which kind, where, and where to."""
    return [
        (chance.choice(KINDS), chance.randrange(len(PATHS)), chance.randrange(len(PATHS)))
        for _ in range(chance.randint(1, 4))
    ]
