"""Sizes in bytes, compared with figures measured on AWS and with a second implementation."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from pksk.errors import InvalidValue
from pksk.values import item_size, item_to_wire, number_size, to_wire, value_size
from tests.values.strategies import ITEMS, NUMBERS, VALUES

# Found on the service by moving an item to the 400 KB limit byte by byte.
MEASURED = {
    "1": 2,
    "12": 2,
    "123": 3,
    "1234": 3,
    "12345": 4,
    "123456": 4,
    "1234567": 5,
    "12345678": 5,
    "123456789": 6,
    "1234567891": 6,
    "12345678912": 7,
    "123456789123": 7,
    "1234567890123456789": 11,
    "12345678901234567890123456789012345678": 20,
    "0042": 2,
    "100": 2,
    "1010": 3,
    "0.0000001": 2,
    "0": 1,
    "1E125": 2,
    "1E-100": 2,
    "1.5": 3,
    "1.2": 3,
    "1.200": 3,
    "1.234": 4,
    "3.14159": 5,
    "100.5": 4,
    "0.15": 2,
    "15": 2,
    "-42": 3,
    "-12345": 5,
    "-1E125": 3,
    "-0.15": 3,
    "-0": 1,
}


@pytest.mark.parametrize(("text", "size"), MEASURED.items())
def test_a_number_has_the_measured_size(text: str, size: int) -> None:
    assert number_size(text) == value_size({"N": text}) == size
    assert value_size({"NS": [text]}) == size


KNOWN: list[tuple[dict[str, Any], int]] = [
    ({"S": ""}, 0),
    ({"S": "abc"}, 3),
    ({"S": "é"}, 2),
    ({"S": "😀"}, 4),
    ({"B": ""}, 0),
    ({"B": "YQ=="}, 1),
    ({"B": "YWI="}, 2),
    ({"B": "YWJj"}, 3),
    ({"BOOL": False}, 1),
    ({"NULL": True}, 1),
    ({"L": []}, 3),
    ({"L": [{"S": "aa"}] * 500}, 3 + 500 * 3),
    ({"M": {}}, 3),
    ({"M": {"é": {"N": "1"}}}, 3 + 1 + 2 + 2),
    ({"SS": ["a", "éé"]}, 5),
    ({"NS": ["1", "1.5"]}, 5),
    ({"NS": ["1" * 38] * 100}, 2000),
    ({"BS": ["YQ==", "YWJj"]}, 4),
]


@pytest.mark.parametrize(("wire", "size"), KNOWN)
def test_a_value_has_the_documented_size(wire: dict[str, Any], size: int) -> None:
    assert value_size(wire) == size


def test_the_item_of_the_developer_guide_takes_23_bytes() -> None:
    assert item_size({"shirt-color": {"S": "R"}, "shirt-size": {"S": "M"}}) == 23


def test_an_empty_item_has_size_zero() -> None:
    assert item_size({}) == 0


def naive_number(number: Decimal) -> int:
    if number == 0:
        return 1
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    places = {len(digits) - 1 - i + exponent for i, digit in enumerate(digits) if digit}
    whole = max(0, max(places) - max(0, min(places)) + 1)
    fraction = max(0, min(-1, max(places)) - min(places) + 1)
    return 1 + -(-whole // 2) + -(-fraction // 2) + sign


def naive(wire: dict[str, Any]) -> int:
    """The same rules once more, slowly, one value at a time."""
    ((kind, inner),) = wire.items()
    if kind in {"BOOL", "NULL"}:
        return 1
    if kind == "L":
        return 3 + sum(1 + naive(element) for element in inner)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + naive(value) for name, value in inner.items())
    scalars: dict[str, Callable[[str], int]] = {
        "S": lambda text: len(text.encode()),
        "N": lambda text: naive_number(Decimal(text)),
        "B": lambda text: len(b64decode(text)),
    }
    scalar = scalars[kind[0]]
    return sum(map(scalar, inner)) if len(kind) == 2 else scalar(inner)


@given(VALUES)
def test_the_size_of_a_value_agrees_with_the_model(value: Any) -> None:
    assert value_size(to_wire(value)) == naive(to_wire(value))


@given(ITEMS)
def test_the_size_of_an_item_is_that_of_its_names_and_values(item: dict[str, Any]) -> None:
    wire = item_to_wire(item)

    assert item_size(wire) == sum(len(name.encode()) + naive(value) for name, value in wire.items())


@given(NUMBERS)
def test_no_number_takes_more_than_22_bytes(number: Decimal) -> None:
    assert 1 <= number_size(str(number)) <= 22


def test_the_size_of_a_value_does_not_depend_on_its_depth() -> None:
    wire: dict[str, Any] = {"S": "a"}
    for _ in range(100_000):
        wire = {"L": [wire]}

    assert value_size(wire) == 400_001


@pytest.mark.parametrize(
    "wire", [{}, {"S": 1}, {"N": 1}, {"X": 1}, {"B": b"raw"}, {"L": [{}]}, {"M": {"a": 1}}, 5]
)
def test_a_malformed_value_has_no_size(wire: Any) -> None:
    with pytest.raises(InvalidValue):
        value_size(wire)
    with pytest.raises(InvalidValue, match=r"^a"):
        item_size({"a": wire})


def test_only_an_item_has_a_size() -> None:
    with pytest.raises(InvalidValue, match="not an item"):
        item_size([])  # type: ignore[arg-type]
