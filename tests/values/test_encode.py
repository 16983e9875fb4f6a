"""Python values to DynamoDB's JSON."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from boto3.dynamodb.types import TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.values import InvalidNumber, item_to_wire, to_wire
from tests.values.strategies import SCALARS, VALUES


class Colour(StrEnum):
    RED = "red"


class Mood(str, Enum):  # noqa: UP042 - the older way is what is tested
    """The older way to write such an enum, whose str() is not its value."""

    GOOD = "good"


class Side(Enum):
    LEFT = 1


class Level(IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: int


class Note(str):
    __slots__ = ()


class Loner(str):
    """Text that equals nothing but itself, so that a set or a dict can hold it beside its twin."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Money(Decimal):
    def __str__(self) -> str:
        return "a lot"


class Odd:
    """A type that DynamoDB does not know."""

    def __repr__(self) -> str:
        return "<odd>"


@dataclass
class Order:
    total: int


LONE = chr(0xD800)


def shown(value: object) -> str:
    # Sets and views have a repr that differs from one process to the next; test ids must not.
    if isinstance(value, int) and value > 10**200:
        return "huge"
    varies = isinstance(value, set | frozenset | memoryview) or "<memory" in repr(value)
    return type(value).__name__ if varies else repr(value)[:30]


KNOWN: list[tuple[Any, dict[str, Any]]] = [
    ("x", {"S": "x"}),
    ("", {"S": ""}),
    ("Åsa 😀", {"S": "Åsa 😀"}),
    (0, {"N": "0"}),
    (-12, {"N": "-12"}),
    (10**38 - 1, {"N": "9" * 38}),
    (10**38, {"N": "1" + "0" * 38}),
    (10**125, {"N": "1" + "0" * 125}),
    (Decimal("12.50"), {"N": "12.5"}),
    (Decimal("-0.0"), {"N": "0"}),
    (Decimal("0E+3"), {"N": "0"}),
    (Decimal("100"), {"N": "100"}),
    (Decimal("1E+3"), {"N": "1000"}),
    (Decimal("1E-7"), {"N": "0.0000001"}),
    (Decimal("0." + "1" * 38), {"N": "0." + "1" * 38}),
    (b"\x00\x01", {"B": "AAE="}),
    (bytearray(b"a"), {"B": "YQ=="}),
    (memoryview(b"a"), {"B": "YQ=="}),
    (memoryview(b"abcd")[::2], {"B": "YWM="}),
    (True, {"BOOL": True}),
    (None, {"NULL": True}),
    ([1, "a"], {"L": [{"N": "1"}, {"S": "a"}]}),
    ((), {"L": []}),
    ({"a": {}}, {"M": {"a": {"M": {}}}}),
    ({"b", "a"}, {"SS": ["a", "b"]}),
    ({""}, {"SS": [""]}),
    (frozenset({10, 9, Decimal("1.50")}), {"NS": ["1.5", "9", "10"]}),
    ({b"b", b"a"}, {"BS": ["YQ==", "Yg=="]}),
    ({memoryview(b"a")}, {"BS": ["YQ=="]}),
    (Colour.RED, {"S": "red"}),
    (Mood.GOOD, {"S": "good"}),
    (Note("n"), {"S": "n"}),
    (Level.HIGH, {"N": "3"}),
    (Money("12.50"), {"N": "12.5"}),
    ({Mood.GOOD, "x"}, {"SS": ["good", "x"]}),
    ({Level.HIGH, 1}, {"NS": ["1", "3"]}),
    (Point(1, 2), {"L": [{"N": "1"}, {"N": "2"}]}),
    (OrderedDict(a=1), {"M": {"a": {"N": "1"}}}),
    (MappingProxyType({"a": 1}), {"M": {"a": {"N": "1"}}}),
    (UserDict({"a": 1}), {"M": {"a": {"N": "1"}}}),
    ({Mood.GOOD: 1}, {"M": {"good": {"N": "1"}}}),
    ({"a": 1}.keys(), {"SS": ["a"]}),
]


@pytest.mark.parametrize(("value", "wire"), KNOWN, ids=shown)
def test_a_value_is_written_as_its_wire_type(value: Any, wire: dict[str, Any]) -> None:
    assert to_wire(value) == wire


@pytest.mark.parametrize("value", [Colour.RED, Mood.GOOD, Note("n"), {Mood.GOOD: 1}, {Mood.GOOD}, Level.HIGH])
def test_the_wire_form_has_no_subclasses_of_str(value: Any) -> None:
    def types(node: Any) -> set[type]:
        if isinstance(node, dict):
            return {t for pair in node.items() for part in pair for t in types(part)}
        return {t for part in node for t in types(part)} if isinstance(node, list) else {type(node)}

    assert types(to_wire(value)) == {str}


