"""The clock that tests move."""

from __future__ import annotations

import gc
import time
from threading import Event
from typing import Any

import pytest

from pksk import Clock
from pksk.errors import InvalidValue


def test_a_clock_starts_at_the_present_and_does_not_move() -> None:
    before = time.time()

    clock = Clock()

    assert before <= clock() == clock() <= time.time()


def test_a_clock_can_be_advanced_turned_back_and_set() -> None:
    clock = Clock(1000)

    clock.advance(0.5)
    assert clock() == 1000.5
    clock.advance(-1)
    assert clock() == 999.5
    clock.set(5)

    assert clock() == 5.0


def test_moving_the_clock_sets_watching_events() -> None:
    clock, moved = Clock(0), Event()
    clock.watch(moved)

    clock.advance(1)
    assert moved.is_set()
    moved.clear()
    clock.set(9)

    assert moved.is_set()


def test_deleted_events_are_forgotten() -> None:
    clock = Clock(0)
    clock.watch(Event())
    gc.collect()

    clock.advance(1)

    assert len(clock._events) == 0


@pytest.mark.parametrize("wrong", ["now", None, True, float("nan"), float("inf")], ids=repr)
def test_an_invalid_number_of_seconds_is_rejected(wrong: Any) -> None:
    clock = Clock(0)

    for move in (clock.advance, clock.set):
        with pytest.raises(InvalidValue, match="engine-setting"):
            move(wrong)
    assert clock() == 0.0
