"""UpdateItem: update expressions."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import KEY, PREFIX, Item, Items, nested

INVALID_PATH = "The document path provided in the update expression is invalid for update"
NO_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"


def s(text: str) -> Item:
    return {"S": text}


def n(number: str) -> Item:
    return {"N": number}


def l(*texts: str) -> Item:  # noqa: E743 - the name that DynamoDB gives to lists
    return {"L": [s(text) for text in texts]}


STORED: Item = {
    **KEY,
    "n": n("5"),
    "s": s("x"),
    "l": l("a", "b", "c"),
    "m": {"M": {"x": n("1"), "l": l("p"), "ss": {"SS": ["a", "b"]}}},
    "ss": {"SS": ["a", "b"]},
    "lots": {"L": [{"NS": ["1"]}, {"NS": ["2"]}]},
}


def made(expression: str, item: Item | None = None, **values: Any) -> Item | None:
    """The item after an update: of the one given, or of the stored one."""
    items = Items()
    if item is not None:
        items.put({**KEY, **item})
    items.update(expression, **values)
    return items.get()


def changed(expression: str, **values: Any) -> Item:
    """The attributes of the stored item that an update changes; None for those that are gone."""
    after = made(expression, STORED, **values)
    assert after is not None
    names = STORED.keys() | after.keys()
    return {name: after.get(name) for name in names if after.get(name) != STORED.get(name)}


def error_of(expression: str, item: Item | None = None, **values: Any) -> str:
    items = Items()
    stored = STORED if item is None else {**KEY, **item}
    items.put(stored)
    request = {"ExpressionAttributeValues": {f":{name}": value for name, value in values.items()}}
    message = items.invalid("UpdateItem", Key=KEY, UpdateExpression=expression, **(request if values else {}))
    assert items.get() == stored
    return message


# SET.


@pytest.mark.parametrize(
    ("expression", "values", "changes"),
    [
        ("SET n = :v", {"v": s("y")}, {"n": s("y")}),
        ("SET a = :v, b = n", {"v": n("1")}, {"a": n("1"), "b": n("5")}),
        ("SET n = :v, b = n", {"v": n("1")}, {"n": n("1"), "b": n("5")}),
        ("SET s = n, n = s", {}, {"s": n("5"), "n": s("x")}),
        ("SET n = n + :v", {"v": n("0.5")}, {"n": n("5.5")}),
        ("SET n = n - :v", {"v": n("7")}, {"n": n("-2")}),
        ("SET n = :v - n", {"v": n("7")}, {"n": n("2")}),
        ("SET n = (n + n)", {}, {"n": n("10")}),
        ("SET n = n - n", {}, {"n": n("0")}),
        ("SET n = n + m.x", {}, {"n": n("6")}),
        ("SET a = if_not_exists(n, :v)", {"v": n("1")}, {"a": n("5")}),
        ("SET a = if_not_exists(a, :v)", {"v": n("1")}, {"a": n("1")}),
        ("SET a = if_not_exists(m.y, s)", {}, {"a": s("x")}),
        ("SET a = if_not_exists(a, :v) + :v", {"v": n("1")}, {"a": n("2")}),
        ("SET a = if_not_exists(a, if_not_exists(n, :v))", {"v": n("1")}, {"a": n("5")}),
        ("SET l = list_append(l, :v)", {"v": l("d")}, {"l": l("a", "b", "c", "d")}),
        ("SET l = list_append(:v, l)", {"v": l("d")}, {"l": l("d", "a", "b", "c")}),
        ("SET a = list_append(if_not_exists(a, :v), m.l)", {"v": l()}, {"a": l("p")}),
        ("SET l[1] = :v", {"v": s("B")}, {"l": l("a", "B", "c")}),
        ("SET l[9] = :v", {"v": s("d")}, {"l": l("a", "b", "c", "d")}),
        ("SET l[2000000000] = :v", {"v": s("d")}, {"l": l("a", "b", "c", "d")}),
        ("SET l[8] = :v, l[5] = :w", {"v": s("e"), "w": s("d")}, {"l": l("a", "b", "c", "d", "e")}),
        ("SET l[0] = l[2], l[2] = l[0]", {}, {"l": l("c", "b", "a")}),
        ("SET m.x = :v", {"v": n("2")}, {"m": {"M": {**STORED["m"]["M"], "x": n("2")}}}),
        ("SET m.y = n", {}, {"m": {"M": {**STORED["m"]["M"], "y": n("5")}}}),
        ("SET m.l[0] = :v", {"v": n("2")}, {"m": {"M": {**STORED["m"]["M"], "l": {"L": [n("2")]}}}}),
        ("SET n = n", {}, {}),
    ],
)
def test_set_updates_attributes(expression: str, values: dict[str, Any], changes: Item) -> None:
    assert changed(expression, **values) == changes


@pytest.mark.parametrize(
    ("expression", "values", "message"),
    [
        ("SET a = b", {}, NO_ATTRIBUTE),
        ("SET a = n + b", {}, NO_ATTRIBUTE),
        ("SET a = l[7]", {}, NO_ATTRIBUTE),
        ("SET a = list_append(b, :v)", {"v": l()}, NO_ATTRIBUTE),
        ("SET a = s + :v", {"v": n("1")}, WRONG_TYPE),
        ("SET a = list_append(n, :v)", {"v": l()}, WRONG_TYPE),
        ("SET b.c = :v", {"v": n("1")}, INVALID_PATH),
        ("SET s.c = :v", {"v": n("1")}, INVALID_PATH),
        ("SET l.c = :v", {"v": n("1")}, INVALID_PATH),
        ("SET m[0] = :v", {"v": n("1")}, INVALID_PATH),
        ("SET m.y.z = :v", {"v": n("1")}, INVALID_PATH),
        ("SET l[9].a = :v", {"v": n("1")}, INVALID_PATH),
        ("SET n = :a + :b", {"a": n("9e125"), "b": n("9e125")}, OVERFLOW),
        ("SET n = :a - :b", {"a": n("1.1e-130"), "b": n("1e-130")}, UNDERFLOW),
        ("SET n = n + :v", {"v": n("1e-38")}, OVERFLOW),
        ("SET m.x = :v", {"v": nested(31)}, "Nesting Levels have exceeded supported limits"),
    ],
)
def test_errors_of_set_have_no_prefix(expression: str, values: dict[str, Any], message: str) -> None:
    assert error_of(expression, **values) == message


def test_an_update_can_nest_values_up_to_31_levels() -> None:
    assert changed("SET m.x = :v", v=nested(30))["m"]["M"]["x"] == nested(30)
    assert changed("SET a = :v", v=nested(31)) == {"a": nested(31)}


def test_a_number_keeps_38_digits_through_arithmetic() -> None:
    nines = "9" * 37

    assert made("SET a = a + :v", {"a": n(nines + "8")}, v=n("1")) == {**KEY, "a": n(nines + "9")}
    assert error_of("SET a = a + :v", {"a": n(nines + "9")}, v=n("2")) == OVERFLOW


# REMOVE.


@pytest.mark.parametrize(
    ("expression", "changes"),
    [
        ("REMOVE n, s", {"n": None, "s": None}),
        ("REMOVE a", {}),
        ("REMOVE l[0], l[1]", {"l": l("c")}),
        ("REMOVE l[1]", {"l": l("a", "c")}),
        ("REMOVE l[7]", {}),
        ("REMOVE l[0], l[1], l[2]", {"l": l()}),
        ("REMOVE m.x, m.l[0]", {"m": {"M": {"l": l(), "ss": {"SS": ["a", "b"]}}}}),
        ("REMOVE m.y", {}),
        ("REMOVE l[0] SET l[2] = n", {"l": {"L": [s("b"), n("5")]}}),
        ("REMOVE n SET a = n", {"n": None, "a": n("5")}),
    ],
)
def test_remove_deletes_attributes(expression: str, changes: Item) -> None:
    assert changed(expression) == changes


@pytest.mark.parametrize("path", ["b.c", "s.c", "l.c", "m[0]", "m.y.z"])
def test_removing_from_a_missing_map_fails(path: str) -> None:
    assert error_of(f"REMOVE {path}") == INVALID_PATH


# ADD.


@pytest.mark.parametrize(
    ("expression", "value", "changes"),
    [
        ("ADD n :v", n("-7"), {"n": n("-2")}),
        ("ADD a :v", n("3"), {"a": n("3")}),
        ("ADD ss :v", {"SS": ["c", "a"]}, {"ss": {"SS": ["a", "b", "c"]}}),
        ("ADD ss :v", {"SS": ["a"]}, {}),
        ("ADD a :v", {"BS": ["eQ==", "eA=="]}, {"a": {"BS": ["eA==", "eQ=="]}}),
        ("ADD m.x :v", n("1"), {"m": {"M": {**STORED["m"]["M"], "x": n("2")}}}),
        ("ADD lots[1] :v", {"NS": ["1.0"]}, {"lots": {"L": [{"NS": ["1"]}, {"NS": ["1", "2"]}]}}),
        ("ADD lots[9] :v", n("1"), {"lots": {"L": [{"NS": ["1"]}, {"NS": ["2"]}, n("1")]}}),
    ],
)
def test_add_adds_numbers_and_set_members(expression: str, value: Item, changes: Item) -> None:
    assert changed(expression, v=value) == changes


@pytest.mark.parametrize(
    ("expression", "value", "message"),
    [
        ("ADD s :v", n("1"), WRONG_TYPE),
        ("ADD n :v", {"NS": ["1"]}, WRONG_TYPE),
        ("ADD ss :v", {"NS": ["1"]}, WRONG_TYPE),
        ("ADD b.c :v", n("1"), INVALID_PATH),
        ("ADD n :v", n("1e-38"), OVERFLOW),
    ],
)
def test_errors_of_add_have_no_prefix(expression: str, value: Item, message: str) -> None:
    assert error_of(expression, v=value) == message


# DELETE.


@pytest.mark.parametrize(
    ("expression", "value", "changes"),
    [
        ("DELETE ss :v", {"SS": ["a", "z"]}, {"ss": {"SS": ["b"]}}),
        ("DELETE ss :v", {"SS": ["a", "b"]}, {"ss": None}),
        ("DELETE ss :v", {"SS": ["z"]}, {}),
        ("DELETE a :v", {"SS": ["z"]}, {}),
        ("DELETE m.ss :v", {"SS": ["a"]}, {"m": {"M": {**STORED["m"]["M"], "ss": {"SS": ["b"]}}}}),
        ("DELETE lots[0] :v", {"NS": ["1.0"]}, {"lots": {"L": [{"NS": ["2"]}]}}),
    ],
)
def test_delete_removes_set_members(expression: str, value: Item, changes: Item) -> None:
    assert changed(expression, v=value) == changes


@pytest.mark.parametrize(
    ("expression", "value", "message"),
    [
        ("DELETE s :v", {"SS": ["a"]}, WRONG_TYPE),
        ("DELETE ss :v", {"NS": ["1"]}, WRONG_TYPE),
        ("DELETE b.c :v", {"NS": ["1"]}, INVALID_PATH),
    ],
)
def test_errors_of_delete_have_no_prefix(expression: str, value: Item, message: str) -> None:
    assert error_of(expression, v=value) == message


# Items that are not there.


@pytest.mark.parametrize(
    ("expression", "values", "item"),
    [
        ("SET a = :v", {"v": n("1")}, {"a": n("1")}),
        ("SET a = if_not_exists(a, :v) + :v", {"v": n("1")}, {"a": n("2")}),
        ("ADD a :v", {"v": n("1")}, {"a": n("1")}),
        ("SET a = :v REMOVE b", {"v": n("1")}, {"a": n("1")}),
    ],
)
def test_an_update_creates_a_missing_item(expression: str, values: dict[str, Any], item: Item) -> None:
    assert made(expression, **values) == {**KEY, **item}


def test_an_update_without_an_expression_creates_an_item_with_only_its_key() -> None:
    items = Items()

    assert items.update(None, ReturnValues="ALL_NEW") == {"Attributes": KEY}
    assert items.get() == KEY


@pytest.mark.parametrize(("expression", "values"), [("REMOVE a", {}), ("DELETE a :v", {"v": {"SS": ["x"]}})])
def test_an_update_that_only_removes_does_not_create_an_item(expression: str, values: dict[str, Any]) -> None:
    items = Items()

    assert items.update(expression, ReturnValues="ALL_NEW", ReturnConsumedCapacity="TOTAL", **values) == {
        "ConsumedCapacity": {"TableName": "orders", "CapacityUnits": 1.0}
    }
    assert items.call("Scan")["Count"] == 0


@pytest.mark.every_transport
@pytest.mark.parametrize("expression", ["REMOVE a.b", "REMOVE a[0]", "REMOVE a.b, c[1].d"])
def test_removing_a_part_of_an_attribute_of_a_missing_item_is_ignored(expression: str) -> None:
    items = Items()

    assert items.update(expression, ReturnValues="ALL_NEW") == {}
    assert items.call("Scan")["Count"] == 0
    items.update(f"SET x = :v {expression}", v=n("1"))
    assert items.get() == {**KEY, "x": n("1")}
    assert items.invalid("UpdateItem", Key=KEY, UpdateExpression=expression) == INVALID_PATH


@pytest.mark.every_transport
@pytest.mark.parametrize(
    ("expression", "values", "message"),
    [
        ("SET a.b = :v", {"v": n("1")}, INVALID_PATH),
        ("SET a[0] = :v", {"v": n("1")}, INVALID_PATH),
        ("SET a.b = :v REMOVE a.c", {"v": n("1")}, INVALID_PATH),
        ("ADD a.b :v", {"v": n("1")}, INVALID_PATH),
        ("SET a = b", {}, NO_ATTRIBUTE),
    ],
)
def test_changing_a_part_of_an_attribute_of_a_missing_item_fails(
    expression: str, values: dict[str, Any], message: str
) -> None:
    items = Items()

    with pytest.raises(ServiceError) as caught:
        items.update(expression, **values)

    assert (caught.value.message, items.call("Scan")["Count"]) == (message, 0)


@pytest.mark.every_transport
@pytest.mark.parametrize(
    ("expression", "one", "two"),
    [
        ("SET a = :one - :two", "1e50", "1"),
        ("SET a = :one + :two", "1e50", "1"),
        ("SET a = :one ADD b :two", "1e50", "1"),
        ("SET a = :one + :two", "1", "1e-38"),
    ],
)
def test_a_sum_with_more_than_38_digits_is_an_overflow(expression: str, one: str, two: str) -> None:
    before = {"b": n("1" + "0" * 50)}

    assert error_of(expression, before, one=n(one), two=n(two)) == OVERFLOW


def test_an_invalid_update_is_reported_only_if_its_condition_is_true() -> None:
    items = Items()
    error = items.error_of(
        "UpdateItem", Key=KEY, UpdateExpression="SET a = b", ConditionExpression="attribute_exists(pk)"
    )

    assert error[0] == "ConditionalCheckFailedException"


def test_names_are_resolved_in_every_part_of_an_expression() -> None:
    items = Items()
    items.put({**KEY, "a.b": {"M": {"status": n("1")}}})
    items.call(
        "UpdateItem",
        Key=KEY,
        UpdateExpression="SET #d.#s = #d.#s + :one",
        ConditionExpression="#d.#s = :one",
        ExpressionAttributeNames={"#d": "a.b", "#s": "status"},
        ExpressionAttributeValues={":one": n("1")},
    )

    assert items.get() == {**KEY, "a.b": {"M": {"status": n("2")}}}


def test_the_error_about_a_reserved_word_has_the_prefix() -> None:
    assert error_of("SET status = :v", v=n("1")) == (
        f"{PREFIX}Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status"
    )
