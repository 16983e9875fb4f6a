"""Takes the steps of several operations in turns, as threads and processes do that know nothing of each other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from pksk.client import Client
from pksk.sending.driver import Driver
from pksk.sending.operation import Call, Pause

__all__ = ["interleaved"]

Run = Generator[Any, Any, Any]


def interleaved(client: Client, runs: list[Run], choose: Callable[[int], int]) -> list[Any]:
    """What each run gives or raises; `choose` tells which of so many goes next."""
    driver = Driver(client, pause=lambda _: None)
    endings: dict[int, Any] = {}
    waiting: dict[int, Any] = {}
    for number, each in enumerate(runs):
        _advance(number, each, None, None, waiting, endings)
    while waiting:
        number = sorted(waiting)[choose(len(waiting))]
        answer, error = _taken(driver, waiting.pop(number))
        _advance(number, runs[number], answer, error, waiting, endings)
    return [endings[number] for number in range(len(runs))]


def _taken(driver: Driver, step: Any) -> tuple[Any, Exception | None]:
    if isinstance(step, Pause):
        return None, None
    try:
        if isinstance(step, Call):
            return driver.client.call(*step), None
        return [driver.run(each) for each in step.runs], None
    except Exception as error:
        return None, error


def _advance(
    number: int,
    run: Run,
    answer: Any,
    error: Exception | None,
    waiting: dict[int, Any],
    endings: dict[int, Any],
) -> None:
    try:
        waiting[number] = run.send(answer) if error is None else run.throw(error)
    except StopIteration as done:
        endings[number] = done.value
    except Exception as raised:
        endings[number] = raised
