"""Ways to spoil a request that is in order: anything in any place, and things missing or added."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from hypothesis import strategies as st

from .valid_requests import VALID

__all__ = ["JSON", "PYTHON", "Thing", "nested", "places", "spoilt"]


class Thing(NamedTuple):
    """What to put somewhere, made when it is needed; so that even a circle can be shown by its name."""

    name: str
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Text(str):
    __slots__ = ()


class Angry:
    """Raises whenever it is asked for anything."""

    def __hash__(self) -> int:
        return hash("S")

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __bool__(self) -> bool:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class AngryDict(dict[str, Any]):
    def __iter__(self) -> Any:
        raise ZeroDivisionError

    def items(self) -> Any:
        raise ZeroDivisionError


def nested(levels: int, kind: str = "M") -> Any:
    """A value inside so many maps or lists."""
    value: Any = {"S": "x"}
    for _ in range(levels):
        value = {"M": {"a": value}} if kind == "M" else {"L": [value]}
    return value


def _circle(kind: str) -> Any:
    value: dict[str, Any] = {}
    value[kind] = {"a": value} if kind == "M" else [value]
    return value


def _endless_list() -> Any:
    endless: list[Any] = []
    endless.append(endless)
    return endless


def _deep_list(levels: int) -> Any:
    deep: Any = []
    for _ in range(levels):
        deep = [deep]
    return deep


def _parentheses(inside: str, count: int) -> str:
    return "(" * count + inside + ")" * count


def _things(**makers: Any) -> list[Thing]:
    return [Thing(name, made if callable(made) else partial(deepcopy, made)) for name, made in makers.items()]


_VALUES: list[Any] = [
    {"S": ""}, {"N": ""}, {"N": "9" * 400}, {"N": "1e126"}, {"N": "1e-131"}, {"N": "1e" + "9" * 30},
    {"N": "NaN"}, {"N": "0x1"}, {"N": "-0"}, {"N": "\u0661"}, {"B": "==="}, {"B": "a"}, {"B": ""},
    {"B": "AA=A"}, {"SS": []}, {"NS": []}, {"BS": []}, {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]},
    {"BS": ["AA==", "AA=="]}, {"NS": [""]}, {"SS": [None]}, {"NULL": False}, {"NULL": "true"}, {"BOOL": "maybe"},
    {"BOOL": 1}, {"S": "a", "N": "1"}, {"L": [{}]}, {"L": [None]}, {"M": {"": {"S": "a"}}}, {"M": {"a": None}},
    {"S": "\x00\x7f\u2028\U0001f600"}, {"L": []}, {"M": {}}, {"X": "unknown"}, {"S": None},
]  # fmt: skip
_SCALARS: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, -(10**400), 1.5, 1e308, "", "a", "\x00", "9" * 400,
    "é" * 300, "\U0001f600", "x" * 70_000, "orders", "parts", "guarded", "by-status", "several", "ALL", "arn:",
    "arn:aws:dynamodb:us-east-1:000000000000:table/", "arn:aws:dynamodb:::table/x",
    "arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/by-status", [], {}, [[]], [None], {"a": None},
    {"": {"S": "a"}},
]  # fmt: skip
_EXPRESSIONS: list[str] = [
    "(" * 4096, _parentheses("pk = :pk", 2040), _parentheses(":a", 2000), "SET a = " + _parentheses(":a", 2000),
    "NOT " * 1000 + "a = :a", "a" + ".a" * 2000, "a" + "[0]" * 1000, "size(" * 800 + "a" + ")" * 800,
    "a[99999999999999999999]", "REMOVE #l[99999999999999999999]", "SET #l[4294967296] = :yes", "#", ":", "#pk",
    "SET a = note + note", "ADD note :one", " ", "a = :a AND", "\u00a0", "SET a = list_append(note, :items)",
    "DELETE note :a", "SET a = :one - note", "pk = :pk AND begins_with(sk, :low)", "a IN (" + ":a," * 99 + ":a)",
]  # fmt: skip
JSON: list[Thing] = [
    *(Thing(ascii(given)[:60], partial(deepcopy, given)) for given in _VALUES + _SCALARS + _EXPRESSIONS),
    *_things(
        nested_31=nested(31),
        nested_32=nested(32),
        nested_33_lists=nested(33, "L"),
        nested_250=lambda: nested(250),
    ),
]  # fmt: skip

_FOREIGN: list[Any] = [
    float("nan"), float("inf"), Decimal(1), Decimal("NaN"), (1,), {"a"}, frozenset(), b"x", bytearray(b"x"),
    range(3), 1j, Ellipsis, len, type, Text("S"), "\ud800", {1: 2}, {None: {"S": "a"}}, {("a",): 1}, {b"S": "a"},
    {Text("S"): Text("a")}, {"\ud800": {"S": "a"}}, {"S": "\udfff"}, {"S": b"a"}, {"B": b"x"}, {"BS": [b"x", b"x"]},
    {"BS": [b"x", "eA=="]}, {"N": 1}, {"N": Decimal(1)}, {"SS": {"a"}}, {"L": ({"S": "a"},)},
    OrderedDict(S="a"),
]  # fmt: skip
PYTHON: list[Thing] = [
    *(Thing(ascii(given)[:60], partial(copy, given)) for given in _FOREIGN),
    *_things(
        circle_of_maps=lambda: _circle("M"),
        circle_of_lists=lambda: _circle("L"),
        endless_list=_endless_list,
        deep_list=lambda: _deep_list(5_000),
        nested_1500=lambda: nested(1500),
        nested_5000=lambda: nested(5_000),
        memory=lambda: memoryview(b"x"),
        iterator=lambda: iter([]),
        thing=object,
        angry=Angry,
        angry_dict=lambda: AngryDict(S="a"),
        angry_key=lambda: {Angry(): {"S": "a"}},
    ),
]
_NAMES = [
    "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS", "pk", "sk", "status", "#a", ":a", "Other", "",
    "TableName", "IndexName", "Key", "Item", "Expected", "AttributesToGet", "ConditionExpression", "Limit", "Select",
    "ExpressionAttributeNames", "ExpressionAttributeValues", "Create", "Update", "Delete", "Put", "MaxResults",
]  # fmt: skip
_INSERTED = ["", "(", ")", "a", " ", ".", "[0]", "#", ":", "é", "-", "0", ",", "\x00", "=", '"']


def places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a request: what holds it, and its name or number there."""
    inside = holder.items() if isinstance(holder, dict) else enumerate(holder)
    for place, value in list(inside):
        if type(value) in (dict, list):
            yield from places(value)
        yield holder, place


