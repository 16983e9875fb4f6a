"""DynamoDB's JSON to Python values."""

from __future__ import annotations

import json
from decimal import Decimal, Rounded, localcontext
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer
from hypothesis import given, reject
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.values import from_wire, item_from_wire, item_to_wire, to_wire
from pksk.values.decode import find_wire_error
from tests.values.strategies import ITEMS, NUMBERS, VALUES


def types_of(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: types_of(member) for name, member in value.items()}
    if isinstance(value, list):
        return [types_of(element) for element in value]
    return type(value)


@given(VALUES)
def test_any_value_is_the_same_after_encoding_and_decoding(value: Any) -> None:
    assert from_wire(to_wire(value)) == value


@given(ITEMS)
def test_any_item_is_the_same_after_json(item: dict[str, Any]) -> None:
    assert item_from_wire(json.loads(json.dumps(item_to_wire(item)))) == item


@given(NUMBERS)
def test_a_number_is_an_int_exactly_if_it_is_integral(number: Decimal) -> None:
    with localcontext() as context:
        context.prec = 300
        integral = number == number.to_integral_value()

    value = from_wire(to_wire(number))

    assert type(value) is (int if integral else Decimal)
    assert value == number
    assert hash(value) == hash(number)


KNOWN: list[tuple[dict[str, Any], Any]] = [
    ({"S": ""}, ""),
    ({"N": "007"}, 7),
    ({"N": "-0"}, 0),
    ({"N": "-12"}, -12),
    ({"N": "12.0"}, 12),
    ({"N": "-12.50"}, Decimal("-12.5")),
    ({"N": ".5"}, Decimal("0.5")),
    ({"N": "1E2"}, 100),
    ({"N": "9" * 38}, 10**38 - 1),
    ({"N": "-0." + "1" * 38}, Decimal("-0." + "1" * 38)),
    ({"B": ""}, b""),
    ({"BOOL": False}, False),
    ({"NULL": True}, None),
    ({"L": [{"M": {}}]}, [{}]),
    ({"SS": ["a", "é"]}, {"a", "é"}),
    ({"NS": ["1", "2.50"]}, {1, Decimal("2.5")}),
    ({"BS": ["", "YQ=="]}, {b"", b"a"}),
]


@pytest.mark.parametrize(("wire", "value"), KNOWN)
def test_a_wire_value_is_read_as_its_python_type(wire: dict[str, Any], value: Any) -> None:
    found = from_wire(wire)

    assert found == value
    assert types_of(found) == types_of(value)


INVALID: list[tuple[Any, str, str]] = [
    ({}, "value-wire-shape", "0 types"),
    ({"S": "a", "N": "1"}, "value-wire-shape", "2 types"),
    (None, "value-wire-shape", "NoneType"),
    ("S", "value-wire-shape", "'S'"),
    (["S"], "value-wire-shape", "list"),
    ({"s": "a"}, "value-wire-type", "Did you mean 'S'?"),
    ({"BOOLEAN": True}, "value-wire-type", "Did you mean 'BOOL'?"),
    ({"Q": 1}, "value-wire-type", "Types are: S, N"),
    ({1: "a"}, "value-wire-type", "1 is not a type"),
    ({"S": 1}, "value-wire-content", '{"S": "text"}'),
    ({"S": None}, "value-wire-content", "NoneType"),
    ({"N": 1}, "value-wire-content", '{"N": "12.5"}'),
    ({"N": b"1"}, "value-wire-content", "bytes"),
    ({"N": " 1"}, "value-not-a-number", "' 1'"),
    ({"N": ""}, "value-not-a-number", "''"),
    ({"N": "--1"}, "value-not-a-number", "'--1'"),
    ({"N": "1_000"}, "value-not-a-number", "'1_000'"),
    ({"N": "NaN"}, "value-not-a-number", "'NaN'"),
    ({"N": "٣"}, "value-not-a-number", "'٣'"),
    ({"N": "²"}, "value-not-a-number", "'²'"),
    ({"N": "1" * 39}, "value-number-digits", "38 significant"),
    ({"N": "1E126"}, "value-number-overflow", "overflow"),
    ({"B": "YQ"}, "value-wire-base64", "'YQ'"),
    ({"B": "YQ==\n"}, "value-wire-base64", "one line"),
    ({"B": "Y-_="}, "value-wire-base64", "standard alphabet"),
    ({"B": "é==="}, "value-wire-base64", "not ASCII"),
    ({"BOOL": "true"}, "value-wire-content", "'true'"),
    ({"BOOL": 1}, "value-wire-content", "int"),
    ({"NULL": False}, "value-wire-content", '{"NULL": true}'),
    ({"L": {}}, "value-wire-content", "dict"),
    ({"L": "ab"}, "value-wire-content", "'ab'"),
    ({"M": []}, "value-wire-content", "list"),
    ({"M": {1: {"S": "a"}}}, "value-wire-content", "1"),
    ({"M": {b"a": {"S": "a"}}}, "value-wire-content", "b'a'"),
    ({"M": {"": {"S": "a"}}}, "value-empty-name", "name"),
    ({"M": {chr(0xDC00): {"S": "a"}}}, "value-surrogate", r"\udc00"),
    ({"S": chr(0xDC00)}, "value-surrogate", r"\udc00"),
    ({"SS": []}, "value-empty-set", "empty"),
    ({"SS": "ab"}, "value-wire-content", "'ab'"),
    ({"SS": ["a", 1]}, "value-wire-content", "1"),
    ({"SS": ["a", "a"]}, "value-duplicate-member", "twice"),
    ({"SS": ["a", chr(0xDC00)]}, "value-surrogate", r"\udc00"),
    ({"NS": ["1", "1.0"]}, "value-duplicate-member", "1.0"),
    ({"NS": [1]}, "value-wire-content", "[1]"),
    ({"NS": [""]}, "value-not-a-number", "''"),
    ({"NS": []}, "value-empty-set", "empty"),
    ({"BS": ["YQ", "YQ=="]}, "value-wire-base64", "'YQ'"),
    ({"BS": [5]}, "value-wire-content", "[5]"),
    ({"BS": ["YQ==", "YQ=="]}, "value-duplicate-member", "twice"),
]


