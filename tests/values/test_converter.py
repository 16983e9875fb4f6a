"""Converters compiled from known fields do what the general way does, and hold values to their types."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.errors import InvalidValue
from pksk.values import Adapter, converter, item_to_wire
from tests.values.strategies import BINARIES, INTS, NAMES, NUMBERS, TEXTS, VALUES


class Colour(StrEnum):
    RED = "red"


ISO = Adapter(str, store=date.isoformat, load=date.fromisoformat)
DAYS = Adapter(list[int], store=lambda day: [day.year, day.month, day.day], load=lambda parts: date(*parts))

FIELDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (str, TEXTS),
    "whole": (int, INTS),
    "price": (Decimal, NUMBERS),
    "raw": (bytes, BINARIES),
    "flag": (bool, st.booleans()),
    "nothing": (None, st.none()),
    "tags": (set[str], st.sets(TEXTS, min_size=1)),
    "codes": (frozenset[int], st.frozensets(INTS, min_size=1)),
    "prices": (set[Decimal], st.sets(NUMBERS, min_size=1)),
    "chunks": (frozenset[bytes], st.frozensets(BINARIES, min_size=1)),
    "lines": (list[dict[str, Any]], st.lists(st.dictionaries(NAMES, VALUES, max_size=2), max_size=2)),
    "plain": (list, st.lists(VALUES, max_size=2)),
    "grid": (list[list[int]], st.lists(st.lists(INTS, max_size=2), max_size=2)),
    "gaps": (list[str | None], st.lists(st.one_of(TEXTS, st.none()), max_size=3)),
    "counts": (dict[str, int], st.dictionaries(NAMES, INTS, max_size=2)),
    "table": (Mapping[str, list[bool]], st.dictionaries(NAMES, st.lists(st.booleans(), max_size=2))),
    "anything": (Any, VALUES),
    "either": (int | str, st.one_of(INTS, TEXTS)),
    "noted": (Annotated[str, "a note"], TEXTS),
    'it\'s "odd"\n': (str, TEXTS),
    "größe": (int, INTS),
}
OPTIONAL = {
    f"maybe {name}": (Optional[kind], each)  # noqa: UP045 - not every kind has the | operator
    for name, (kind, each) in FIELDS.items()
    if kind is not None
}
EVERY = converter({name: kind for name, (kind, _) in (FIELDS | OPTIONAL).items()})
ITEMS = st.fixed_dictionaries(
    {name: each for name, (_, each) in FIELDS.items()},
    optional={name: st.one_of(st.none(), each) for name, (_, each) in OPTIONAL.items()},
)


@given(ITEMS)
def test_a_converter_writes_what_the_general_way_writes(item: dict[str, Any]) -> None:
    assert EVERY.encode(item) == item_to_wire(item)


@given(ITEMS)
def test_a_converted_item_comes_back_as_it_was(item: dict[str, Any]) -> None:
    assert EVERY.decode(EVERY.encode(item)) == item


@given(ITEMS)
def test_what_comes_back_has_the_declared_types(item: dict[str, Any]) -> None:
    found = EVERY.decode(item_to_wire(item))

    assert type(found["whole"]) is int
    assert type(found["price"]) is Decimal
    assert {type(member) for member in found["prices"]} == {Decimal}
    assert (type(found["tags"]), type(found["codes"])) == (set, frozenset)


def one(annotation: Any) -> Any:
    return converter({"field": annotation}, adapters={date: ISO})


WRITTEN: list[tuple[Any, Any, dict[str, Any]]] = [
    (str, Colour.RED, {"S": "red"}),
    (int, True + 1, {"N": "2"}),
    (int, 10**100, {"N": "1" + "0" * 100}),
    (int, Decimal("5.0"), {"N": "5"}),
    (Decimal, 5, {"N": "5"}),
    (bytes, bytearray(b"a"), {"B": "YQ=="}),
    (bytes, memoryview(b"a"), {"B": "YQ=="}),
    (list[str], ("a", Colour.RED), {"L": [{"S": "a"}, {"S": "red"}]}),
    (dict[str, int], {Colour.RED: 1}, {"M": {"red": {"N": "1"}}}),
    (set[str], {Colour.RED}, {"SS": ["red"]}),
    (set[int], frozenset({1, Decimal(2)}), {"NS": ["1", "2"]}),
    (date, date(2024, 2, 29), {"S": "2024-02-29"}),
    (date | None, None, {"NULL": True}),
    (list[date], [date(2024, 2, 29)], {"L": [{"S": "2024-02-29"}]}),
    (tuple, (1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
    (..., "any", {"S": "any"}),
]


@pytest.mark.parametrize(("annotation", "value", "wire"), WRITTEN)
def test_a_value_that_stands_for_the_declared_type_is_written(
    annotation: Any, value: Any, wire: dict[str, Any]
) -> None:
    assert one(annotation).encode({"field": value}) == {"field": wire}


NOT_WRITTEN: list[tuple[Any, Any, str, str]] = [
    (str, 5, "value-field-type", "field: 5 does not fit a field of type str."),
    (str, None, "value-field-type", "'str | None'"),
    (str, b"a", "value-field-type", "str"),
    (str, chr(0xD800), "value-surrogate", "field: "),
    (int, "5", "value-field-type", "int"),
    (int, True, "value-field-type", "True"),
    (int, Decimal("5.5"), "value-field-type", "5.5"),
    (int, 10**126, "value-number-overflow", "field: Number overflow."),
    (Decimal, 1.5, "value-float", "Decimal('1.5')"),
    (Decimal, Decimal("NaN"), "value-not-finite", "NaN"),
    (bool, 1, "value-field-type", "bool"),
    (None, 1, "value-field-type", "NoneType"),
    (bytes, "a", "value-field-type", "bytes"),
    (set[str], {1}, "value-field-type", "set[str]"),
    (set[str], set(), "value-empty-set", "field: "),
    (set[str], {"a", 1}, "value-mixed-set", "field: "),
    (set[int], {Decimal("1.5")}, "value-field-type", "set[int]"),
    (set[int], {True}, "value-set-member", "field: "),
    (list[str], ["a", 1], "value-field-type", "field[1]: 1"),
    (list[str], "ab", "value-field-type", "list"),
    (list[list[int]], [[1], ["a"]], "value-field-type", "field[1][0]: 'a'"),
    (dict[str, int], {"a": 1, "b": "c"}, "value-field-type", "field.b: 'c'"),
    (dict[str, int], {"": 1}, "value-empty-name", "field: "),
    (dict[str, int], {1: 1}, "value-map-key", "field: "),
    (list[dict[str, Any]], [{"a": [1.5]}], "value-float", "field[0].a[0]: "),
    (list[Any], [[[1.5]]], "value-float", "field[0][0][0]: "),
    (date, "2024-02-29", "value-field-type", "date"),
    (date, None, "value-field-type", "'date | None'"),
    (object, 1.5, "value-float", "field: "),
]


@pytest.mark.parametrize(("annotation", "value", "code", "said"), NOT_WRITTEN)
def test_a_value_that_does_not_fit_is_refused(annotation: Any, value: Any, code: str, said: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        one(annotation).encode({"field": value})

    assert refused.value.code == code
    assert said in str(refused.value)


NOT_READ: list[tuple[Any, Any, str, str]] = [
    (str, {"N": "1"}, "value-field-type", "field: {'N': '1'} does not fit a field of type str."),
    (str, {"NULL": True}, "value-field-type", "str"),
    (str | None, {"NULL": False}, "value-wire-content", "NULL"),
    (str | None, {"N": "1"}, "value-field-type", "S or NULL"),
    (str | None, {"S": "a", "N": "1"}, "value-wire-shape", "2 types"),
    (str, {"S": 1}, "value-wire-content", "field: "),
    (str | None, {"S": chr(0xDC00)}, "value-surrogate", "field: "),
    (str, "a", "value-wire-shape", "field: 'a'"),
    (str, None, "value-wire-shape", "field: None"),
    (str | None, None, "value-wire-shape", "field: None"),
    (int, {"N": "1.5"}, "value-field-type", "int"),
    (int, {"N": " 1"}, "value-not-a-number", "field: "),
    (int, {"N": "1_0"}, "value-not-a-number", "field: "),
    (int, {"N": "٣"}, "value-not-a-number", "field: "),
    (int, {"N": 1}, "value-wire-content", "field: "),
    (Decimal, {"N": "NaN"}, "value-not-a-number", "field: "),
    (Decimal, {"N": "1.2.3"}, "value-not-a-number", "field: "),
    (Decimal, {"N": "."}, "value-not-a-number", "field: "),
    (Decimal, {"N": "٣.٣"}, "value-not-a-number", "field: "),
    (Decimal, {"N": "1" * 39}, "value-number-digits", "field: "),
    (bool, {"BOOL": 1}, "value-wire-content", "field: "),
    (bytes, {"B": "?"}, "value-wire-base64", "field: "),
    (set[str], {"SS": ["a", "a"]}, "value-duplicate-member", "field: "),
    (set[str], {"NS": ["1"]}, "value-field-type", "set[str]"),
    (set[int], {"NS": ["1", "1.5"]}, "value-field-type", "set[int]"),
    (set[int], {"NS": ["1", "1.0"]}, "value-duplicate-member", "field: "),
    (list[str], {"L": [{"S": "a"}, {"N": "1"}]}, "value-field-type", "field[1]: "),
    (list[str], {"L": "ab"}, "value-wire-content", "field: "),
    (list, {"L": [{"S": 1}]}, "value-wire-content", "field[0]: "),
    (dict[str, int], {"M": {"a": {"S": "b"}}}, "value-field-type", "field.a: "),
    (dict[str, int], {"M": {"": {"N": "1"}}}, "value-empty-name", "field: "),
    (date, {"S": "2024-13-01"}, "value-field-type", "'2024-13-01' does not fit a field of type date: month"),
    (date, {"N": "1"}, "value-field-type", "field: "),
    (Any, {"X": "1"}, "value-wire-type", "field: "),
]


@pytest.mark.parametrize(("annotation", "wire", "code", "said"), NOT_READ)
def test_a_wire_value_that_does_not_fit_is_refused(annotation: Any, wire: Any, code: str, said: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        one(annotation).decode({"field": wire})

    assert refused.value.code == code
    assert said in str(refused.value)


READ: list[tuple[Any, dict[str, Any], Any]] = [
    (int, {"N": "-12"}, -12),
    (int, {"N": "1E2"}, 100),
    (int, {"N": "12.0"}, 12),
    (Decimal, {"N": "-12.5"}, Decimal("-12.5")),
    (Decimal, {"N": "12"}, Decimal(12)),
    (str | None, {"NULL": True}, None),
    (date | None, {"NULL": True}, None),
    (date, {"S": "2024-02-29"}, date(2024, 2, 29)),
    (list[date | None], {"L": [{"NULL": True}, {"S": "2024-02-29"}]}, [None, date(2024, 2, 29)]),
    (Colour, {"S": "red"}, "red"),
]


@pytest.mark.parametrize(("annotation", "wire", "value"), READ)
def test_a_wire_value_that_fits_is_read(annotation: Any, wire: dict[str, Any], value: Any) -> None:
    found = one(annotation).decode({"field": wire})["field"]

    assert found == value
    assert type(found) is type(value)


def test_an_adapter_may_store_a_list() -> None:
    days = converter({"day": date}, adapters={date: DAYS})
    wire = {"day": {"L": [{"N": "2024"}, {"N": "2"}, {"N": "29"}]}}

    assert days.encode({"day": date(2024, 2, 29)}) == wire
    assert days.decode(wire) == {"day": date(2024, 2, 29)}


def test_an_absent_optional_field_stays_absent() -> None:
    notes = converter({"id": str, "note": str | None})

    assert notes.encode({"id": "a"}) == {"id": {"S": "a"}}
    assert notes.decode({"id": {"S": "a"}}) == {"id": "a"}


@pytest.mark.parametrize("act", ["encode", "decode"])
def test_an_absent_required_field_is_refused(act: str) -> None:
    with pytest.raises(InvalidValue, match=r"^id: the field is absent") as refused:
        getattr(converter({"id": str}), act)({})

    assert refused.value.code == "value-field-missing"


def test_an_undeclared_field_is_refused_when_writing_and_left_out_when_reading() -> None:
    customers = converter({"customer_id": str})
    item = {"customer_id": "a", "costumer_id": "b"}

    with pytest.raises(InvalidValue, match="Did you mean 'customer_id'") as refused:
        customers.encode(item)
    assert refused.value.code == "value-field-unknown"
    assert customers.decode(item_to_wire(item)) == {"customer_id": "a"}


@pytest.mark.parametrize("act", ["encode", "decode"])
@pytest.mark.parametrize("item", [None, 5, "text", ["id"]])
def test_what_is_not_an_item_is_refused(act: str, item: Any) -> None:
    with pytest.raises(InvalidValue, match="not an item"):
        getattr(converter({"id": str}), act)(item)


@pytest.mark.parametrize("name", ["", 5, chr(0xD800)])
def test_a_name_that_no_attribute_can_have_is_refused(name: Any) -> None:
    with pytest.raises(InvalidValue):
        converter({name: str})


def test_31_levels_fit_and_32_are_refused_in_a_declared_list() -> None:
    deep: Any = "leaf"
    for _ in range(29):
        deep = [deep]

    for annotation in (list[list[Any]], list[dict[str, Any]], list[Any]):
        inner: Any = {"a": deep} if annotation == list[dict[str, Any]] else [deep]
        assert one(annotation).encode({"field": [inner]})
        with pytest.raises(InvalidValue, match="31 levels"):
            one(annotation).encode({"field": [{"a": [deep]} if "a" in inner else [[deep]]]})


def test_the_source_is_python_that_names_each_field() -> None:
    orders = converter({"id": str, "it's": int})

    functions = [node.name for node in ast.parse(orders.source).body if isinstance(node, ast.FunctionDef)]
    assert functions == ["encode", "decode"]
    assert "item['id']" in orders.source


def test_a_field_name_cannot_bring_code_into_the_source() -> None:
    hostile = "x'] = 1; raise SystemExit #"

    assert converter({hostile: str}).encode({hostile: "a"}) == {hostile: {"S": "a"}}
