"""Asks an external command: a question as JSON on its standard input, an answer on its output.

Question and answer are kept beside the output of the step, as files; what the command writes to
standard error is that output.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from cleveragents.counting import size
from cleveragents.tools.tool import SHELL, Call, Outcome, failed, keep_masked, run_process

LARGEST_ANSWER = 1 << 20
# The shell redirects, so that the command is run like that of any step.
REDIRECTED = 'exec /bin/sh -c "$1" < "$2" > "$3"'

A = TypeVar("A", bound=BaseModel)


class Questions(Generic[A]):
    """One question to one command; after a call that succeeded the answer is there."""

    def __init__(self, command: str, form: type[A], problem: Callable[[A], str | None]) -> None:
        self._command = command
        self._form = form
        self._problem = problem  # tells what is wrong with an answer that has the right form
        self._answers: list[A] = []

    @property
    def answer(self) -> A:
        """The answer of the command."""
        return self._answers[-1]

    def put(self, call: Call, question: Mapping[str, object]) -> Outcome:
        """Asks; no answer in time, or one that cannot be used, is a failed call."""
        asked = call.output.with_suffix(".question.json")
        answered = call.output.with_suffix(".answer.json")
        asked.write_text(json.dumps(call.masking.data(question), indent=2) + "\n")
        answered.touch()  # it is read whatever became of the command
        try:
            asking = (SHELL, "-c", REDIRECTED, "ask", self._command, str(asked), str(answered))
            outcome = run_process(call, *asking, handed=[asked, answered])
        finally:
            said = _said(call, answered)
        if not outcome.ok:
            return outcome
        if len(said) > LARGEST_ANSWER:
            text = f"the answer cannot be used: it is longer than {size(LARGEST_ANSWER)}"
            return failed(text, outcome.tail)
        try:
            answer = self._form.model_validate_json(said)
        except ValidationError as error:
            return failed(f"the answer cannot be used: {_first(error)}", outcome.tail)
        if problem := self._problem(answer):
            return failed(f"the answer cannot be used: {problem}", outcome.tail)
        self._answers.append(answer)
        return outcome


def _said(call: Call, answered: Path) -> bytes:
    """Reads an answer, as far as one may be long; it is kept so far, and masked."""
    with answered.open("rb") as file:
        said = file.read(LARGEST_ANSWER + 1)
    keep_masked(call, answered, said)
    return said


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    field = ".".join(map(str, problem["loc"]))
    return f"{field}: {problem['msg']}" if field else problem["msg"]
