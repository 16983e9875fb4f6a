"""Changes that are replayed into a dict give the content of the table."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk import Entity, changes_of
from pksk.model.declaration import Declaration

from .shop import NOW, Animal, Boat, Car, Cat, Dog, Month, Order, Session, Streams, shop

NAMES = st.sampled_from(["a", "b#", "é"])
BYTES = st.binary(max_size=3)
DECIMALS = st.decimals(-9, 9, places=2)
ENTITIES: st.SearchStrategy[Entity] = st.one_of(
    st.builds(
        Order,
        customer=NAMES,
        number=st.integers(0, 2),
        total=DECIMALS.map(lambda each: Decimal(each).normalize()),
        tags=st.sets(st.text(max_size=2), max_size=2),
        raw=BYTES,
        pieces=st.sets(BYTES, max_size=2),
        deep=st.dictionaries(NAMES, st.lists(BYTES, max_size=2), max_size=2),
        note=st.none() | NAMES,
    ),
    st.builds(Month, name=NAMES, day=st.dates(date(2025, 1, 1), date(2025, 2, 9))),
    st.builds(
        Session,
        id=NAMES,
        expires=st.integers(NOW + 1, NOW + 99).map(lambda at: datetime.fromtimestamp(at, UTC)),
    ),
    *(st.builds(kind, name=NAMES) for kind in (Animal, Cat)),
    st.builds(Dog, name=NAMES, tricks=st.lists(NAMES, max_size=2)),
    st.builds(Car, plate=NAMES, doors=st.integers(3, 5)),
    st.builds(Boat, plate=NAMES),
)
STEPS = st.lists(st.tuples(st.sampled_from(["put", "put", "put", "delete", "wait"]), ENTITIES), max_size=25)


@pytest.mark.parametrize("view", ["NEW_AND_OLD_IMAGES", "NEW_IMAGE"])
@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
def test_changes_replayed_give_the_entities_of_the_table(view: str, steps: list[tuple[str, Entity]]) -> None:
    streams = Streams(view=view)
    for step, entity in steps:
        if step == "wait":
            streams.clock.advance(10)
            streams.engine.expire()
        else:
            (streams.put if step == "put" else streams.delete)(entity)
    streams.engine.expire()  # else its own thread may do so between what is read below

    for records in (streams.answer(), streams.boto3_answer(), streams.event()):
        held: dict[Any, Entity] = {}
        for change in changes_of(records, shop, unknown="raise"):
            key = str(sorted(change.key.items()))
            assert change.old is None or view == "NEW_IMAGE" or held[key] == change.old
            assert (change.kind == "remove") == (change.new is None)
            _check_key_values(change)
            if change.new is None:
                del held[key]
            else:
                held[key] = change.new
        assert held == _content(streams)


def _check_key_values(change: Any) -> None:
    entity = change.new or change.old
    if entity is None or change.entity is Month:
        assert change.entity is not Month or change.key_values is None
        return
    primary = change.entity.__pksk__.primary
    assert change.key_values == {name: getattr(entity, name) for name in primary.fields}


def _content(streams: Streams) -> dict[Any, Entity]:
    """What the table holds, by key."""
    tags: dict[str, Declaration] = {each.tag: each for each in shop.entities}
    items = streams.engine.call("Scan", {"TableName": shop.name})["Items"]
    return {
        str(sorted((name, item[name]) for name in ("pk", "sk"))): tags[item["type"]["S"]].from_item(item)
        for item in items
    }
