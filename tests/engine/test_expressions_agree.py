"""Random expressions agree with the reference, on items with every type."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import event, given, settings

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.request import check_item, check_value
from pksk.errors import ExpressionError
from pksk.expressions import apply, evaluate, parse_condition, parse_update
from pksk.values import InvalidNumber
from tests.engine import reference
from tests.engine.expression_text import Case
from tests.engine.random_expressions import condition_cases, update_cases
from tests.engine.random_items import KINDS, items

KEY = {"pk": {"S": "k"}}
TABLE = {"TableName": "things"}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine.open() as opened:
        opened.call(
            "CreateTable",
            TABLE
            | {
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield opened


def stored(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values and item as an operation gives them to expressions."""
    return {name: check_value(wire) for name, wire in case.values.items()}, check_item(case.item)[0]


def applied(case: Case) -> Any:
    """The item after the update, or the message of its error."""
    values, item = stored(case)
    before = deepcopy(item)
    try:
        return apply(parse_update(case.text, case.names, values), item)
    except (ExpressionError, InvalidNumber) as raised:
        return raised.service_message
    finally:
        assert item == before


def answer_or_error(engine: Engine, operation: str, **members: Any) -> Any:
    """The response, or the code and message of the error."""
    try:
        return engine.call(operation, TABLE | members)
    except ServiceError as raised:
        return raised.code, raised.message


def check_update(case: Case, made: Any) -> None:
    """Assert that an item or an error message equals that of the reference."""
    try:
        expected = reference.updated(case.tree, case.item)
    except reference.Refused as raised:
        event(f"rejected: {sorted(raised.texts)[0]}")
        if made not in raised.texts:
            raise
        return
    event("updated")
    assert isinstance(made, dict), made
    assert reference.plain({"M": made}) == reference.plain({"M": expected})


@settings(max_examples=10)
@given(items())
def test_each_item_has_an_attribute_of_every_type(item: Any) -> None:
    assert {kind for wire in item.values() for kind in wire} == set(KINDS)


@given(condition_cases())
def test_a_condition_agrees_with_the_reference(case: Case) -> None:
    values, item = stored(case)
    expected = reference.holds(case.tree, case.item)
    event(f"{case.tree[0]}: {expected}")

    assert evaluate(parse_condition(case.text, case.names, values), item) is expected


@given(update_cases())
def test_an_update_agrees_with_the_reference_in_result_or_message(case: Case) -> None:
    check_update(case, applied(case))


@pytest.mark.parametrize("number", ["5", "0.5", "1E-130", "1.60513E-129", "9.99E+125"])
def test_a_number_less_itself_is_zero_however_small_it_is(number: str) -> None:
    difference = ("-", ("path", "n"), ("path", "n"))
    case = Case([("SET", ("path", "z"), difference)], "SET z = n - n", {}, {}, {"n": {"N": number}})

    assert applied(case)["z"] == {"N": "0"}


@given(case=condition_cases())
def test_filters_and_conditional_writes_agree_with_the_reference(engine: Engine, case: Case) -> None:
    expected = reference.holds(case.tree, case.item)
    engine.call("PutItem", TABLE | {"Item": KEY | case.item})

    assert answer_or_error(engine, "Scan", **case.parameters("FilterExpression"))["Count"] == expected
    written = answer_or_error(engine, "PutItem", Item=KEY, **case.parameters("ConditionExpression"))
    failed = ("ConditionalCheckFailedException", "The conditional request failed")
    assert written == ({} if expected else failed)


@given(case=update_cases())
def test_the_engine_updates_as_the_reference_does(engine: Engine, case: Case) -> None:
    engine.call("PutItem", TABLE | {"Item": KEY | case.item})
    answer = answer_or_error(
        engine, "UpdateItem", Key=KEY, ReturnValues="ALL_NEW", **case.parameters("UpdateExpression")
    )
    item = engine.call("GetItem", TABLE | {"Key": KEY})["Item"]

    if isinstance(answer, dict):
        assert answer["Attributes"] == item
    else:
        assert item == check_item(KEY | case.item)[0]
    del item["pk"]
    check_update(case, item if isinstance(answer, dict) else answer[1])
