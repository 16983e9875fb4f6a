"""Values of requests are normalized, or rejected with DynamoDB's messages."""

from __future__ import annotations

from base64 import b64decode, b64encode
from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine.request import check_item, check_value
from pksk.engine.service_errors import InvalidRequest, with_older_wording
from pksk.expressions.compare import equal
from pksk.values import item_size, item_to_wire, to_wire, value_size
from tests.expressions.strategies import INNER
from tests.values.strategies import ITEMS, NAMES, TEXTS, VALUES

INVALID = "One or more parameter values were invalid: "
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
NUMERIC = "The parameter cannot be converted to a numeric value"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
DIGITS = "Attempting to store more than 38 significant digits in a Number"
NESTING = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


def deep(levels: int, *kinds: str) -> dict[str, Any]:
    """A string inside a number of lists and maps in alternation."""
    wire: dict[str, Any] = {"S": "x"}
    for level in range(levels):
        wire = {"L": [wire]} if kinds[level % len(kinds)] == "L" else {"M": {"k": wire}}
    return wire


# What is stored


@pytest.mark.parametrize(
    ("given_value", "stored"),
    [
        ({"S": ""}, {"S": ""}),
        ({"S": "größe"}, {"S": "größe"}),
        ({"N": "+1.50"}, {"N": "1.5"}),
        ({"N": "-0.0"}, {"N": "0"}),
        ({"N": "007"}, {"N": "7"}),
        ({"N": "0"}, {"N": "0"}),
        ({"N": "00"}, {"N": "0"}),
        ({"N": ".5"}, {"N": "0.5"}),
        ({"N": "5."}, {"N": "5"}),
        ({"N": "1.e5"}, {"N": "100000"}),
        ({"N": "1E-3"}, {"N": "0.001"}),
        ({"B": ""}, {"B": ""}),
        ({"BOOL": False}, {"BOOL": False}),
        ({"NULL": True}, {"NULL": True}),
        ({"SS": ["b", "", "a"]}, {"SS": ["", "a", "b"]}),
        ({"SS": ["\U0001f600", "\uffff", "z"]}, {"SS": ["z", "\uffff", "\U0001f600"]}),
        ({"NS": ["10", "9", "-1"]}, {"NS": ["-1", "9", "10"]}),
        ({"NS": ["2.50", "-3", "1e2"]}, {"NS": ["-3", "2.5", "100"]}),
        ({"BS": ["YQ==", "+A==", ""]}, {"BS": ["", "YQ==", "+A=="]}),
        ({"L": []}, {"L": []}),
        ({"M": {}}, {"M": {}}),
        ({"L": [{"N": "1.0"}, {"S": "x"}]}, {"L": [{"N": "1"}, {"S": "x"}]}),
        ({"M": {"a": {"L": [{"SS": ["y", "x"]}]}}}, {"M": {"a": {"L": [{"SS": ["x", "y"]}]}}}),
    ],
)
def test_values_are_normalized(given_value: Any, stored: Any) -> None:
    assert check_value(given_value) == stored
    assert check_item({"a": given_value}) == ({"a": stored}, 1 + value_size(stored))


def test_a_normal_value_is_returned_unchanged() -> None:
    item: Any = {
        "id": {"S": "a"},
        "n": {"N": "-1.5"},
        "s": {"NS": ["1", "2"]},
        "m": {"M": {"l": {"L": [{"N": "0"}]}}},
    }

    assert check_item(item)[0] is item
    assert check_value(item["m"]) is item["m"]


def test_names_keep_their_order_where_values_change() -> None:
    item, _ = check_item({"z": {"N": "1.0"}, "a": {"S": "x"}, "m": {"N": "2.0"}})

    assert list(item) == ["z", "a", "m"]


@pytest.mark.parametrize("kinds", ["M", "L", "ML"])
def test_maps_and_lists_of_31_levels_are_stored(kinds: str) -> None:
    assert check_value(deep(31, *kinds)) == deep(31, *kinds)


