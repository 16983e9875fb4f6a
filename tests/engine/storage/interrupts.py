"""Interrupts at a chosen moment, as Ctrl-C can come at any."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import sortedcontainers

import pksk.engine.storage

__all__ = ["interrupted", "moments"]

PLACES = tuple(str(Path(str(package.__file__)).parent) for package in (pksk.engine.storage, sortedcontainers))


def moments(work: Callable[[], object]) -> int:
    """How many moments there are while something is done: the calls and lines inside storages."""
    count = _Count(0)
    count.run(work)
    return count.seen


def interrupted(work: Callable[[], object], moment: int) -> str:
    """Run a function with an interrupt at a moment counted from 1, and return where that was."""
    count = _Count(moment)
    try:
        count.run(work)
    except KeyboardInterrupt:
        return count.where
    raise AssertionError(f"there was no moment {moment}, or the interrupt was lost at {count.where}")


class _Count:
    def __init__(self, moment: int) -> None:
        self._moment = moment
        self.seen = 0
        self.where = ""

    def run(self, work: Callable[[], object]) -> None:
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            work()
        finally:
            sys.settrace(before)

    def _trace(self, frame: FrameType, event: str, _given: object) -> Any:
        if not frame.f_code.co_filename.startswith(PLACES):
            return None
        if event in {"call", "line"}:
            self.seen += 1
            if self.seen == self._moment:
                self.where = f"{event} {frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt
        return self._trace
