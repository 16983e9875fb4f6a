"""Cached plans of expressions contain no values, and their number is limited."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from pksk.engine.expressions.parameters import GET_ITEM, QUERY, SCAN, UPDATE_ITEM, Expressions, Parameters
from pksk.engine.expressions.read_expressions import read_expressions

VALUES = "ExpressionAttributeValues"


class Kept(dict[str, Any]):
    """A value that can be watched."""


@pytest.mark.parametrize(
    ("parameters", "request_", "names"),
    [
        (QUERY, {"KeyConditionExpression": "pk = :a AND sk BETWEEN :a AND :b"}, "ab"),
        (SCAN, {"FilterExpression": "x < :a AND y IN (:a, :b) OR size(:a) > :b"}, "ab"),
        (SCAN, {"FilterExpression": "contains(x, :a) AND NOT (begins_with(y, :b) OR z = :b)"}, "ab"),
        (
            UPDATE_ITEM,
            {
                "UpdateExpression": "SET x = :a, y = list_append(:c, :c), z = z + :n ADD w :n",
                "ConditionExpression": "x <> :b",
            },
            "abcn",
        ),
    ],
)
def test_a_plan_keeps_no_values(parameters: Parameters, request_: dict[str, Any], names: str) -> None:
    kinds: dict[str, Any] = {"a": {"S": "x"}, "b": {"S": "y"}, "c": {"L": []}, "n": {"N": "1"}}
    values = {f":{name}": Kept(kinds[name]) for name in names}
    watched = [weakref.ref(value) for value in values.values()]
    read = read_expressions({**request_, VALUES: values}, parameters)
    for condition in (read.condition, read.filter):
        if condition is not None:
            condition.test({"x": {"S": "x"}})
    assert all(one() is not None for one in watched)

    del read, values, condition
    gc.collect()
    assert [one() for one in watched] == [None] * len(watched)


def _read(number: int, paths: int) -> Expressions:
    text = ", ".join(f"attribute_{number}_{position}" for position in range(paths))
    return read_expressions({"ProjectionExpression": text}, GET_ITEM)


def test_short_expressions_are_parsed_once() -> None:
    first = [_read(number, 1) for number in range(200)]

    assert all(one is _read(number, 1) for number, one in enumerate(first))


def test_few_plans_of_long_expressions_are_cached() -> None:
    first = [_read(number, 80) for number in range(200)]

    assert all(_read(number, 80) is first[number] for number in range(199, 140, -1))
    assert all(_read(number, 80) is not first[number] for number in range(100))