@pytest.mark.parametrize(("wire", "code", "message"), INVALID)
def test_the_error_about_a_malformed_wire_value_names_the_fix(wire: Any, code: str, message: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        from_wire(wire)

    assert raised.value.code == code
    assert message in str(raised.value)
    assert raised.value.fix


@pytest.mark.parametrize(("wire", "code", "message"), INVALID)
def test_the_error_about_a_malformed_value_in_an_item_has_its_path(
    wire: Any, code: str, message: str
) -> None:
    with pytest.raises(InvalidValue, match=r"^orders\[1\]\.total: ") as raised:
        item_from_wire({"orders": {"L": [{"S": "a"}, {"M": {"total": wire}}]}})

    assert raised.value.code == code
    assert message in str(raised.value)


@pytest.mark.parametrize("item", [None, 5, "text", [{"S": "a"}]])
def test_an_item_that_is_not_a_mapping_raises(item: Any) -> None:
    with pytest.raises(InvalidValue, match="not an item") as raised:
        item_from_wire(item)

    assert raised.value.code == "value-not-an-item"


WIRE_LIKE: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.text(max_size=3), st.none(), st.booleans(), st.integers(), st.sampled_from(["YQ==", "1.5"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS", "x"]), inner
        ),
    ),
    max_leaves=8,
)


@given(WIRE_LIKE)
def test_the_fast_path_and_the_checks_agree_on_malformed_values(wire: Any) -> None:
    error = find_wire_error(wire)

    if error is None:
        assert to_wire(from_wire(wire)).keys() == wire.keys()
    else:
        with pytest.raises(InvalidValue) as raised:
            from_wire(wire)
        assert str(raised.value) == str(error)


@given(ITEMS.filter(lambda item: "B" not in repr(to_wire(item))))
def test_items_are_read_as_boto3_reads_them(item: dict[str, Any]) -> None:
    wire = item_to_wire(item)
    try:
        theirs = TypeDeserializer().deserialize({"M": wire})
    except Rounded:
        # boto3 counts the zeros of 1E+38 as digits and gives up.
        reject()

    assert item_from_wire(wire) == theirs


def nested(levels: int) -> Any:
    wire: Any = {"S": "leaf"}
    for level in range(levels):
        wire = {"L": [wire]} if level % 2 else {"M": {"a": wire}}
    return wire


def test_31_levels_are_read_and_32_raise() -> None:
    assert from_wire(nested(31))
    assert item_from_wire({"deep": nested(31)})

    with pytest.raises(InvalidValue, match="nested more than 31 levels"):
        from_wire(nested(32))
    with pytest.raises(InvalidValue, match="nested more than 31 levels"):
        item_from_wire({"deep": nested(32)})


@pytest.mark.parametrize("levels", [33, 900, 100_000])
def test_any_depth_raises_without_a_recursion_error(levels: int) -> None:
    with pytest.raises(InvalidValue, match="nested more than 31 levels"):
        from_wire(nested(levels))


def test_decoding_neither_changes_nor_shares_the_wire_value() -> None:
    wire = {"L": [{"M": {"a": {"SS": ["x"]}}}]}

    from_wire(wire)[0]["a"].add("y")

    assert wire == {"L": [{"M": {"a": {"SS": ["x"]}}}]}
