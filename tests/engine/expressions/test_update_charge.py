"""The bytes that UpdateItem charges for a request, as measured on AWS."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pksk.engine.expressions.parameters import UPDATE_ITEM
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.expressions.updates import update_charge

VALUES: dict[str, Any] = {
    ":s": {"S": "x" * 100},
    ":n": {"N": "42"},
    ":l": {"L": [{"S": "abc"}]},
    ":ss": {"SS": ["aa", "bb"]},
}
# A list is 3 bytes, and each element 1 and its own; 42 is 2 bytes.
LIST = 3 + 1 + 3


@pytest.mark.parametrize(
    ("text", "charge"),
    [
        ("SET a = :s", 19 + 1 + 100),
        ("SET a = :s, bc = :s", 19 + 1 + 100 + 19 + 2 + 100),
        ("SET a.bcd[12] = :s", 19 + 1 + (4 + 3) + (4 + 2) + 100),
        ("SET #u = :n", 19 + 3 + 2),
        ("SET a = b", 19 + 1 + 1 + (14 + 1)),
        ("SET a = b.cd[3]", 19 + 1 + 1 + (14 + 1) + (14 + 2) + (14 + 1)),
        ("SET a = b + :n", 19 + 1 + 34 + (1 + 14 + 1) + 2),
        ("SET a = (:n - b)", 19 + 1 + 37 + 2 + (1 + 14 + 1)),
        ("SET a = if_not_exists(b, :s)", 19 + 1 + 39 + (1 + 14 + 1) + 100),
        ("SET a = list_append(:l, b)", 19 + 1 + 37 + LIST + (1 + 14 + 1)),
        (
            "SET a = list_append(if_not_exists(b, :l), :l)",
            19 + 1 + 37 + (39 + (1 + 14 + 1) + LIST) + LIST,
        ),
        ("ADD a :ss", 19 + 1 + 4),
        ("ADD abc :n", 19 + 3 + 2),
        ("DELETE a.b :ss", 1 + 1 + (4 + 1)),
        ("REMOVE a, l[10]", 1 + 1 + 1 + 1 + (4 + 2)),
        ("SET a = :n REMOVE b", 19 + 1 + 2 + 1 + 1),
    ],
)
def test_each_clause_and_each_operand_is_charged(text: str, charge: int) -> None:
    request: dict[str, Any] = {"UpdateExpression": text, "ConditionExpression": "attribute_exists(zzz)"}
    used = {name: VALUES[name] for name in re.findall(r":\w+", text)}
    if used:
        request["ExpressionAttributeValues"] = used
    if "#u" in text:
        request["ExpressionAttributeNames"] = {"#u": "é1"}
    update = read_expressions(request, UPDATE_ITEM).update

    assert update is not None
    assert update_charge(update) == 3 + charge


def test_a_legacy_update_is_not_charged() -> None:
    request = {"AttributeUpdates": {"a": {"Value": {"S": "x" * 1000}}}}
    update = read_expressions(request, UPDATE_ITEM).update

    assert update is not None
    assert update_charge(update) == 0
