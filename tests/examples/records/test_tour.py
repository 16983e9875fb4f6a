"""The tour of the records system: each step prints its estimated cost, and a missing search word is noticed."""

from __future__ import annotations

from importlib import import_module

import pytest

from examples.records.operations import standardise as written
from examples.records.places import Place, PlaceSettings
from examples.records.system import system
from tests.examples.recorded_tour import RecordedTour

pytestmark = pytest.mark.wider

ITEMS = 400


def recorded_tour() -> RecordedTour:
    seen = RecordedTour()
    system.take_tour("memory:", seen, ITEMS)
    return seen


def test_every_step_has_an_estimate() -> None:
    seen = recorded_tour()

    assert [step.title for step in seen.steps if step.estimated is None] == []


def test_the_tour_notices_that_other_names_of_places_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    words_of = written.words_of

    def own_name_only(place: Place, settings: PlaceSettings) -> list[str]:
        return words_of(place, settings)[:1]

    monkeypatch.setattr(import_module("examples.records.data.gazetteer"), "words_of", own_name_only)

    assert recorded_tour().wrong
