"""Processes of a simulation, which run one step at a time and can be killed between any two."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from pksk.sending import Call, Pause, Steps, Together
from pksk.sending.operation import Effect


class Crash(BaseException):
    """A process was killed."""


def flat(steps: Steps[Any]) -> Generator[Call | Pause | Effect, Any, Any]:
    """Steps without parallel ones, which run one after the other."""
    answer: Any = None
    error: BaseException | None = None
    while True:
        try:
            step = steps.throw(error) if error is not None else steps.send(answer)
        except StopIteration as done:
            return done.value
        error = None
        try:
            if isinstance(step, Together):
                answer = []
                for each in step.runs:
                    answer.append((yield from flat(each)))
            else:
                answer = yield step
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as raised:
            error = raised


class Process:
    """A worker process, or one that rebuilds a consumer: the steps that it is at, and when it goes on."""

    def __init__(self, steps: Steps[Any], now: float, rebuilds: str = "") -> None:
        self.steps, self.rebuilds = flat(steps), rebuilds
        self.answer: Any = None
        self.error: BaseException | None = None
        self.wakes_at = now

    def advance(self) -> Call | Pause | Effect:
        """Its next step."""
        error, self.error = self.error, None
        answer, self.answer = self.answer, None
        return self.steps.throw(error) if error is not None else self.steps.send(answer)

    def kill(self) -> None:
        """End it at once: what it would still send, such as the release of its leases, is not sent."""
        try:
            while True:
                self.steps.throw(Crash())
        except (Crash, StopIteration):
            pass
