"""The tour runs every access pattern, finds no mistake, and prints its figures."""

from __future__ import annotations

import pytest

from examples.pantry.system import system
from tests.examples.recorded_tour import RecordedTour

ITEMS = 400


@pytest.fixture(scope="module")
def seen() -> RecordedTour:
    seen = RecordedTour()
    system.take_tour("memory:", seen, ITEMS)
    return seen


def test_no_answer_is_wrong_and_prices_are_what_was_consumed(seen: RecordedTour) -> None:
    assert seen.wrong == []
    assert len(seen.steps) > 60


def test_every_pattern_of_every_table_is_run(seen: RecordedTour) -> None:
    declared = {pattern.name for table in system.tables for pattern in table.patterns}

    assert declared - seen.requested == set()


def test_the_figures_are_there(seen: RecordedTour) -> None:
    reports, writes, spread, headroom, bytes_, steps = seen.tables.values()

    assert [row[0] for row in reports][-1] == "a year"
    assert writes[0] == ["a new service", "2 (1)", "2 (1)", "4 (3)"]
    assert writes[1] == ["another category", "2 (1) and 1 read", "3 (2) and 1 read", "5 (4) and 1 read"]
    assert writes[2][:3] == ["another day", "6 (2) and 1 read", "6 (2) and 1 read"]
    assert [row[2] for row in spread][:2] == ["2", "24"]
    assert headroom[0][1:] == ["0.0019", "1,000", "525,600 times"]
    assert bytes_[-1][0] == "all"
    assert [row[2] for row in steps] == ["1 / 1", "1 / 1", "1 / 1", "2 / 1", "2 / 2"]