@pytest.mark.parametrize("levels", [0, 1, 32])
def test_the_maximum_depth_can_be_set(levels: int) -> None:
    assert check_value(deep(levels, "M"), levels) == deep(levels, "M")
    assert check_item({"a": deep(levels, "L")}, levels)[0] == {"a": deep(levels, "L")}
    for check in (check_value, lambda wire, levels: check_item({"a": wire}, levels)):
        with pytest.raises(InvalidRequest) as raised:
            check(deep(levels + 1, "M", "L"), levels)
        assert raised.value.message == NESTING


def test_a_name_of_65535_bytes_is_stored() -> None:
    name = "ß" * 32_767 + "x"

    assert check_item({name: {"S": ""}, "other": {"S": ""}})[1] == 65_540


# Invalid values


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ({"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
        ({"NS": []}, INVALID + "An number set  may not be empty"),
        ({"BS": []}, INVALID + "Binary sets should not be empty"),
        ({"SS": ["b", "a", "b"]}, INVALID + 'Input collection ["a", "b", "b"] contains duplicates.'),
        ({"SS": ["", ""]}, INVALID + 'Input collection ["", ""] contains duplicates.'),
        ({"NS": ["1", "1.0"]}, INVALID + "Input collection contains duplicates."),
        (
            {"BS": ["YQ==", "YQ=="]},
            INVALID + 'Input collection ["YQ==","YQ=="]of type BS contains duplicates.',
        ),
        ({"N": ""}, f"{NUMERIC}: "),
        ({"N": "abc"}, f"{NUMERIC}: abc"),
        ({"N": " 1"}, f"{NUMERIC}:  1"),
        ({"N": "1\n"}, f"{NUMERIC}: 1\n"),
        ({"N": "1+2"}, f"{NUMERIC}: 1+2"),
        ({"N": "1.2.3"}, f"{NUMERIC}: 1.2.3"),
        ({"N": "1_000"}, f"{NUMERIC}: 1_000"),
        ({"N": "+e2"}, f"{NUMERIC}: +e2"),
        ({"N": "1e"}, f"{NUMERIC}: 1e"),
        ({"N": "NaN"}, f"{NUMERIC}: NaN"),
        ({"N": "Infinity"}, f"{NUMERIC}: Infinity"),
        ({"N": "٣"}, f"{NUMERIC}: ٣"),
        ({"N": "²"}, f"{NUMERIC}: ²"),
        ({"N": "1e99999999999999999999"}, f"{NUMERIC}: 1e99999999999999999999"),
        ({"N": "1" * 39}, DIGITS),
        ({"N": "1." + "1" * 38}, DIGITS),
        ({"N": "1e126"}, OVERFLOW),
        ({"N": "-1e126"}, OVERFLOW),
        ({"N": "9" * 400}, OVERFLOW),
        ({"N": "0e126"}, OVERFLOW),
        ({"N": "1e9999999999"}, OVERFLOW),
        ({"N": "1e-131"}, UNDERFLOW),
        ({"N": "0e-131"}, UNDERFLOW),
        ({"NS": ["1", ""]}, f"{NUMERIC}: "),
        ({"NS": ["1", "1", "x"]}, f"{NUMERIC}: x"),
        ({"NS": ["1e126"]}, OVERFLOW),
        (deep(32, "M"), NESTING),
        (deep(32, "L"), NESTING),
        (deep(32, "M", "L"), NESTING),
        (deep(1_000, "L"), NESTING),
        ({"M": {"": {"S": "x"}}}, "Empty attribute name"),
        ({"L": [{"M": {"": {"S": "x"}}}]}, "Empty attribute name"),
        ({"M": {"x" * 65_536: {"S": "x"}}}, "Attribute name is too large, must be less than 65536 bytes"),
        ({"M": {"ß" * 32_768: {"S": "x"}}}, "Attribute name is too large, must be less than 65536 bytes"),
    ],
)
def test_an_invalid_value_is_rejected_at_any_depth(wire: Any, message: str) -> None:
    wraps = [wire] if message == NESTING else [wire, {"L": [wire]}, {"M": {"k": {"S": "x"}, "l": wire}}]

    for value in wraps:
        for check in (check_value, lambda value: check_item({"id": {"S": "a"}, "a": value})):
            with pytest.raises(InvalidRequest) as raised:
                check(value)
            assert (raised.value.code, raised.value.message) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ({}, EMPTY),
        ({"S": "a", "N": "1"}, SEVERAL),
        ({"L": [], "M": {}}, SEVERAL),
        ({"M": {"a": {}}}, EMPTY),
        ({"L": [{"S": "x"}, {"S": "x", "BOOL": True}]}, SEVERAL),
    ],
)
def test_a_value_with_no_type_or_several_is_rejected_without_prefix(wire: Any, message: str) -> None:
    with pytest.raises(ServiceError) as raised:
        check_item({"a": wire})
    assert (raised.value.code, raised.value.message) == ("ValidationException", message)
    assert not isinstance(raised.value, InvalidRequest)


