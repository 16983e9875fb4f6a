"""Change records: one for each write that changes an item, and none for any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from pksk.engine import Engine
from tests.engine.operations.items import KEY, Item, Items
from tests.engine.state.catalogues import NAME

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
ONE: Item = {**KEY, "n": {"N": "1"}}
TWO: Item = {**KEY, "n": {"N": "2"}}


@pytest.fixture(params=["memory", "file"])
def items(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Items]:
    """A table with a stream, on each storage."""
    path = ":memory:" if request.param == "memory" else tmp_path / "engine.db"
    with Engine.open(path, durable=False) as engine:
        yield Items(engine=engine, StreamSpecification=STREAM)


def changes(items: Items) -> list[tuple[Item | None, Item | None]]:
    """Both images of every change record, from where the engine keeps them."""
    core = items.engine._core
    space = core.catalogue.table(NAME).change_space
    assert space is not None
    with core.storage.reading() as reader:
        rows = sorted(reader.rows(space, b"", None), key=lambda row: row.key[4:])
    records = [orjson.loads(b"{%b}" % row.data.split(b" ", 3)[3]) for row in rows]
    return [(record.get("OldImage"), record.get("NewImage")) for record in records]


def test_writes_are_recorded_in_their_order_with_both_images(items: Items) -> None:
    items.put(ONE)
    items.update("SET n = n + n")
    items.put(KEY)
    items.delete()

    assert changes(items) == [(None, ONE), (ONE, TWO), (TWO, KEY), (KEY, None)]


def test_a_write_without_a_change_is_not_recorded(items: Items) -> None:
    items.delete()
    items.update("REMOVE n")
    items.put(ONE)
    items.put({"n": {"N": "1.0"}, **KEY})
    items.update("SET n = :v", v={"N": "1e0"})
    items.update("REMOVE gone")
    items.update(None)

    assert changes(items) == [(None, ONE)]


def test_a_rejected_write_is_not_recorded(items: Items) -> None:
    items.put(ONE)
    items.error_of("PutItem", Item=TWO, ConditionExpression="attribute_not_exists(pk)")
    items.error_of("UpdateItem", Key=KEY, UpdateExpression="SET n = gone")

    assert changes(items) == [(None, ONE)]
