"""Puts, deletes and checks as requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import Entity, F, InvalidValue, Key, PkskError, Put, Table, gt
from pksk.errors import ExpressionMisuse
from tests.model.writes.running import problems
from tests.model.writes.shop import KEY, Order, order


def test_a_put_holds_the_whole_item_with_every_key() -> None:
    made = order(status="open")
    put = Put(made)

    assert put.entity is Order
    assert put.value is made
    assert put.item == Order.__pksk__.to_item(made)
    assert put.request == {"TableName": "shop", "Item": put.item}
    assert put.item_key == KEY


def test_a_put_does_not_change_with_its_entity() -> None:
    made = order()
    put = Put(made)
    made.total = 99

    assert put.item["t"] == {"N": "0"}
    assert put.if_absent().item == put.item


@pytest.mark.parametrize(
    ("write", "operation", "expected"),
    [
        (Put(order()).if_absent(), "PutItem", "attribute_not_exists(pk)"),
        (Put(order()).when(F.total > 5), "PutItem", "t > :v0"),
        (Put(order()).when(F.total > 5).when(F.kind == "x"), "PutItem", "t > :v0 AND kind = :v1"),
        (
            Put(order()).when(F.total.missing()).if_absent(),
            "PutItem",
            "attribute_not_exists(pk) AND attribute_not_exists(t)",
        ),
        (Order.primary.delete(id="7"), "DeleteItem", None),
        (Order.primary.delete(id="7").if_present(), "DeleteItem", "attribute_exists(pk)"),
        (Order.primary.delete(id="7").when(F.total == 0), "DeleteItem", "t = :v0"),
        (Order.primary.check(id="7"), "check", "attribute_exists(pk)"),
        (Order.primary.check(id="7").absent(), "check", "attribute_not_exists(pk)"),
        (Order.primary.check(id="7").when(F.total > 5), "check", "attribute_exists(pk) AND t > :v0"),
    ],
)
def test_a_condition_is_on_the_attributes_that_hold_the_fields(
    write: Any, operation: str, expected: str | None
) -> None:
    assert write.request.get("ConditionExpression") == expected
    assert operation == "check" or problems(operation, write.request) == ""
    assert write.item_key == KEY


@pytest.mark.parametrize(
    "put",
    [
        lambda: Put(order()).when(F.total > 5).if_absent(),
        lambda: Put(order()).if_absent().when(F.total > 5),
        lambda: Put(order()).if_absent().when(F.total.missing()).when(F.total == 0),
    ],
)
def test_a_creation_with_a_condition_that_never_holds_raises(put: Callable[[], Any]) -> None:
    with pytest.raises(
        InvalidValue, match=r"condition .*total .* is false if there is no item yet"
    ) as caught:
        put()

    assert caught.value.code == "write-absent-condition"


@pytest.mark.parametrize(
    "write",
    [
        Put(order()),
        Put(order()).when(F.total > 5),
        Order.primary.delete(id="7"),
        Order.primary.check(id="7"),
        Order.primary.update(id="7").set(total=5),
    ],
    ids=lambda write: write.kind,
)
def test_a_condition_of_none_raises(write: Any) -> None:
    """A variable that was not filled would let every item pass."""
    with pytest.raises(ExpressionMisuse, match="None is not a condition") as caught:
        write.when(None)

    assert caught.value.code == "filter-not-a-condition"


@pytest.mark.parametrize("verb", ["delete", "check"])
def test_a_missing_part_of_the_key_raises(verb: str) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "key-missing-part"),
        ({"di": "7"}, "key-unknown-part"),
        ({"id": gt("7")}, "plan-get-operator"),
    ]
    for given, code in cases:
        with pytest.raises(PkskError) as caught:
            getattr(Order.primary, verb)(**given)
        assert caught.value.code == code


def test_parts_of_a_key_pass_the_validators_of_their_fields() -> None:
    class Line(Entity, table=Table("lines")):
        order: str
        n: int
        primary = Key("ORDER#{order}", "{n:03d}")

    assert Line.primary.delete(order="7", n="5").item_key["sk"] == {"S": "005"}


def test_a_put_of_a_class_without_a_table_raises() -> None:
    class Loose(Entity):
        id: str

    with pytest.raises(PkskError) as caught:
        Put(Loose(id="7"))

    assert caught.value.code == "write-no-table"


class Model(BaseModel):
    id: str = "7"


@pytest.mark.parametrize(
    ("given", "problem", "fix"),
    [
        (Order, "is a class", "write Put(Order(...))."),
        ({"id": "7"}, "is not an entity", "Put(Order(**values))"),
        (None, "None is not an entity", "Put(Order(**values))"),
        (Model(), "is not an entity", "declare class Model(Entity, table=...)."),
    ],
)
def test_a_put_of_a_value_that_is_not_an_entity_raises(given: Any, problem: str, fix: str) -> None:
    with pytest.raises(PkskError) as caught:
        Put(given)

    assert caught.value.code == "write-not-an-entity"
    assert problem in caught.value.problem
    assert fix in caught.value.fix
