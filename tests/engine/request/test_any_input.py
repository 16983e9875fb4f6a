"""Any value at any position of a request is read or rejected, and never changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from copy import deepcopy
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine.request import OPERATIONS, read_request
from tests.engine.request.requests import SOUND

names = st.sampled_from(
    ["S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS", "TableName", "Key", "Value", "Other"]
) | st.text(max_size=3)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=6)
    | st.sampled_from(["true", "eA==", "HASH", "TOTAL", "ab", "", "arn:x"])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


class Text(str):
    __slots__ = ()


odd = (
    st.binary(max_size=4)
    | st.binary(max_size=4).map(bytearray)
    | st.sampled_from([Decimal(1), {1}, (), object(), float("nan"), "\ud800", len, Text("S")])
)
odd_keys = st.integers() | st.sampled_from([None, b"S", "\ud800", Text("S"), Text("TableName")])
python_values = st.recursive(
    scalars | odd,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names | odd_keys, inner, max_size=3)
        | st.dictionaries(names, inner, max_size=3).map(OrderedDict)
        | st.tuples(inner)
    ),
    max_leaves=6,
)


@st.composite
def damaged_request(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[str, Any]:
    """A sound request of any operation, with something in one or two of its places."""
    operation = draw(st.sampled_from(sorted(OPERATIONS)))
    top: list[Any] = [deepcopy(SOUND[operation])]
    for _ in range(draw(st.integers(1, 2))):
        holder, position = draw(st.sampled_from(list(_places(top))))
        holder[position] = draw(values)
    return operation, top[0]


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    inside = holder.items() if isinstance(holder, dict) else enumerate(holder)
    for position, value in list(inside):
        if type(value) in (dict, list):
            yield from _places(value)
        yield holder, position


def outcome(operation: str, request: Any) -> Any:
    try:
        return read_request(operation, request)
    except ServiceError as error:
        return error.code, error.message


def picture(value: Any) -> Any:
    """What a value is made of, down to the objects themselves."""
    if isinstance(value, dict):
        return id(value), [(id(key), picture(inner)) for key, inner in value.items()]
    if isinstance(value, (list, tuple)):
        return id(value), [picture(inner) for inner in value]
    return id(value), bytes(value) if isinstance(value, bytearray) else None


@given(st.sampled_from(sorted(OPERATIONS)), json_values)
def test_any_json_is_read_or_rejected(operation: str, request: Any) -> None:
    assert isinstance(outcome(operation, request), dict | tuple)


@given(damaged_request(json_values))
def test_a_request_with_any_json_in_it_is_read_or_rejected(damaged: tuple[str, Any]) -> None:
    assert isinstance(outcome(*damaged), dict | tuple)


@given(damaged_request(python_values))
def test_a_request_with_any_object_is_read_or_rejected_and_not_changed(
    damaged: tuple[str, Any],
) -> None:
    before = picture(damaged[1])

    assert isinstance(outcome(*damaged), dict | tuple)
    assert picture(damaged[1]) == before


@given(damaged_request(json_values | python_values))
def test_reading_a_request_twice_changes_nothing(damaged: tuple[str, Any]) -> None:
    operation, request = damaged
    read = outcome(operation, request)

    if isinstance(read, dict):
        assert read_request(operation, read) == read


@given(damaged_request(json_values))
def test_subclasses_of_json_types_are_read_like_their_bases(damaged: tuple[str, Any]) -> None:
    operation, request = damaged

    assert outcome(operation, _in_subclasses(request)) == outcome(operation, request)


def _in_subclasses(value: Any) -> Any:
    if isinstance(value, dict):
        return OrderedDict((Text(name), _in_subclasses(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return [_in_subclasses(inner) for inner in value]
    return Text(value) if isinstance(value, str) else value
