"""The nearest entities by their vectors, with scores."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from pksk import Clock, DesignError, PkskError, Store, Table
from tests.store.library import Fable, Story, Title, library

STORIES = [
    Story(shop="x", id="sea", title="At sea", embedding=[0.9, 0.1, 0.0]),
    Story(shop="x", id="mer", title="La mer", embedding=[0.8, 0.2, 0.0], lang="fr"),
    Story(shop="x", id="tax", title="Taxes", embedding=[0.0, 0.2, 0.9]),
    Story(shop="y", id="ship", title="A ship", embedding=[1.0, 0.0, 0.0]),
]


@pytest.fixture
def tables() -> Iterable[Table]:
    return (library,)


@pytest.fixture
def stories(db: Store) -> list[Story]:
    return db.batch_put(*STORIES)


def test_the_nearest_come_first_with_their_scores(db: Store, stories: list[Story]) -> None:
    found = db.nearest(Story.by_meaning.nearest([1, 0, 0], 2, shop="x").hydrate())

    assert [each.item for each in found] == STORIES[:2]
    assert [round(each.score, 4) for each in found] == [0.0061, 0.0299]


def test_a_search_by_a_filter(db: Store, stories: list[Story]) -> None:
    found = db.run(Story.by_meaning.nearest([1, 0, 0], 5, shop="x", lang="fr").hydrate())

    assert [each.item.id for each in found] == ["mer"]


def test_a_smaller_model_needs_no_further_read(db: Store, stories: list[Story]) -> None:
    found = db.nearest(Story.by_meaning.nearest([0, 0, 1], 1, shop="x").into(Title).hydrate())

    assert [each.item for each in found] == [Title(title="Taxes")]


def test_entities_of_others_are_left_out(db: Store) -> None:
    db.put(Story(shop="x", id="1", title="no", title_embedding=[0.0, 1.0], embedding=[1.0, 0.0, 0.0]))
    fable = db.put(Fable(id="2", title="yes", title_embedding=[0.0, 2.0]))
    found = db.nearest(Fable.by_title.nearest([0, 1], 10).hydrate())

    assert [(each.item, each.score) for each in found] == [(fable, 1.0)]


def test_what_is_over_is_not_near(db: Store, clock: Clock) -> None:
    soon = datetime.fromtimestamp(int(clock()) + 60, UTC)
    db.put(STORIES[0].model_copy(update={"expires": soon}))
    db.put(STORIES[1])
    search = Story.by_meaning.nearest([1, 0, 0], 5, shop="x").hydrate()
    before = [each.item.id for each in db.nearest(search)]
    clock.advance(60)

    assert before == ["sea", "mer"]
    assert [each.item.id for each in db.nearest(search)] == ["mer"]
    assert [
        each.item for each in db.nearest(Story.by_meaning.nearest([1, 0, 0], 5, shop="x").into(Title))
    ] == [Title(title="La mer")]


def test_an_update_of_the_vector_moves_the_item(db: Store, stories: list[Story]) -> None:
    db.update(Story.primary.update(shop="x", id="tax").set(embedding=[1.0, 0.0, 0.0]))
    found = db.nearest(Story.by_meaning.nearest([1, 0, 0], 1, shop="x").hydrate())

    assert found[0].item.id == "tax"


def test_a_move_moves_it_between_the_parts_of_the_index(db: Store, stories: list[Story]) -> None:
    db.move(STORIES[3], shop="x")
    found = db.nearest(Story.by_meaning.nearest([1, 0, 0], 1, shop="x").hydrate())

    assert found[0].item.id == "ship"


def test_an_empty_index_has_nothing_near(db: Store) -> None:
    assert db.nearest(Story.by_meaning.nearest([1, 0, 0], shop="x").hydrate()) == []


@pytest.mark.parametrize("given", [None, Story, Story.primary(shop="x", id="1")])
def test_what_is_no_search_is_refused(db: Store, given: Any) -> None:
    with pytest.raises(DesignError, match="nearest: it is given"):
        db.nearest(given)


def test_a_search_that_is_not_whole_is_refused(db: Store) -> None:
    with pytest.raises(PkskError, match="does not give"):
        db.nearest(Story.by_meaning.nearest([1, 0, 0], shop="x"))
    with pytest.raises(PkskError, match="a vector of 2 numbers, where the index has 3 dimensions"):
        db.nearest(Story.by_meaning.nearest([1, 0], shop="x").hydrate())
