"""The tour of the heatmap compares answers with its own model, and notices any mistake of the application."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import pytest

from examples.heatmap.cells import Cell
from examples.heatmap.data import NOW, generate
from examples.heatmap.expected import Expected
from examples.heatmap.markers import Marker
from examples.heatmap.periods import Period
from examples.heatmap.system import system
from pksk.cells import Box, decode
from tests.examples.recorded_tour import RecordedTour

pytestmark = pytest.mark.wider

ITEMS = 400
SIX_CELLS = "The six cells after all these reports"
WORLD = "The whole world, from one partition"

# What the application might get wrong, and a step that must say so.
MISTAKES: Final[Mapping[str, tuple[object, str, Any, str]]] = {
    "all intensities are one": (Cell, "intensity", lambda *_: 1.0, WORLD),
    "no night is a night": (Period, "night", property(lambda _: False), SIX_CELLS),
    "all is of one half-year": (Period, "half", property(lambda _: 4091), SIX_CELLS),
    "nothing of a half-year is ever over": ("examples.heatmap.cells", "elapsed", lambda _: 0.0, WORLD),
    "every marker is strong": (
        Marker,
        "strong",
        lambda *_: True,
        "The live markers in London, strong for a quarter of an hour",
    ),
    "everybody is near": ("examples.heatmap.operations", "NEAR_KM", 1000, SIX_CELLS),
    "cells live for a second": ("examples.heatmap.cells", "YEAR", 1, SIX_CELLS),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_tour_notices_a_mistake_of_the_application(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, wrong, step = MISTAKES[mistake]
    if isinstance(where, str):
        monkeypatch.setattr(f"{where}.{name}", wrong)
    else:
        monkeypatch.setattr(where, name, wrong)

    seen = RecordedTour()
    system.take_tour("memory:", seen, ITEMS)

    assert step in dict(seen.wrong)


def test_without_a_mistake_nothing_is_wrong_and_every_step_has_an_estimate() -> None:
    seen = RecordedTour()
    system.take_tour("memory:", seen, ITEMS)

    assert seen.wrong == []
    assert [step.title for step in seen.steps if step.estimated is None] == []


def test_the_model_computes_the_same_squares_and_intensities_as_the_application() -> None:
    expected = Expected(generate(ITEMS))
    world = Box(-90, -180, 90, 180)
    east = timezone(timedelta(hours=9))
    for at in (
        NOW,
        NOW.astimezone(east),
        datetime(2046, 1, 1, tzinfo=UTC),
        datetime(2045, 6, 30, tzinfo=UTC),
    ):
        points = {(each.lat, each.lng): each.intensity for each in expected.points(world, 8, at)}
        cells = [each for each in expected.cells.values() if len(each.cell) == 8]

        found = {decode(each.cell).centre: each.intensity(at) for each in cells}
        assert points == {place: intensity for place, intensity in found.items() if intensity}
