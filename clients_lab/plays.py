"""The plays: what an agent and its user do, what is taken back, and what must be there then."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from clients_lab import scripts
from clients_lab.stage import Stage

Play = Callable[[Stage], None]


def _there_and_back(script: str, *names: str) -> Play:
    """Plays one turn, takes it back, does it again, and takes it back once more."""

    def play(stage: Stage) -> None:
        before = stage.look()
        stage.turn(script)
        after = stage.changed(before, *names)
        for _ in range(2):
            stage.undo()
            stage.same(before, "after undo")
            stage.redo()
            stage.same(after, "after redo")

    return play


def shell(stage: Stage) -> None:
    """A command that destroys a lot, and leaves a child that writes after its end."""
    before = stage.look()
    stage.turn("shell")
    stage.wait_for(scripts.LATE)
    after = stage.changed(before, "doomed.txt", "tracked.txt", "out", "mode.txt", "link", ".env")
    shown = stage.preview()
    stage.wants(
        scripts.LATE in _files(shown.data.get("unclear", ())),
        f"the preview does not list {scripts.LATE} as unclear: {shown.data.get('unclear')}",
    )
    stage.undo()
    stage.same({**before, b"late.txt": after[b"late.txt"]}, "after undo, unclear kept")
    stage.redo()
    stage.same(after, "after redo")
    stage.undo("--unclear", "take")
    stage.same(before, "after undo, unclear taken")
    stage.redo()
    stage.same(after, "after the second redo")


def refused(stage: Stage) -> None:
    """A call that the client itself refuses; what the user does then is the user's."""
    before = stage.look()
    stage.turn("refused", is_careful=True)
    stage.same(before, "after the refused call")
    stage.notes("after the refusal")
    kept = stage.look()
    stage.undo()
    stage.same(kept, "after an undo of nothing")
    stage.turn("write")
    stage.changed(kept, "made.txt")
    stage.undo()
    stage.same(kept, "after undo")


def nothing(stage: Stage) -> None:
    """A prompt without any change is passed over."""
    before = stage.look()
    stage.turn("write")
    after = stage.changed(before, "made.txt")
    stage.turn("nothing")
    stage.undo()
    stage.same(before, "after undo")
    stage.undo()
    stage.same(before, "after an undo of nothing")
    stage.redo()
    stage.same(after, "after redo")


def user_before(stage: Stage) -> None:
    """The user edits another file, and another line of the same one, before the prompt."""
    stage.edits(2, "line 2 of the user")
    stage.notes("before the prompt")
    before = stage.look()
    stage.turn("edit")
    after = stage.changed(before, "shared.txt")
    stage.undo()
    stage.same(before, "after undo")
    stage.redo()
    stage.same(after, "after redo")


def user_between_calls(stage: Stage) -> None:
    """The user edits while the model thinks: nobody can tell whose it is, so it stays."""
    stage.turn("between")
    after = stage.look()
    stage.undo()
    _only_users(stage, {2: "line 2 between calls"}, "between calls")
    stage.redo()
    stage.same(after, "after redo")


def user_during(stage: Stage) -> None:
    """The user saves while a shell command runs: the preview names it, and undo takes it along."""

    def saves() -> None:
        stage.notes("during the call")
        stage.edits(2, "line 2 during the call")

    before = stage.look()
    stage.turn_with_user("during", saves)
    after = stage.changed(before, "user.txt", "shared.txt", "tracked.txt")
    named = _files(stage.preview().data.get("taken_back", ()))
    stage.wants({"user.txt", "shared.txt"} <= set(named), f"the preview names only {named}")
    stage.undo()
    stage.same(before, "after undo")
    stage.redo()
    stage.same(after, "after redo")


def user_between_turns(stage: Stage) -> None:
    """The user edits after each turn; two undos leave what the user wrote and nothing else."""
    stage.turn("edit")
    stage.edits(2, "line 2 between turns")
    stage.notes("between turns")
    stage.turn("write")
    stage.edits(12, "line 12 after the turns")
    after = stage.look()
    stage.undo()
    stage.undo()
    _only_users(stage, {2: "line 2 between turns", 12: "line 12 after the turns"}, "between turns")
    stage.redo()
    stage.redo()
    stage.same(after, "after two redos")


def older(stage: Stage) -> None:
    """The first of two turns is taken back alone."""
    before = stage.look()
    stage.turn("edit")
    edited = stage.changed(before, "shared.txt")
    stage.turn("write")
    after = stage.changed(edited, "made.txt")
    stage.undo("t1")
    stage.same({**after, b"shared.txt": before[b"shared.txt"]}, "after undo t1")
    stage.redo()
    stage.same(after, "after redo")
    stage.undo("t1")
    stage.undo()
    stage.same(before, "after undo t1 and undo")


