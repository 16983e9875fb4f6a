"""The tour of the lessons reports wrong pairs, ids and problem indicators, and nothing that is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from examples.lessons import comparisons, tour
from examples.lessons.comparisons import ID_LESSON, LESSONS
from examples.lessons.data import random_ids
from examples.lessons.system import system
from pksk import Entity, Store, Table
from pksk.review import Measurement, measure
from tests.examples.recorded_tour import RecordedTour

pytestmark = pytest.mark.wider

ITEMS = 100


def recorded_tour() -> RecordedTour:
    seen = RecordedTour()
    system.take_tour("memory:", seen, ITEMS)
    return seen


def test_every_design_of_a_pair_is_a_step_with_its_answer_and_its_price() -> None:
    seen = recorded_tour()

    sides = {
        f"{lesson.title}, by {variant.name}"
        for lesson in [*LESSONS, ID_LESSON]
        for variant in lesson.variants
    }
    steps = {step.title: step for step in seen.steps}
    assert seen.wrong == []
    assert [title for title, step in steps.items() if step.estimated is None] == []
    assert sides <= steps.keys()
    assert all(steps[title].consumed.read or steps[title].consumed.write for title in sides)


def test_the_indicators_do_not_depend_on_the_number_of_items() -> None:
    found = [tuple(row) for row in recorded_tour().tables["access pattern", "indicator", "requests"]]

    assert [row for row in found if row[1] != "slow"] == [
        (name, indicator, str(times)) for name, indicator, times in tour.INDICATORS if indicator != "slow"
    ]
    assert ("Ticket.waiting_for", "slow", "1") in found


def test_pairs_measured_without_items_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_nothing(
        tables: Iterable[Table], _: Iterable[Entity], calls: Callable[[Store], object], **options: Any
    ) -> Measurement:
        return measure(tables, (), calls, **options)

    monkeypatch.setattr(comparisons, "measure", on_nothing)

    wrong = dict(recorded_tour().wrong)
    stored_before = [
        lesson for lesson in LESSONS if any(list(variant.stored(1)) for variant in lesson.variants)
    ]
    assert len(stored_before) == 6
    assert [lesson.conclusion for lesson in stored_before if lesson.conclusion not in wrong] == []


def test_a_query_that_finds_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    one = LESSONS[0]
    forgetful = replace(one.variants[0], calls=lambda *_: [])
    monkeypatch.setattr(tour, "LESSONS", (replace(one, variants=(forgetful, one.variants[1])),))

    seen = recorded_tour()

    assert dict(seen.wrong).keys() == {one.conclusion, f"{one.title}, by {one.variants[0].name}"}


@pytest.mark.parametrize("missing", [[], ["throttled"], ["slow"], ["scan"]])
def test_missing_indicators_are_wrong(missing: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row in tour.INDICATORS if missing and row[1] not in missing]
    monkeypatch.setattr(tour, "LESSONS", ())
    monkeypatch.setattr(tour, "see_problem_indicators", lambda: rows)

    wrong = dict(recorded_tour().wrong)

    assert "The indicators that the hook has counted" in wrong
    assert any(title.startswith("Wrappers around the engine throttle") for title in wrong) == (
        missing != ["scan"]
    )


def test_duplicate_ids_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "LESSONS", ())
    monkeypatch.setattr("examples.lessons.comparisons.random_ids", lambda many: random_ids(1) * many)

    assert dict(recorded_tour().wrong).keys() == {"Ids, by random", ID_LESSON.conclusion}
