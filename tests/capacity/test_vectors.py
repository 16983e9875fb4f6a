"""Vector indexes are billed by the bytes of the entries that a write changes."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.capacity import vector_entry_size, vector_write_bytes
from pksk.schema import Table, VectorIndex

notes = Table(
    "notes",
    indexes=[
        VectorIndex("near", attribute="v", dimensions=500, pk="tenant", filters=["lang"], projection="keys")
    ],
)
(near,) = notes.indexes
NOTE: dict[str, Any] = {
    "pk": {"S": "a"},
    "sk": {"S": "b"},
    "tenant": {"S": "t"},
    "v": {"L": [{"N": "0.5"}] * 500},
    "text": {"S": "x" * 500},
}
SIZE = 4 * 500 + len("v" + "pka" + "skb" + "tenantt")


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in NOTE.items() if key != name}


def test_an_entry_has_four_bytes_a_dimension_and_its_projected_attributes() -> None:
    assert isinstance(near, VectorIndex)
    assert vector_entry_size(near, NOTE) == SIZE
    assert vector_entry_size(near, NOTE | {"lang": {"S": "en"}}) == SIZE + len("langen")
    assert vector_entry_size(near, without("v")) is None
    assert vector_entry_size(near, without("tenant")) is None
    assert vector_entry_size(near, NOTE | {"v": {"L": [{"N": "1"}]}}) is None


CHANGES: dict[str, tuple[Any, Any, dict[str, int]]] = {
    "put": (None, NOTE, {"near": SIZE}),
    "delete": (NOTE, None, {"near": SIZE}),
    "the same again": (NOTE, NOTE, {}),
    "the same number, written otherwise": (NOTE, NOTE | {"v": {"L": [{"N": "0.50"}] * 500}}, {}),
    "outside of the projection": (NOTE, NOTE | {"text": {"S": "y"}}, {}),
    "another vector": (NOTE, NOTE | {"v": {"L": [{"N": "1"}] * 500}}, {"near": SIZE}),
    "leaves": (NOTE, without("v"), {"near": SIZE}),
    "in none": (None, without("v"), {}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_write_counts_the_entry_that_it_changes(name: str) -> None:
    before, after, expected = CHANGES[name]

    assert vector_write_bytes(notes, before, after) == expected


def test_a_small_entry_counts_a_kilobyte() -> None:
    small = Table("small", indexes=[VectorIndex("near", attribute="v", dimensions=3)])

    assert vector_write_bytes(small, None, {"pk": {"S": "a"}, "v": {"L": [{"N": "1"}] * 3}}) == {"near": 1024}