@pytest.mark.parametrize(
    ("wire", "older"),
    [
        ({"SS": ["a", "b", "a"]}, INVALID + "Input collection [a, b, a] contains duplicates."),
        ({"BS": ["YQ==", "YQ=="]}, INVALID + "Input collection [YQ==, YQ==]of type BS contains duplicates."),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
        ({"N": ""}, NUMERIC),
        ({"N": "1e2147483647"}, UNDERFLOW),
        ({"N": "1e-2147483648"}, f"{NUMERIC}: 1e-2147483648"),
        ({"N": "1e126"}, OVERFLOW),
        ({"N": "0e126"}, OVERFLOW),
    ],
)
def test_the_older_layer_has_its_own_words(wire: Any, older: str) -> None:
    with pytest.raises(InvalidRequest) as raised:
        check_value({"L": [wire]})

    assert with_older_wording(raised.value).message == older
    assert isinstance(with_older_wording(raised.value), InvalidRequest)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"a": {"N": "x"}, "b": {}}, f"{NUMERIC}: x"),
        ({"a": {}, "b": {"N": "x"}}, EMPTY),
        (
            {"a": {"L": [{"NULL": False}]}, "b": {"SS": []}},
            INVALID + "Null attribute value types must have the value of true",
        ),
        ({"a": {"N": "x"}, "": {"S": "y"}}, f"{NUMERIC}: x"),
        ({"": {"S": "y"}, "a": {"N": "x"}}, "Empty attribute name"),
        ({"": {"N": "x"}}, "Empty attribute name"),
        ({"a": {"S": "", "N": ""}}, f"{NUMERIC}: "),
        ({"a": {"S": "a", "NS": ["b"]}}, f"{NUMERIC}: b"),
    ],
)
def test_the_first_of_several_errors_is_raised(item: Any, message: str) -> None:
    with pytest.raises(ServiceError) as raised:
        check_item(item)
    assert raised.value.message == message


@pytest.mark.parametrize(
    "item", [{"a": {"S": "\ud800"}}, {"\ud800": {"S": "a"}}, {"a": {"SS": ["\ud800", "b"]}}]
)
def test_text_that_utf8_cannot_encode_is_rejected(item: Any) -> None:
    with pytest.raises(ServiceError) as raised:
        check_item(item)
    assert raised.value.code == "SerializationException"


def test_many_long_names_at_every_level_are_checked_once() -> None:
    names = [f"{number}{'n' * 40_000}" for number in range(2)]
    wire: dict[str, Any] = {"S": "x"}
    for _ in range(31):
        wire = {"M": {name: wire if name == names[0] else {"S": ""} for name in names}}

    assert check_value(wire) is wire


# Properties


