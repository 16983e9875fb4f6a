"""The nearest entities by their vectors, with scores."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from pksk import Clock, ItemUnreadable, Nearest, PkskError, Put, RequestStarted, Store, Table
from tests.store.doors import Door
from tests.store.eventually import Eventually
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


def ids(db: Store, search: Nearest[Any]) -> list[str]:
    return [each.value.id for each in db.nearest(search)]


def test_the_nearest_come_first_with_their_scores(
    db: Store, stories: list[Story], eventually: Eventually
) -> None:
    search = Story.by_meaning.nearest([1, 0, 0], 2, shop="x").hydrate()
    eventually(lambda: [each.value for each in db.nearest(search)], STORIES[:2])

    assert [round(each.score, 4) for each in db.nearest(search)] == [0.0061, 0.0299]


def test_a_search_by_a_filter(db: Store, stories: list[Story], eventually: Eventually) -> None:
    search = Story.by_meaning.nearest([1, 0, 0], 5, shop="x", lang="fr").hydrate()
    eventually(lambda: ids(db, search), ["mer"])
    eventually(lambda: [each.value.id for each in db.run(search)], ["mer"])


def test_a_smaller_model_needs_no_further_read(
    db: Store, door: Door, stories: list[Story], eventually: Eventually
) -> None:
    search = Story.by_meaning.nearest([0, 0, 1], 1, shop="x").into(Title)
    eventually(lambda: [each.value for each in db.nearest(search)], [Title(title="Taxes")])
    sent: list[RequestStarted] = []
    door.open(hooks=[sent.append]).nearest(search)

    assert [each.operation for each in sent] == ["SearchVectors"]


def test_nearest_skips_other_entities(db: Store, eventually: Eventually) -> None:
    db.put(Story(shop="x", id="1", title="no", title_embedding=[0.0, 1.0], embedding=[1.0, 0.0, 0.0]))
    fable = db.put(Fable(id="2", title="yes", title_embedding=[0.0, 2.0]))
    search = Fable.by_title.nearest([0, 1], 10).hydrate()
    eventually(lambda: [(each.value, each.score) for each in db.nearest(search)], [(fable, 1.0)])


def test_nearest_skips_expired_items(db: Store, clock: Clock, eventually: Eventually) -> None:
    soon = datetime.fromtimestamp(int(clock()) + 60, UTC)
    db.put(STORIES[0].model_copy(update={"expires": soon}))
    db.put(STORIES[1])
    search = Story.by_meaning.nearest([1, 0, 0], 5, shop="x")
    eventually(lambda: ids(db, search.hydrate()), ["sea", "mer"])
    clock.advance(60)

    assert ids(db, search.hydrate()) == ["mer"]
    assert [each.value for each in db.nearest(search.into(Title))] == [Title(title="La mer")]


def test_an_update_of_the_vector_moves_the_item(
    db: Store, stories: list[Story], eventually: Eventually
) -> None:
    db.update(Story.primary.update(shop="x", id="tax").set(embedding=[1.0, 0.0, 0.0]))
    eventually(lambda: ids(db, Story.by_meaning.nearest([1, 0, 0], 1, shop="x").hydrate()), ["tax"])


def test_a_move_moves_an_item_between_partitions_of_a_vector_index(
    db: Store, stories: list[Story], eventually: Eventually
) -> None:
    db.move(STORIES[3], shop="x")
    eventually(lambda: ids(db, Story.by_meaning.nearest([1, 0, 0], 1, shop="x").hydrate()), ["ship"])


def test_nearest_on_an_empty_index_returns_nothing(db: Store) -> None:
    assert db.nearest(Story.by_meaning.nearest([1, 0, 0], shop="none").hydrate()) == []


@pytest.mark.one_door
def test_an_incomplete_search_raises(db: Store) -> None:
    with pytest.raises(PkskError, match="does not return"):
        db.nearest(Story.by_meaning.nearest([1, 0, 0], shop="x"))
    with pytest.raises(PkskError, match="a vector of 2 numbers, where the index has 3 dimensions"):
        db.nearest(Story.by_meaning.nearest([1, 0], shop="x").hydrate())


def damage(door: Door, story: Story, **values: dict[str, Any]) -> None:
    """Store a story past the store, with other attributes."""
    door.call("PutItem", {"TableName": library.name, "Item": {**Put(story).item, **values}})


@pytest.mark.parametrize(
    "wrong", [{"title": {"N": "5"}}, {"type": {"S": "Gone"}}, {"type": {"S": "Fable"}}], ids=str
)
def test_an_unreadable_neighbour_raises_or_is_collected(
    db: Store, door: Door, stories: list[Story], eventually: Eventually, wrong: dict[str, Any]
) -> None:
    search = Story.by_meaning.nearest([1, 0, 0], 5, shop="x").hydrate()
    eventually(lambda: ids(db, search), ["sea", "mer", "tax"])
    damage(door, STORIES[1], **wrong)
    unreadable: list[ItemUnreadable] = []
    with pytest.raises(ItemUnreadable, match="STORY#x#mer"):
        db.nearest(search)

    assert [each.value.id for each in db.nearest(search, unreadable=unreadable)] == ["sea", "tax"]
    assert [each.value.id for each in db.run(search, unreadable=unreadable)] == ["sea", "tax"]
    assert [error.key["pk"]["S"] for error in unreadable] == ["STORY#x#mer"] * 2


def test_items_that_no_longer_match_are_skipped_while_the_index_lags(
    db: Store, door: Door, stories: list[Story], eventually: Eventually
) -> None:
    search = Story.by_meaning.nearest([1, 0, 0], 5, shop="x", lang="en").hydrate()
    eventually(lambda: ids(db, search), ["sea", "tax"])

    def change(sending: RequestStarted) -> None:
        if sending.operation == "BatchGetItem":
            damage(door, STORIES[0], lang={"S": "de"})

    assert ids(door.open(hooks=[change]), search) == ["tax"]
