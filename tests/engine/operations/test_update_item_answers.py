"""UpdateItem: what it answers, by ReturnValues and by ReturnValuesOnConditionCheckFailure."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from tests.engine.operations.items import KEY, Item, Items
from tests.engine.state.catalogues import ARN

STORED: Item = {
    **KEY,
    "n": {"N": "1"},
    "m": {"M": {"a": {"S": "x"}, "b": {"M": {"c": {"N": "2"}, "d": {"N": "3"}}}}},
    "l": {"L": [{"S": "zero"}, {"M": {"k": {"S": "one"}, "j": {"S": "1"}}}]},
    "ns": {"NS": ["1", "2"]},
}
NINE: Item = {"N": "9"}


def answered(returned: str, expression: str | None, **values: Any) -> Any:
    """The Attributes that are answered to an update of the stored item."""
    items = Items()
    items.put(STORED)
    return items.update(expression, ReturnValues=returned, **values).get("Attributes")


@pytest.mark.parametrize(
    ("expression", "old", "new"),
    [
        ("SET n = :v", {"n": {"N": "1"}}, {"n": NINE}),
        ("SET x = :v", None, {"x": NINE}),
        ("SET m.a = :v", {"m": {"M": {"a": {"S": "x"}}}}, {"m": {"M": {"a": NINE}}}),
        (
            "SET m.b.c = :v",
            {"m": {"M": {"b": {"M": {"c": {"N": "2"}}}}}},
            {"m": {"M": {"b": {"M": {"c": NINE}}}}},
        ),
        ("SET m.x = :v", None, {"m": {"M": {"x": NINE}}}),
        ("SET l[0] = :v", {"l": {"L": [{"S": "zero"}]}}, {"l": {"L": [NINE]}}),
        ("SET l[1].k = :v", {"l": {"L": [{"M": {"k": {"S": "one"}}}]}}, {"l": {"L": [{"M": {"k": NINE}}]}}),
        ("SET l[9] = :v", None, None),
        ("SET n = n + :v REMOVE m.a", {"n": {"N": "1"}, "m": {"M": {"a": {"S": "x"}}}}, {"n": {"N": "10"}}),
        ("ADD n :v", {"n": {"N": "1"}}, {"n": {"N": "10"}}),
        ("ADD ns :s", {"ns": {"NS": ["1", "2"]}}, {"ns": {"NS": ["1", "2", "9"]}}),
        ("DELETE ns :s", {"ns": {"NS": ["1", "2"]}}, {"ns": {"NS": ["1", "2"]}}),
        ("REMOVE n", {"n": {"N": "1"}}, None),
        ("REMOVE x", None, None),
    ],
)
def test_updated_returns_the_ends_of_the_paths_that_are_updated(
    expression: str, old: Item | None, new: Item | None
) -> None:
    values = {
        name: value for name, value in {"v": NINE, "s": {"NS": ["9"]}}.items() if f":{name}" in expression
    }

    assert answered("UPDATED_OLD", expression, **values) == old
    assert answered("UPDATED_NEW", expression, **values) == new


def test_all_returns_the_whole_item() -> None:
    assert answered("ALL_OLD", "SET n = :v", v=NINE) == STORED
    assert answered("ALL_NEW", "SET n = :v", v=NINE) == {**STORED, "n": NINE}
    assert answered("NONE", "SET n = :v", v=NINE) is None


def test_an_update_without_a_change_returns_values_as_any_other() -> None:
    assert answered("UPDATED_NEW", "SET n = :v", v={"N": "1.0"}) == {"n": {"N": "1"}}
    assert answered("ALL_NEW", None) == STORED
    assert answered("UPDATED_NEW", None) is None


@pytest.mark.parametrize(
    ("returned", "attributes"),
    [("ALL_OLD", None), ("UPDATED_OLD", None), ("ALL_NEW", {**KEY, "n": NINE}), ("UPDATED_NEW", {"n": NINE})],
)
def test_an_update_that_creates_an_item_has_no_old_values(returned: str, attributes: Item | None) -> None:
    answer = Items().update("SET n = :v", ReturnValues=returned, v=NINE)

    assert answer.get("Attributes") == attributes


def test_a_failed_condition_leaves_the_item_and_returns_it_where_it_is_requested() -> None:
    items = Items()
    items.put(STORED)

    with pytest.raises(ServiceError) as caught:
        items.update(
            "SET n = :v",
            v=NINE,
            ConditionExpression="n = :v",
            ReturnValues="ALL_NEW",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )

    assert (caught.value.code, caught.value.message) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
    )
    assert caught.value.fields == {"Item": STORED}
    assert items.get() == STORED


def test_a_condition_on_a_missing_item_sees_no_attributes() -> None:
    items = Items()
    error = items.error_of(
        "UpdateItem", Key=KEY, ConditionExpression="attribute_exists(pk)", UpdateExpression="REMOVE a"
    )

    assert error[0] == "ConditionalCheckFailedException"
    items.update("SET n = :v", v=NINE, ConditionExpression="attribute_not_exists(pk)")
    assert items.get() == {**KEY, "n": NINE}


def test_a_table_may_be_named_by_its_arn() -> None:
    items = Items()

    assert items.update("SET n = :v", v=NINE, TableName=ARN, ReturnConsumedCapacity="TOTAL") == {
        "ConsumedCapacity": {"TableName": ARN, "CapacityUnits": 1.0}
    }
    assert items.get() == {**KEY, "n": NINE}
