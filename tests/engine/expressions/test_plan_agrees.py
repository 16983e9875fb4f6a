"""Plans of expressions accept, reject and evaluate exactly like the path with all checks."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine.expressions.parameters import QUERY, SCAN, UPDATE_ITEM, Expressions, Parameters
from pksk.engine.expressions.read_expressions import read_expressions, read_with_all_checks
from pksk.expressions import Placeholders, render
from pksk.values import to_wire
from tests.expressions import model
from tests.expressions.strategies import CONDITIONS, INNER, ITEMS, UPDATES

TEXTS = st.sampled_from(
    [
        "a < :a",
        "a BETWEEN :a AND :b",
        ":a BETWEEN b AND :b",
        "a BETWEEN :a AND size(b)",
        "begins_with(a, :a)",
        "begins_with(:a, :b)",
        "contains(:a, :b)",
        "contains(a, :a) OR NOT a IN (:b, c)",
        "size(:a) > :b",
        "attribute_type(a, :a)",
        "a = :a AND b <> :b",
        ":a > size(b)",
    ]
)
UPDATE_TEXTS = st.sampled_from(
    [
        "SET x = :a, y = list_append(:b, z)",
        "SET x = :a + y, y = if_not_exists(z, :b)",
        "SET x = list_append(if_not_exists(y, :a), :b)",
        "ADD x :a DELETE y :b",
        "ADD x :a, y :b",
        "SET x = :a - :b",
    ]
)
KEY_TEXTS = st.sampled_from(
    ["pk = :a", "pk = :a AND sk > :b", "pk = :a AND begins_with(sk, :b)", "sk BETWEEN :a AND :b AND pk = :a"]
)
VALUES = st.fixed_dictionaries(
    {":a": INNER.map(to_wire)}, optional={":b": st.one_of(INNER.map(to_wire), st.just({"S": "NULL"}))}
)


def read_anew(request: dict[str, Any], parameters: Parameters) -> Expressions:
    return read_with_all_checks(request, parameters, lambda _: None)[0]


def outcome(read: Any, request: dict[str, Any], parameters: Parameters) -> Any:
    try:
        found = read(request, parameters)
    except ServiceError as fault:
        return type(fault), fault.message
    return found.update, found.key_parts


@settings(max_examples=max(60, settings().max_examples))
@given(
    st.one_of(
        st.tuples(st.just(SCAN), st.just("FilterExpression"), TEXTS),
        st.tuples(st.just(UPDATE_ITEM), st.just("UpdateExpression"), UPDATE_TEXTS),
        st.tuples(st.just(QUERY), st.just("KeyConditionExpression"), KEY_TEXTS),
    ),
    VALUES,
)
def test_plans_accept_and_reject_the_same_requests_as_all_checks(
    case: tuple[Parameters, str, str], values: Any
) -> None:
    parameters, parameter, text = case
    request = {parameter: text, "ExpressionAttributeValues": values}

    assert outcome(read_expressions, request, parameters) == outcome(read_anew, request, parameters)


@given(CONDITIONS, st.lists(ITEMS, min_size=1, max_size=3))
def test_a_compiled_filter_agrees_with_the_naive_evaluator(condition: Any, items: Any) -> None:
    placeholders = Placeholders()
    request: dict[str, Any] = {"FilterExpression": render(condition, placeholders).text}
    if placeholders.names:
        request["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        request["ExpressionAttributeValues"] = placeholders.values
    found = read_expressions(request, SCAN).filter
    assert found is not None

    assert [found.test(item) for item in items] == [model.holds(condition, item) for item in items]


@given(UPDATES)
def test_an_update_is_parsed_back_from_its_text(update: Any) -> None:
    placeholders = Placeholders()
    request: dict[str, Any] = {"UpdateExpression": render(update, placeholders).text}
    if placeholders.names:
        request["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        request["ExpressionAttributeValues"] = placeholders.values

    assert read_expressions(request, UPDATE_ITEM).update == read_anew(request, UPDATE_ITEM).update


_TOKENS = [
    *("a", "b", "#a", "#b", ":a", ":b", "(", ")", ",", ".", "[0]", "[9]", "=", "<>", "<", "<=", "+", "-"),
    *("AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE", "size(", "contains("),
    *("attribute_exists(", "begins_with(", "if_not_exists(", "list_append(", "é", "\ud800"),
]


@given(
    st.sampled_from([SCAN, QUERY, UPDATE_ITEM]),
    st.lists(st.sampled_from(_TOKENS), max_size=12).map(" ".join),
    st.dictionaries(st.sampled_from(["#a", "#b", "a", ""]), st.sampled_from(["x", "", "\ud800"])),
    st.dictionaries(st.sampled_from([":a", ":b", ":", ""]), INNER.map(to_wire)),
)
def test_any_expression_is_parsed_or_rejected(
    parameters: Parameters, text: str, names: Any, values: Any
) -> None:
    for parameter in parameters.expressions:
        for request in (
            {parameter: text},
            {parameter: text, "ExpressionAttributeNames": names, "ExpressionAttributeValues": values},
        ):
            assert outcome(read_expressions, request, parameters) == outcome(read_anew, request, parameters)
