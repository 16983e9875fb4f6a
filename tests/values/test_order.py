"""Sortable bytes: their order is the order of keys, and they read back."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.values import from_sortable, from_wire, sortable_bytes, sortable_number, sortable_wire, to_wire
from tests.values.strategies import BINARIES, INTS, NUMBERS, TEXTS

NEAR = st.integers(-3000, 3000).map(lambda n: Decimal(n) / 8)
ANY_NUMBER = st.one_of(NUMBERS, NEAR, INTS)


@given(ANY_NUMBER, ANY_NUMBER)
def test_numbers_are_ordered_as_their_bytes(one: Decimal, other: Decimal) -> None:
    assert (sortable_bytes(one) < sortable_bytes(other)) == (one < other)
    assert (sortable_bytes(one) == sortable_bytes(other)) == (one == other)


@given(NUMBERS, st.integers(0, 37))
def test_a_number_and_its_shortened_neighbour_are_ordered_as_their_bytes(
    number: Decimal, places: int
) -> None:
    sign, digits, exponent = number.as_tuple()
    kept = digits[: places + 1]
    scale = int(exponent) + len(digits) - len(kept)
    shorter = Decimal(f"{'-' if sign else ''}{''.join(map(str, kept))}E{scale}")

    assert (sortable_bytes(shorter) < sortable_bytes(number)) == (shorter < number)
    assert (sortable_bytes(shorter) == sortable_bytes(number)) == (shorter == number)


@given(ANY_NUMBER)
def test_a_number_is_decoded_from_its_bytes(number: Decimal) -> None:
    data = sortable_bytes(number)

    assert len(data) <= 22
    assert from_sortable("N", data) == number
    assert sortable_number(str(number)) == data


@given(TEXTS, TEXTS)
def test_text_is_ordered_by_utf_8_and_decoded(one: str, other: str) -> None:
    assert (sortable_bytes(one) < sortable_bytes(other)) == (one.encode() < other.encode())
    assert from_sortable("S", sortable_bytes(one)) == one


@given(BINARIES)
def test_binary_is_its_own_order_and_decoded(data: bytes) -> None:
    assert sortable_bytes(data) == sortable_bytes(bytearray(data)) == sortable_bytes(memoryview(data)) == data
    assert from_sortable("B", data) == data


@given(st.one_of(TEXTS, ANY_NUMBER, BINARIES))
def test_a_wire_value_has_the_bytes_of_its_python_value(value: Any) -> None:
    assert sortable_wire(to_wire(value)) == sortable_bytes(from_wire(to_wire(value)))


SORTED = [
    "-9.99e125",
    *("-1e125", "-100", "-99", "-12.5", "-12.41", "-12.4", "-12", "-1.000001", "-1", "-0.5", "-1e-130"),
    *("0", "1e-130", "0.5", "0.55", "1", "1.000001", "1.1", "2", "9", "9.5", "10", "10.01", "100", "1e125"),
]


def test_a_list_of_boundary_numbers_is_ordered_by_bytes() -> None:
    ladder = [sortable_number(text) for text in SORTED]

    assert ladder == sorted(ladder)
    assert len(set(ladder)) == len(ladder)


def test_the_longest_number_takes_22_bytes() -> None:
    assert len(sortable_bytes(Decimal("-" + "1." + "1" * 37))) == 22
    assert len(sortable_bytes(0)) == 1


def test_equal_numbers_give_equal_bytes() -> None:
    texts = ["1500", "1.5e3", "+1500.00", "01500", "150e1"]

    assert {sortable_number(text) for text in texts} == {sortable_bytes(1500)}
    assert sortable_bytes(Decimal("-0.0")) == sortable_bytes(0)


@pytest.mark.parametrize("value", [True, None, 1.5, [1], {"a"}, {}])
def test_values_that_cannot_be_keys_have_no_order(value: Any) -> None:
    with pytest.raises(InvalidValue) as raised:
        sortable_bytes(value)

    assert raised.value.code == "value-not-a-key"


REFUSED_WIRE: list[tuple[Any, str]] = [
    ({"BOOL": True}, "value-not-a-key"),
    ({"L": []}, "value-not-a-key"),
    ({"S": 1}, "value-wire-content"),
    ({"N": "x"}, "value-not-a-number"),
    ({"N": 5}, "value-wire-content"),
    ({"B": "?"}, "value-wire-base64"),
    ({"S": chr(0xD800)}, "value-surrogate"),
    ({"S": "a", "N": "1"}, "value-wire-shape"),
    (5, "value-wire-shape"),
]


@pytest.mark.parametrize(("wire", "code"), REFUSED_WIRE)
def test_a_wire_value_that_cannot_be_a_key_raises(wire: Any, code: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        sortable_wire(wire)

    assert raised.value.code == code


def test_a_lone_surrogate_and_a_number_out_of_range_raise() -> None:
    with pytest.raises(InvalidValue, match="surrogate"):
        sortable_bytes(chr(0xD800))
    with pytest.raises(InvalidValue, match="overflow"):
        sortable_bytes(10**126)
    with pytest.raises(InvalidValue, match="finite"):
        sortable_bytes(Decimal("NaN"))


PAIRS = st.text("0123456789", max_size=4).map(lambda digits: bytes.fromhex(digits[: len(digits) // 2 * 2]))
NUMBER_LIKE = st.tuples(st.sampled_from([b"\x00", b"\x01", b"\x02", b"\x03"]), st.binary(max_size=1), PAIRS)


@given(NUMBER_LIKE.map(b"".join), st.sampled_from([b"", b"\xff"]))
def test_only_bytes_written_by_sortable_are_decoded_as_a_number(head: bytes, tail: bytes) -> None:
    with suppress(InvalidValue):
        number = from_sortable("N", head + tail)
        assert sortable_bytes(number) == head + tail


@pytest.mark.parametrize(
    "data", [b"", b"\x02", b"\x02\x82", b"\x02\x82\x0a", b"\x02\x82\x10\x00", b"\x03\x82\x10"]
)
def test_bytes_that_are_not_a_number_raise(data: bytes) -> None:
    with pytest.raises(InvalidValue, match="not the sortable bytes"):
        from_sortable("N", data)


def test_bytes_that_are_not_text_raise() -> None:
    with pytest.raises(InvalidValue, match="not the sortable bytes"):
        from_sortable("S", b"\xff")