@st.composite
def spelled(draw: st.DrawFn, wire: dict[str, Any]) -> dict[str, Any]:
    """The same value written in another way: numbers with zeros and exponents, sets in any order."""
    ((kind, inner),) = wire.items()
    if kind == "N":
        return {"N": draw(spelled_number(inner))}
    if kind == "NS":
        return {"NS": [draw(spelled_number(text)) for text in draw(st.permutations(inner))]}
    if kind in {"SS", "BS"}:
        return {kind: draw(st.permutations(inner))}
    if kind == "L":
        return {"L": [draw(spelled(element)) for element in inner]}
    if kind == "M":
        return {"M": {name: draw(spelled(inner[name])) for name in draw(st.permutations(list(inner)))}}
    return dict(wire)


@st.composite
def spelled_number(draw: st.DrawFn, text: str) -> str:
    sign, digits = ("-", text[1:]) if text[0] == "-" else (draw(st.sampled_from(["", "+"])), text)
    form = draw(st.sampled_from(["plain", "zeros", "exponent"]))
    if form == "zeros":
        return f"{sign}00{digits}{'0' if '.' in digits else '.0'}"
    if form == "exponent" and text != "0":
        return f"{sign}{Decimal(digits):E}"
    return sign + digits


WIRES = st.one_of(INNER, VALUES).map(to_wire).flatmap(spelled)
WIRE_ITEMS = ITEMS.map(item_to_wire).flatmap(lambda item: spelled({"M": item})).map(lambda wire: wire["M"])


@given(WIRE_ITEMS)
def test_the_size_is_that_of_the_stored_item_and_the_input_is_unchanged(item: Any) -> None:
    before = deepcopy(item)
    stored, size = check_item(item)

    assert item == before
    assert size == item_size(stored) == item_size(item)
    assert equal({"M": stored}, {"M": item})


@given(WIRES)
def test_a_stored_item_is_already_normalized(wire: Any) -> None:
    stored, size = check_item({"a": wire})
    again, same_size = check_item(stored)

    assert again is stored
    assert same_size == size


@given(st.data())
def test_equal_values_are_stored_alike(data: st.DataObject) -> None:
    value = data.draw(st.one_of(INNER, VALUES).map(to_wire))
    one, two = data.draw(spelled(value)), data.draw(spelled(value))

    assert check_value(one) == check_value(two)


@given(INNER.map(to_wire).flatmap(spelled), INNER.map(to_wire).flatmap(spelled))
def test_values_are_stored_alike_only_where_they_are_equal(one: Any, two: Any) -> None:
    assert (check_value(one) == check_value(two)) == equal(one, two)


@given(WIRES)
def test_sets_are_stored_in_the_order_of_their_members(wire: Any) -> None:
    orders: dict[str, Any] = {"SS": str.encode, "NS": Decimal, "BS": b64decode}
    ((kind, inner),) = check_value(wire).items()

    if kind in orders:
        assert inner == sorted(inner, key=orders[kind])


_BASE64 = st.binary(max_size=4).map(lambda raw: b64encode(raw).decode())
_NUMERIC = st.one_of(st.text("0123456789+-.eE ", max_size=6), TEXTS)
GARBAGE: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "S": st.text(max_size=4),
            "N": _NUMERIC,
            "B": _BASE64,
            "BOOL": st.booleans(),
            "NULL": st.booleans(),
            "SS": st.lists(st.text(max_size=2), max_size=3),
            "NS": st.lists(_NUMERIC, max_size=3),
            "BS": st.lists(_BASE64, max_size=3),
        },
    ).filter(lambda wire: len(wire) <= 3),
    lambda inner: st.one_of(
        st.builds(lambda elements: {"L": elements}, st.lists(inner, max_size=3)),
        st.builds(
            lambda members: {"M": members}, st.dictionaries(st.one_of(NAMES, st.just("")), inner, max_size=3)
        ),
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.one_of(NAMES, st.just("")), GARBAGE, max_size=4))
def test_any_item_is_stored_or_rejected(item: Any) -> None:
    try:
        stored, size = check_item(item)
    except ServiceError:
        return

    assert size == item_size(stored)
