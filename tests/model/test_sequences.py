"""Sequences: declared once, drawn by one atomic update."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import DesignError, Entity, InvalidValue, Key, Table, sequence
from pksk.expressions import apply, parse_update


def drawn(request: dict[str, Any], item: dict[str, Any] | None) -> dict[str, Any]:
    tree = parse_update(
        request["UpdateExpression"],
        request.get("ExpressionAttributeNames", {}),
        request.get("ExpressionAttributeValues", {}),
    )
    return apply(tree, item or dict(request["Key"]))


def test_a_sequence_begins_at_1_and_continues_in_blocks() -> None:
    zones = sequence("zone::{collection}", table=Table("parks"))
    first = drawn(zones.take(collection="north").request, None)
    second = drawn(zones.take(25, collection="north").request, first)

    assert (first["last"], second["last"]) == ({"N": "1"}, {"N": "26"})
    assert first["pk"] == {"S": "sequence::zone::north"}


def test_a_sequence_can_use_an_existing_counter() -> None:
    records = sequence(
        "records", table=Table("records"), key=("sequence", "sequence"), attribute="sequenceValue"
    )
    request = records.take(10).request

    assert request["Key"] == {"pk": {"S": "sequence"}, "sk": {"S": "sequence"}}
    assert drawn(request, None)["sequenceValue"] == {"N": "10"}


def test_parts_have_types() -> None:
    products = sequence("product::{collection}::{activity:04d}::{kind}", table=Table("parks"), kind=int)

    key = products.peek(collection="north", activity=7, kind=1).request["Key"]

    assert key["pk"] == {"S": "sequence::product::north::0007::1"}


def test_a_sequence_whose_key_collides_with_an_entity_raises() -> None:
    table = Table("parks")

    class Anything(Entity, table=table):
        kind: str
        id: str
        primary = Key("{kind}", "{id}")

    with pytest.raises(DesignError) as caught:
        sequence("zone", table=table, key=("zone", "counter"))

    assert caught.value.code == "entity-collision"


def test_a_sequence_is_declared_once() -> None:
    table = Table("parks")
    sequence("zone::{collection}", table=table)
    for again in ("zone::{collection}", "zone"):
        with pytest.raises(DesignError, match="table 'parks' already has a sequence ZoneSequence") as caught:
            sequence(again, table=table)

        assert caught.value.code == "sequence-twice"
    assert sequence("zone", table=table, name="AllZones").entity.__name__ == "AllZones"


def test_two_sequences_may_not_share_a_counter() -> None:
    table = Table("parks")
    sequence("zone", table=table, key=("counters", "zone"))
    with pytest.raises(DesignError) as caught:
        sequence("area", table=table, key=("counters", "zone"))

    assert caught.value.code == "entity-collision"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"table": None}, "table=None is not a Table"),
        ({"table": "parks"}, "table='parks' is not a Table"),
        ({"key": "zone"}, "key='zone' is not a pair of the partition key and the sort key of table 'parks'"),
        ({"key": ("zone",)}, "is not a pair"),
        ({"key": ("zone", "a", "b")}, "is not a pair"),
        ({"key": (1, 2)}, "is not a pair"),
        ({"key": ("zone", None)}, "is not a pair"),
        ({"table": Table("plain", sk=None), "key": ("zone", "a")}, "is not the partition key alone"),
        ({"attribute": ""}, "attribute='' is not the name of an attribute"),
        ({"attribute": 5}, "attribute=5 is not"),
        ({"name": ""}, "name='' is not a name"),
        ({"name": "two words"}, "name='two words' is not a name"),
        ({"name": 5}, "name=5 is not a name"),
    ],
    ids=str,
)
def test_invalid_options_of_a_sequence_raise(options: dict[str, Any], text: str) -> None:
    with pytest.raises(DesignError) as caught:
        sequence("zone", **{"table": Table("parks"), **options})

    assert caught.value.code == "sequence-option"
    assert text in caught.value.problem


@pytest.mark.parametrize(
    ("part", "fix"),
    [
        ("colection", "did you mean 'collection'?"),
        ("x", "take it out, or write {x} where it belongs."),
    ],
)
def test_a_type_of_an_unknown_part_raises(part: str, fix: str) -> None:
    types: dict[str, Any] = {part: int}
    with pytest.raises(InvalidValue) as caught:
        sequence("zone::{collection}", table=Table("parks"), **types)

    assert (caught.value.code, caught.value.fix) == ("sequence-type", fix)


def test_a_part_that_the_key_omits_raises() -> None:
    with pytest.raises(DesignError, match=r"each \{collection\} has its own counter, but key="):
        sequence("zone::{collection}", table=Table("parks"), key=("counters", "zone"))


@pytest.mark.parametrize("count", [0, -1, 10_001, True, 1.5])
def test_a_block_is_of_one_to_ten_thousand(count: Any) -> None:
    with pytest.raises(InvalidValue, match="one call takes 1 to 10,000 numbers"):
        sequence("zone", table=Table("parks")).take(count)


def test_the_largest_block_has_ten_thousand() -> None:
    update = sequence("zone", table=Table("parks")).take(10_000)

    assert drawn(update.request, None)["last"] == {"N": "10000"}


def test_a_missing_part_raises_with_its_name() -> None:
    zones = sequence("zone::{collection}", table=Table("parks"))

    with pytest.raises(InvalidValue, match="did you mean 'collection'"):
        zones.take(colection="north")
