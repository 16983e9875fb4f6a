"""UPDATED_OLD and UPDATED_NEW return exactly the updated attributes."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.engine.expressions.parameters import UPDATE_ITEM
from pksk.engine.expressions.read_expressions import read_expressions
from pksk.engine.expressions.updates import apply_update, updated_attributes
from pksk.expressions import parse_update
from pksk.values import from_wire, item_to_wire

OLD = {"a": 1, "m": {"x": 1, "y": {"z": 2, "w": 3}}, "l": [1, 2, {"k": 3, "j": 4}], "s": {"p", "q"}}


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("SET a = :one", {"a": 1}, {"a": 1}),
        ("SET b = :one", {}, {"b": 1}),
        ("SET m.x = :two", {"m": {"x": 1}}, {"m": {"x": 2}}),
        ("SET m.y.z = :one, m.x = :two", {"m": {"x": 1, "y": {"z": 2}}}, {"m": {"x": 2, "y": {"z": 1}}}),
        ("SET m.n = :one", {}, {"m": {"n": 1}}),
        ("SET l[2].k = :one, l[0] = :two", {"l": [1, {"k": 3}]}, {"l": [2, {"k": 1}]}),
        ("REMOVE a, m.x", {"a": 1, "m": {"x": 1}}, {}),
        ("ADD a :two", {"a": 1}, {"a": 3}),
        ("DELETE s :p", {"s": {"p", "q"}}, {"s": {"q"}}),
        ("REMOVE gone", {}, {}),
    ],
)
def test_an_expression_returns_the_ends_of_its_paths(text: str, old: Any, new: Any) -> None:
    update = parse_update(text, {}, item_to_wire({":one": 1, ":two": 2, ":p": {"p"}}))
    before = item_to_wire(OLD)
    after = apply_update(update, before)

    assert from_wire({"M": updated_attributes(update, before)}) == old
    assert from_wire({"M": updated_attributes(update, after)}) == new


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        # Both images are read at the same places.
        ("SET l[3] = :one", {}, {"l": [1]}),
        ("SET l[7] = :one", {}, {}),
        ("SET l[7] = :one, l[0] = :two", {"l": [1]}, {"l": [2]}),
        ("ADD l[7] :one", {}, {}),
        ("REMOVE l[0]", {"l": [1]}, {"l": [2]}),
        ("REMOVE l[2]", {"l": [{"k": 3, "j": 4}]}, {}),
        ("REMOVE l[0], l[1]", {"l": [1, 2]}, {"l": [{"k": 3, "j": 4}]}),
    ],
)
def test_a_list_index_counts_positions_in_the_returned_item(text: str, old: Any, new: Any) -> None:
    update = parse_update(text, {}, item_to_wire({":one": 1, ":two": 2}))
    before = item_to_wire(OLD)

    assert from_wire({"M": updated_attributes(update, before)}) == old
    assert from_wire({"M": updated_attributes(update, apply_update(update, before))}) == new


def test_a_legacy_update_returns_whole_attributes() -> None:
    request = {
        "AttributeUpdates": {
            "m": {"Value": {"M": {"x": {"N": "9"}}}},
            "a": {"Action": "DELETE"},
            "b": {"Action": "ADD", "Value": {"N": "5"}},
        }
    }
    update = read_expressions(request, UPDATE_ITEM).update
    assert update is not None
    before = item_to_wire(OLD)
    after = apply_update(update, before)

    assert from_wire({"M": updated_attributes(update, before)}) == {"m": OLD["m"], "a": 1}
    assert from_wire({"M": updated_attributes(update, after)}) == {"m": {"x": 9}, "b": 5}
