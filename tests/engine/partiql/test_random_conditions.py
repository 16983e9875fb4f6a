"""Random conditions and updates in PartiQL mean the same as in the other operations."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine import reference
from tests.engine.expression_text import Case
from tests.engine.random_expressions import condition_cases, update_cases

from .statement_writer import StatementWriter, is_written

LONG = bool(os.environ.get("PKSK_LONG"))
EXAMPLES = settings(max_examples=5000 if LONG else 40)
KEY = {"pk": {"S": "k"}}
TABLE = {"TableName": "things"}
UNITS = {"ReturnConsumedCapacity": "TOTAL"}


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


def put(engine: Engine, case: Case) -> None:
    engine.call("PutItem", {**TABLE, "Item": KEY | case.item})


def execute(engine: Engine, statement: str, parameters: list[Any], **members: Any) -> Any:
    request = {"Statement": statement, **members} | ({"Parameters": parameters} if parameters else {})
    return engine.call("ExecuteStatement", request)


@given(condition_cases(), st.data())
@EXAMPLES
def test_a_select_returns_what_a_scan_with_that_filter_does(
    engine: Engine, case: Case, data: st.DataObject
) -> None:
    put(engine, case)
    writer = StatementWriter(data.draw)
    statement = f"SELECT * FROM things WHERE {writer.condition(case.tree)}"

    answer = execute(engine, statement, writer.parameters, **UNITS)
    scanned = engine.call("Scan", {**TABLE, **case.parameters("FilterExpression"), **UNITS})

    event(f"found {len(scanned['Items'])}")
    assert answer == {"Items": scanned["Items"], "ConsumedCapacity": scanned["ConsumedCapacity"]}


@given(condition_cases(), st.data())
@EXAMPLES
def test_a_delete_fails_exactly_if_its_condition_does(
    engine: Engine, case: Case, data: st.DataObject
) -> None:
    put(engine, case)
    writer = StatementWriter(data.draw)
    condition = writer.condition(case.tree)
    statement = f"DELETE FROM things WHERE ({condition}) AND pk = 'k' RETURNING ALL OLD *"

    try:
        done = "deleted" if execute(engine, statement, writer.parameters)["Items"] else "nothing"
    except ServiceError as error:
        done = error.code

    holds = reference.holds(case.tree, KEY | case.item)
    assert done == ("deleted" if holds else "ConditionalCheckFailedException")


@given(update_cases(), st.data())
@EXAMPLES
def test_an_update_applies_its_actions(engine: Engine, case: Case, data: st.DataObject) -> None:
    actions = [action for action in case.tree if is_written(action)]
    assume(actions)
    put(engine, case)
    writer = StatementWriter(data.draw)
    clauses = " ".join(map(writer.action, actions))
    statement = f"UPDATE things {clauses} WHERE pk = 'k' RETURNING ALL NEW *"

    try:
        made = execute(engine, statement, writer.parameters)["Items"][0]
    except ServiceError as error:
        made = error.message
    expected = updated(actions, KEY | case.item)
    event("error_of" if isinstance(made, str) else "updated")
    if isinstance(expected, dict) and isinstance(made, dict):
        assert reference.plain({"M": made}) == reference.plain({"M": expected})
    else:
        assert made in expected


def updated(actions: list[Any], item: dict[str, Any]) -> Any:
    """The item after some actions, or the possible messages of an error."""
    try:
        return reference.updated(actions, item)
    except reference.Refused as raised:
        return raised.texts