_NODES = [holder[place] for _, request in VALID for holder, place in places([request])]


@st.composite
def spoilt(draw: st.DrawFn, *, foreign: bool = False) -> tuple[str, Any]:
    """A valid request of any operation that was spoilt in up to three places; with what JSON can say, or all else."""
    operation, request = draw(st.sampled_from(VALID))
    things = JSON + PYTHON if foreign else JSON
    top = [deepcopy(request)]
    for holder, place in draw(st.lists(st.sampled_from(list(places(top))), min_size=1, max_size=3)):
        if isinstance(holder, list) and place >= len(holder):
            continue
        ways = ["replace"] if holder is top else sorted(_SPOILING)
        _SPOILING[draw(st.sampled_from(ways))](draw, holder, place, things)
    return operation, top[0]


def _replace(draw: st.DrawFn, holder: Any, place: Any, things: list[Thing]) -> None:
    holder[place] = draw(st.sampled_from(things)).make()


def _exchange(draw: st.DrawFn, holder: Any, place: Any, _things: list[Thing]) -> None:
    holder[place] = deepcopy(draw(st.sampled_from(_NODES)))


def _drop(draw: st.DrawFn, holder: Any, place: Any, _things: list[Thing]) -> None:
    holder.pop(place) if isinstance(holder, list) else holder.pop(place, None)


def _add(draw: st.DrawFn, holder: Any, place: Any, things: list[Thing]) -> None:
    made = (
        draw(st.sampled_from(things)).make()
        if draw(st.booleans())
        else deepcopy(draw(st.sampled_from(_NODES)))
    )
    if isinstance(holder, list):
        holder.append(made)
    else:
        holder[draw(st.sampled_from(_NAMES))] = made


def _rename(draw: st.DrawFn, holder: Any, place: Any, _things: list[Thing]) -> None:
    if isinstance(holder, dict) and place in holder:
        holder[draw(st.sampled_from(_NAMES))] = holder.pop(place)


def _alter(draw: st.DrawFn, holder: Any, place: Any, _things: list[Thing]) -> None:
    value = holder[place] if isinstance(holder, list) else holder.get(place)
    if isinstance(value, str):
        cut = draw(st.integers(0, len(value)))
        holder[place] = (
            value[:cut] + draw(st.sampled_from(_INSERTED)) + value[cut + draw(st.integers(0, 1)) :]
        )
    elif isinstance(value, list) and value:
        value.append(value[0])
    elif isinstance(value, int):
        holder[place] = draw(st.sampled_from([not value, value + 1, value - 1, -value]))


_SPOILING = {
    "add": _add,
    "alter": _alter,
    "drop": _drop,
    "exchange": _exchange,
    "rename": _rename,
    "replace": _replace,
}
