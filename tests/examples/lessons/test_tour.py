"""The tour of the lessons sees what is wrong with pairs, ids and signs of trouble, and says nothing that is not so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from examples.lessons import pairs, tour
from examples.lessons.data import random_ids
from examples.lessons.ids import IDS
from examples.lessons.measured import Measured, measured
from examples.lessons.pairs import PAIRS
from examples.lessons.system import system
from pksk import Entity, Store, Table
from tests.examples.seen import Seen

pytestmark = pytest.mark.wider

ITEMS = 100


def toured() -> Seen:
    seen = Seen()
    system.take_tour("memory:", seen, ITEMS)
    return seen


def test_every_side_of_a_pair_is_a_step_with_its_answer_and_its_price() -> None:
    seen = toured()

    sides = {f"{pair.title}, by {side.name}" for pair in [*PAIRS, IDS] for side in pair.sides}
    steps = {step.title: step for step in seen.steps}
    assert seen.wrong == []
    assert [title for title, step in steps.items() if step.estimated is None] == []
    assert sides <= steps.keys()
    assert all(steps[title].consumed.read or steps[title].consumed.write for title in sides)


def test_the_signs_are_the_same_however_few_items_there_are() -> None:
    found = [tuple(row) for row in toured().tables["access pattern", "sign", "requests"]]

    assert [row for row in found if row[1] != "slow"] == [
        (name, sign, str(times)) for name, sign, times in tour.SIGNS if sign != "slow"
    ]
    assert ("Ticket.waiting_for", "slow", "1") in found


def test_pairs_that_are_measured_on_nothing_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_nothing(
        tables: Iterable[Table], _: Iterable[Entity], calls: Callable[[Store], object], tell: Any
    ) -> Measured:
        return measured(tables, (), calls, tell)

    monkeypatch.setattr(pairs, "measured", on_nothing)

    wrong = dict(toured().wrong)
    stored_before = [pair for pair in PAIRS if any(list(side.stored(1)) for side in pair.sides)]
    assert len(stored_before) == 6
    assert [pair.shows for pair in stored_before if pair.shows not in wrong] == []


def test_a_question_that_finds_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    one = PAIRS[0]
    forgetful = replace(one.sides[0], calls=lambda *_: [])
    monkeypatch.setattr(tour, "PAIRS", (replace(one, sides=(forgetful, one.sides[1])),))

    seen = toured()

    assert dict(seen.wrong).keys() == {one.shows, f"{one.title}, by {one.sides[0].name}"}


@pytest.mark.parametrize("missing", [[], ["throttled"], ["slow"], ["scan"]])
def test_signs_that_are_not_seen_are_wrong(missing: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row in tour.SIGNS if missing and row[1] not in missing]
    monkeypatch.setattr(tour, "PAIRS", ())
    monkeypatch.setattr(tour, "signs_of_trouble", lambda: rows)

    wrong = dict(toured().wrong)

    assert "What the hook has seen" in wrong
    assert any(title.startswith("Here calls are throttled") for title in wrong) == (missing != ["scan"])


def test_ids_that_come_twice_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "PAIRS", ())
    monkeypatch.setattr("examples.lessons.ids.random_ids", lambda many: random_ids(1) * many)

    assert dict(toured().wrong).keys() == {"Ids, by random", IDS.shows}