INVALID: list[tuple[Any, str, str]] = [
    (1.5, "value-float", "Decimal('1.5')"),
    (float("nan"), "value-not-finite", "NaN"),
    (float("-inf"), "value-not-finite", "Infinity"),
    (Decimal("NaN"), "value-not-finite", "NaN"),
    (Decimal("sNaN"), "value-not-finite", "sNaN"),
    (Decimal("-Infinity"), "value-not-finite", "Infinity"),
    ({Decimal("NaN"), Decimal(1)}, "value-not-finite", "NaN"),
    ("a" + LONE, "value-surrogate", r"'a\ud800'"),
    ({"ok", LONE}, "value-surrogate", r"'\ud800'"),
    ({LONE: 1}, "value-surrogate", r"'\ud800'"),
    (set(), "value-empty-set", "empty list"),
    (frozenset(), "value-empty-set", "empty list"),
    ({1, "a"}, "value-mixed-set", "int, str"),
    ({b"a", "a"}, "value-mixed-set", "bytes, str"),
    ({True}, "value-set-member", "bool"),
    ({True, 2}, "value-set-member", "True"),
    ({1.5}, "value-set-member", "1.5"),
    ({None}, "value-set-member", "NoneType"),
    ({("a",)}, "value-set-member", "tuple"),
    ({Loner("good"), "good"}, "value-duplicate-member", "good"),
    ({1: "a"}, "value-map-key", "write '1'"),
    ({"": "a"}, "value-empty-name", "name"),
    ({Loner("good"): 1, "good": 2}, "value-duplicate-name", "good"),
    (10**126, "value-number-overflow", "Number overflow."),
    (10**10000, "value-number-overflow", "33220 bits"),
    (Decimal("1E+999999"), "value-number-overflow", "1E+999999"),
    (Decimal("1E-131"), "value-number-underflow", "Number underflow."),
    (10**38 + 1, "value-number-digits", "38 significant digits"),
    (Decimal("1." + "1" * 38), "value-number-digits", "38 significant digits"),
    (Odd(), "value-unknown-type", "Odd"),
    (date(2024, 1, 2), "value-unknown-type", "isoformat()"),
    (datetime(2024, 1, 2, tzinfo=UTC), "value-unknown-type", "isoformat()"),
    (UUID(int=1), "value-unknown-type", "str(value)"),
    (Order(1), "value-unknown-type", "asdict"),
    (deque([1]), "value-unknown-type", "list(value)"),
    (Side.LEFT, "value-unknown-type", "value.value"),
    (1j, "value-unknown-type", "complex"),
]


@pytest.mark.parametrize(("value", "code", "message"), INVALID, ids=shown)
def test_the_error_about_an_unsupported_value_names_the_fix(value: Any, code: str, message: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        to_wire(value)

    assert raised.value.code == code
    assert message in str(raised.value)
    assert raised.value.fix


@pytest.mark.parametrize(("value", "code", "message"), INVALID, ids=shown)
def test_the_error_about_a_nested_value_has_its_path(value: Any, code: str, message: str) -> None:
    with pytest.raises(InvalidValue, match=r"^orders\[2\]\.total: ") as raised:
        item_to_wire({"ok": 1, "orders": [1, {}, {"sku": "x", "total": value}]})

    assert raised.value.code == code
    assert message in str(raised.value)


def test_names_that_do_not_read_as_a_path_are_quoted_in_it() -> None:
    with pytest.raises(InvalidValue, match=r"^by day\['2024-01-01'\]\[0\]: 1.5 is a float"):
        item_to_wire({"by day": {"2024-01-01": [1.5]}})


def test_the_error_about_a_number_has_the_message_of_the_service() -> None:
    with pytest.raises(InvalidNumber) as raised:
        item_to_wire({"n": Decimal("1E+126")})

    expected = "Number overflow. Attempting to store a number with magnitude larger than supported range"
    assert raised.value.service_message == expected
    assert raised.value.problem == f"n: {expected}: '1E+126'"


def nested_lists(levels: int) -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value]
    return value


def nested_maps(levels: int) -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("nested", [nested_lists, nested_maps])
def test_an_attribute_has_at_most_31_levels_of_lists_and_maps(nested: Any) -> None:
    assert to_wire(nested(31))
    assert item_to_wire({"deep": nested(31)})

    for encode in (lambda: to_wire(nested(32)), lambda: item_to_wire({"deep": nested(32)})):
        with pytest.raises(InvalidValue, match="nested more than 31 levels") as raised:
            encode()
        assert raised.value.code == "value-too-deep"


@pytest.mark.parametrize("levels", [33, 900, 100_000])
def test_any_depth_raises_without_a_recursion_error(levels: int) -> None:
    with pytest.raises(InvalidValue, match="nested more than 31 levels"):
        to_wire(nested_lists(levels))


def test_a_list_that_contains_itself_raises() -> None:
    endless: list[Any] = []
    endless += [endless, endless]

    with pytest.raises(InvalidValue, match="nested more than 31 levels"):
        to_wire(endless)


@pytest.mark.parametrize("item", [None, 5, "text", [1], [("a", 1)]])
def test_an_item_that_is_not_a_mapping_raises(item: Any) -> None:
    with pytest.raises(InvalidValue, match="not an item"):
        item_to_wire(item)


@given(VALUES)
def test_every_wire_value_is_plain_json(value: Any) -> None:
    wire = to_wire(value)

    assert json.loads(json.dumps(wire)) == wire


@given(SCALARS.filter(lambda v: not isinstance(v, bytes | set)))
def test_scalars_are_written_as_boto3_writes_them(value: Any) -> None:
    wire, theirs = to_wire(value), TypeSerializer().serialize(value)

    assert wire.keys() == theirs.keys()
    assert (Decimal(wire["N"]) == Decimal(theirs["N"])) if "N" in wire else (wire == theirs)


@given(st.sets(st.text(max_size=3), min_size=1))
def test_equal_sets_are_encoded_the_same(members: set[str]) -> None:
    assert to_wire(members) == to_wire(frozenset(reversed(list(members))))


def test_the_precision_of_the_decimal_context_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 3

        assert to_wire(Decimal("1234567.891")) == {"N": "1234567.891"}