def everything(stage: Stage) -> None:
    """All covered paths as they were, whoever changed them; and back."""
    stage.notes("before the prompt")
    before = stage.look()
    stage.turn("between")
    stage.edits(12, "line 12 after the turn")
    after = stage.look()
    stage.undo("--everything")
    stage.same(before, "after undo --everything")
    stage.redo()
    stage.same(after, "after redo")


def conflict(stage: Stage) -> None:
    """The user changed the agent's very line: refused by name, and decided by the user."""
    before = stage.look()
    stage.turn("two")
    stage.changed(before, "shared.txt", "made.txt")
    stage.edits(28, "line 28 of the user")
    after = stage.look()
    said = stage.undo(code=4)
    stage.same(after, "after the refusal")
    stage.wants("shared.txt" in said.text, "the refusal does not name shared.txt")
    stage.undo("--mine", "shared.txt")
    expected = {path: one for path, one in after.items() if path != b"made.txt"}
    stage.same(expected, "after undo --mine")
    stage.redo()
    stage.same(after, "after redo")
    stage.undo("--before", "shared.txt")
    stage.same(before, "after undo --before")


def with_chat(stage: Stage) -> None:
    """The conversation goes back as well where the client can; else it is told how to open it."""
    before = stage.look()
    stage.turn("write")
    written = stage.changed(before, "made.txt")
    stage.turn("edit")
    stage.changed(written, "shared.txt")
    heard = len(stage.heard)
    said = stage.undo("--with-chat")
    stage.same(written, "after undo --with-chat")
    stage.wants(len(stage.heard) == heard, "the model was asked while the conversation went back")
    told = said.data.get("conversation") or {}
    is_able = stage.installed.program.name in ("claude", "codex")
    stage.wants(told.get("taken_back") is is_able, f"the conversation: {told}")
    session = re.split("[ =]", told.get("command") or "")[-1]
    requests = stage.goes_on(session, "nothing")
    stage.wants("SCRIPT:write" in requests, f"{told.get('command')} opens another conversation")
    stage.wants(
        ("SCRIPT:edit" in requests) is not is_able,
        "the model hears what was taken back" if is_able else "the client took it back by itself",
    )


def _as_step(level: str) -> Play:
    """Lets the agent work as a confined step; its settings stay what they were from `write` on."""

    def play(stage: Stage) -> None:
        before, settings = stage.look(), stage.settings()
        said = stage.works_as_step("edit", level)
        stage.wants(said.code == 0, f"the plan ended with {said.code}: {said.text[-400:]}")
        stage.same(before, f"after a step at {level}")
        if level != "project":
            stage.wants(stage.settings() == settings, "the agent's settings were changed")
        stage.brings("shared.txt", "line 28 of the agent")

    return play


def _only_users(stage: Stage, lines: dict[int, str], note: str) -> None:
    """Checks that the project is as in the beginning, but for what the user wrote."""
    now = stage.look()
    shared = scripts.SHARED.splitlines()
    for number, text in lines.items():
        shared[number - 1] = text
    found = (stage.room.project / "shared.txt").read_text()
    stage.wants(found == "\n".join(shared) + "\n", "shared.txt is not the user's alone after undo")
    found = (stage.room.project / "user.txt").read_text()
    stage.wants(found == scripts.FILES["user.txt"] + f"{note}\n", "user.txt lost the user's line")
    theirs = {b"shared.txt", b"user.txt"}
    stage.same({**stage.first, **{path: now[path] for path in theirs}}, "after undo")


def _files(listed: Iterable[Any]) -> list[str]:
    return [one if isinstance(one, str) else one["file"] for one in listed]


PLAYS: dict[str, Play] = {
    "write": _there_and_back("write", "made.txt"),
    "shell": shell,
    "edit": _there_and_back("edit", "shared.txt"),
    "parallel": _there_and_back("parallel", "a.txt", "b.txt", "c.txt", "doomed.txt"),
    "subagent": _there_and_back("subagent", "child.txt", "by-child.txt"),
    "background-subagent": _there_and_back("background-subagent", "child.txt", "by-child.txt"),
    "failing": _there_and_back("failing", scripts.HALF, "doomed.txt"),
    "refused": refused,
    "nothing": nothing,
    "user-before": user_before,
    "user-between-calls": user_between_calls,
    "user-during": user_during,
    "user-between-turns": user_between_turns,
    "older": older,
    "everything": everything,
    "conflict": conflict,
    "with-chat": with_chat,
    "step-at-project": _as_step("project"),
    "step-at-write": _as_step("write"),
    "step-at-strict": _as_step("strict"),
}
