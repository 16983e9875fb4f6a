"""Ways to spoil a request that is in order: anything in any place, and things missing or added."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from hypothesis import strategies as st

from .valid_requests import VALID

__all__ = ["JSON", "PYTHON", "Choice", "Drawn", "Thing", "nested", "places", "spoil", "spoil_bytes", "spoilt"]

T = TypeVar("T")


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


class Choice(Protocol):
    """Where choices come from: hypothesis, or random numbers where there is no time for it."""

    def pick(self, options: Sequence[T]) -> T:
        """One of these."""

    def number(self, low: int, high: int) -> int:
        """From the first to the last of these."""


class Drawn:
    """Choices that hypothesis makes."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def pick(self, options: Sequence[T]) -> T:
        picked: T = self._draw(st.sampled_from(options))
        return picked

    def number(self, low: int, high: int) -> int:
        drawn: int = self._draw(st.integers(low, high))
        return drawn


@st.composite
def spoilt(draw: st.DrawFn, *, foreign: bool = False) -> tuple[str, Any]:
    """A valid request of any operation that was spoilt in up to three places; with what JSON can say, or all else."""
    choice = Drawn(draw)
    operation, request = choice.pick(VALID)
    return operation, spoil(deepcopy(request), choice, JSON + PYTHON if foreign else JSON)


def spoil(request: Any, choice: Choice, things: list[Thing] = JSON) -> Any:
    """A request that is spoilt in up to three places; it is changed itself, and may become something else."""
    top = [request]
    found = list(places(top))
    for holder, place in [choice.pick(found) for _ in range(choice.number(1, 3))]:
        if isinstance(holder, list) and place >= len(holder):
            continue
        ways = ["replace"] if holder is top else _WAYS
        _SPOILING[choice.pick(ways)](choice, holder, place, things)
    return top[0]


def _replace(choice: Choice, holder: Any, place: Any, things: list[Thing]) -> None:
    holder[place] = choice.pick(things).make()


def _exchange(choice: Choice, holder: Any, place: Any, _things: list[Thing]) -> None:
    holder[place] = deepcopy(choice.pick(_NODES))


def _drop(_choice: Choice, holder: Any, place: Any, _things: list[Thing]) -> None:
    holder.pop(place) if isinstance(holder, list) else holder.pop(place, None)


def _add(choice: Choice, holder: Any, place: Any, things: list[Thing]) -> None:
    made = choice.pick(things).make() if choice.number(0, 1) else deepcopy(choice.pick(_NODES))
    if isinstance(holder, list):
        holder.append(made)
    else:
        holder[choice.pick(_NAMES)] = made


def _rename(choice: Choice, holder: Any, place: Any, _things: list[Thing]) -> None:
    if isinstance(holder, dict) and place in holder:
        holder[choice.pick(_NAMES)] = holder.pop(place)


def _alter(choice: Choice, holder: Any, place: Any, _things: list[Thing]) -> None:
    value = holder[place] if isinstance(holder, list) else holder.get(place)
    if isinstance(value, str):
        cut = choice.number(0, len(value))
        holder[place] = value[:cut] + choice.pick(_INSERTED) + value[cut + choice.number(0, 1) :]
    elif isinstance(value, list) and value:
        value.append(value[0])
    elif isinstance(value, int):
        holder[place] = choice.pick([not value, value + 1, value - 1, -value])


_SPOILING = {
    "add": _add,
    "alter": _alter,
    "drop": _drop,
    "exchange": _exchange,
    "rename": _rename,
    "replace": _replace,
}
_WAYS = sorted(_SPOILING)


def spoil_bytes(body: bytes, choice: Choice) -> bytes:
    """The bytes of a request with something else in up to three places."""
    for _ in range(choice.number(1, 3)):
        cut = choice.number(0, len(body))
        body = body[:cut] + choice.pick(_BYTES) + body[cut + choice.number(0, 3) :]
    return body


_BYTES = [
    b"", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\x00", b'"', b"{", b"}", b"[", b"]", b",", b":", b"1e999", b"9" * 400,
    b"NaN", b"-", b"null", b"true", b'"a":1,', b"[" * 2000, b'{"a":' * 1500, b"\xc3", b"\xef\xbb\xbf", b"\\",
]  # fmt: skip
