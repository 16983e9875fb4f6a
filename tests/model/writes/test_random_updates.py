"""Whatever changes, an update leaves exactly the item that the changed model would be stored as."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from pksk.expressions import Value, parse_update
from pksk.model.requests.update import Update
from pksk.values import WireItem
from tests.model.writes.random_rows import Row, change, make_entity, value
from tests.model.writes.running import holds, problems, read, updated

LONG = bool(os.environ.get("PKSK_LONG"))
BLOCKS = range(60 if LONG else 6)
DESIGNS = 100 if LONG else 6
UPDATES = 20
REQUIRED = ("name", "day", "at", "ratio", "address")


def designs(block: int) -> Any:
    rng = Random(int(os.environ.get("PKSK_RANDOM", "4")) * 1000 + block)
    made = 0
    while made < DESIGNS:
        entity = make_entity(rng)
        if entity is not None:
            made += 1
            yield rng, entity


@pytest.mark.parametrize("block", BLOCKS)
def test_every_attribute_of_an_updated_item_is_that_of_the_changed_model(block: int) -> None:
    reads = 0
    for rng, entity in designs(block):
        for _ in range(UPDATES):
            row = make_row(rng, entity)
            stored = entity.__pksk__.to_item(row)
            update, after = change(rng, entity.primary.update(**vague_parts(rng, entity, row)), row)
            if rng.random() < 0.3:
                rest = {name: getattr(row, name) for name in REQUIRED if name not in after}
                update = update.set(**rest).upsert()
            reads += bool(update.fields_to_read)
            update = with_reading(update, stored)

            assert holds(update.request, stored)
            expected = entity.__pksk__.to_item(row.model_copy(update=after))
            assert plain(entity, updated(update.request, stored)) == plain(entity, expected), (update, row)
            assert problems("UpdateItem", update.request) == ""
            check_stale_reads(rng, update, stored)
    assert reads > DESIGNS


@pytest.mark.parametrize("block", BLOCKS)
def test_an_upsert_of_nothing_makes_the_item_that_a_put_of_the_model_makes(block: int) -> None:
    for rng, entity in designs(block):
        row = make_row(rng, entity)
        given = parts(entity, row)
        required = {name: getattr(row, name) for name in REQUIRED}
        others = {name: value(rng, name) for name in ("city", "kind", "log") if rng.random() < 0.5}
        update = entity.primary.update(**given).set(**required, **others).add(limit=2).upsert()
        update = with_reading(update, {})
        new = entity(**given, **required, **others, limit=Row.model_fields["limit"].default + 2)

        assert holds(update.request, {})
        assert plain(entity, updated(update.request, {})) == plain(entity, entity.__pksk__.to_item(new)), (
            update
        )


@pytest.mark.parametrize("block", BLOCKS)
def test_an_update_changes_no_index_attribute_that_it_does_not_name(block: int) -> None:
    for rng, entity in designs(block):
        row = make_row(rng, entity)
        update, _ = change(rng, entity.primary.update(**parts(entity, row)), row)
        item = entity.__pksk__.to_item(row)
        update = with_reading(update, item)
        request = update.request
        changed = {
            action.path.elements[0]
            for action in parse_update(
                request["UpdateExpression"],
                request.get("ExpressionAttributeNames", {}),
                request.get("ExpressionAttributeValues", {}),
            ).actions
            # The rest of a key that changes is written again.
            if getattr(action, "value", None) != Value(item.get(str(action.path.elements[0]), {}))
        }
        named = {attribute for attributes in update.changed_index_keys.values() for attribute in attributes}
        keys = entity.__pksk__.key_attributes - set(entity.__pksk__.table.key_attributes)

        assert changed & keys <= named, update


def make_row(rng: Random, entity: type[Row]) -> Row:
    return entity(**{name: value(rng, name) for name in Row.model_fields})


def parts(entity: type[Row], row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in entity.__pksk__.primary.fields}


def vague_parts(rng: Random, entity: type[Row], row: Row) -> dict[str, Any]:
    """Parts that lead to the item, of which those that the key holds in pieces are not the item's own."""
    given = parts(entity, row)
    if str(entity.__pksk__.primary.sort[0].writer) == "{id}#{n:03d}":
        given["opened"] = row.opened.replace(day=rng.choice([1, 2, 28]))
    return given


def with_reading(update: Update[Any], stored: WireItem) -> Update[Any]:
    if not update.fields_to_read:
        return update
    assert problems("GetItem", update.read_request) == ""
    update = update.with_item(read(update.read_request, stored))
    assert update.fields_to_read == ()
    return update


def check_stale_reads(rng: Random, update: Update[Any], stored: WireItem) -> None:
    """Once a field that was read has changed, the request does nothing."""
    for name in update.read_values:
        attribute = update.entity.__pksk__.attribute(name)
        other: dict[str, Any] | None = rng.choice([None, {"S": "other"}, {"NULL": True}])
        changed = {each: wire for each, wire in stored.items() if each != attribute}
        changed |= {attribute: other} if other is not None else {}
        if changed.get(attribute, {"NULL": True}) != stored.get(attribute, {"NULL": True}):
            assert not holds(update.request, changed), (name, update)


def plain(entity: type[Row], item: WireItem) -> Any:
    """An item that can be compared: sets in order, and random shards left out."""
    found: dict[str, Any] = {}
    drawn = {
        part.attribute
        for key in entity.__pksk__.keys.values()
        if key.shard and key.shard.of is None
        for part in key.partition
    }
    for name, wire in item.items():
        ((kind, inner),) = wire.items()
        if name in drawn:
            inner = inner.rpartition("#")[0]
        found[name] = (kind, sorted(inner) if kind.endswith("S") and kind != "S" else inner)
    return found
