"""The clock that tests move."""

from __future__ import annotations

import gc
import time
from threading import Event
from typing import Any

import pytest

from pksk import Clock
from pksk.errors import InvalidValue


def test_it_begins_at_the_present_and_stands_still() -> None:
    before = time.time()

    clock = Clock()

    assert before <= clock() == clock() <= time.time()


def test_it_is_moved_on_and_back_and_set() -> None:
    clock = Clock(1000)

    clock.advance(0.5)
    assert clock() == 1000.5
    clock.advance(-1)
    assert clock() == 999.5
    clock.set(5)

    assert clock() == 5.0


def test_whoever_watches_is_woken_by_each_move() -> None:
    clock, moved = Clock(0), Event()
    clock.watch(moved)

    clock.advance(1)
    assert moved.is_set()
    moved.clear()
    clock.set(9)

    assert moved.is_set()


def test_who_is_gone_is_forgotten() -> None:
    clock = Clock(0)
    clock.watch(Event())
    gc.collect()

    clock.advance(1)

    assert len(clock._watching) == 0


@pytest.mark.parametrize("wrong", ["now", None, True, float("nan"), float("inf")], ids=repr)
def test_what_is_no_number_of_seconds_is_refused(wrong: Any) -> None:
    clock = Clock(0)

    for move in (clock.advance, clock.set):
        with pytest.raises(InvalidValue, match="engine-setting"):
            move(wrong)
    assert clock() == 0.0
