"""Ways to damage a valid request: any value at any position, members missing or added."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from hypothesis import strategies as st

from .valid_requests import VALID

__all__ = [
    "JSON",
    "PYTHON",
    "Choice",
    "Drawn",
    "Replacement",
    "damage",
    "damage_bytes",
    "damaged_request",
    "nested",
    "positions",
]

T = TypeVar("T")


class Replacement(NamedTuple):
    """An invalid value, made when it is needed, so that even a circular one has a printable name."""

    name: str
    make: Callable[[], Any]

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Text(str):
    __slots__ = ()


class Raising:
    """Raises at every access."""

    def __hash__(self) -> int:
        return hash("S")

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __bool__(self) -> bool:
        raise ZeroDivisionError

    def __len__(self) -> int:
        raise ZeroDivisionError


class RaisingDict(dict[str, Any]):
    def __iter__(self) -> Any:
        raise ZeroDivisionError

    def items(self) -> Any:
        raise ZeroDivisionError


def nested(levels: int, kind: str = "M") -> Any:
    """A value inside a number of maps or lists."""
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


def _replacements(**makers: Any) -> list[Replacement]:
    return [
        Replacement(name, made if callable(made) else partial(deepcopy, made))
        for name, made in makers.items()
    ]


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
JSON: list[Replacement] = [
    *(Replacement(ascii(value)[:60], partial(deepcopy, value)) for value in _VALUES + _SCALARS + _EXPRESSIONS),
    *_replacements(
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
PYTHON: list[Replacement] = [
    *(Replacement(ascii(value)[:60], partial(copy, value)) for value in _FOREIGN),
    *_replacements(
        circle_of_maps=lambda: _circle("M"),
        circle_of_lists=lambda: _circle("L"),
        endless_list=_endless_list,
        deep_list=lambda: _deep_list(5_000),
        nested_1500=lambda: nested(1500),
        nested_5000=lambda: nested(5_000),
        memory=lambda: memoryview(b"x"),
        iterator=lambda: iter([]),
        thing=object,
        raising=Raising,
        raising_dict=lambda: RaisingDict(S="a"),
        raising_key=lambda: {Raising(): {"S": "a"}},
    ),
]
_NAMES = [
    "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS", "pk", "sk", "status", "#a", ":a", "Other", "",
    "TableName", "IndexName", "Key", "Item", "Expected", "AttributesToGet", "ConditionExpression", "Limit", "Select",
    "ExpressionAttributeNames", "ExpressionAttributeValues", "Create", "Update", "Delete", "Put", "MaxResults",
]  # fmt: skip
_INSERTED = ["", "(", ")", "a", " ", ".", "[0]", "#", ":", "é", "-", "0", ",", "\x00", "=", '"']


def positions(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Every position in a request: the container, and the name or index in it."""
    inside = holder.items() if isinstance(holder, dict) else enumerate(holder)
    for position, value in list(inside):
        if type(value) in (dict, list):
            yield from positions(value)
        yield holder, position


_NODES = [holder[position] for _, request in VALID for holder, position in positions([request])]


class Choice(Protocol):
    """A source of choices: hypothesis, or random numbers where hypothesis is too slow."""

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
def damaged_request(draw: st.DrawFn, *, foreign: bool = False) -> tuple[str, Any]:
    """A valid request of any operation that is damaged in up to three positions, by JSON or by any Python object."""
    choice = Drawn(draw)
    operation, request = choice.pick(VALID)
    return operation, damage(deepcopy(request), choice, JSON + PYTHON if foreign else JSON)


def damage(request: Any, choice: Choice, replacements: list[Replacement] = JSON) -> Any:
    """Damages a request in place in up to three positions; the result may be another object."""
    top = [request]
    found = list(positions(top))
    for holder, position in [choice.pick(found) for _ in range(choice.number(1, 3))]:
        if isinstance(holder, list) and position >= len(holder):
            continue
        ways = ["replace"] if holder is top else _DAMAGE_NAMES
        _DAMAGES[choice.pick(ways)](choice, holder, position, replacements)
    return top[0]


def _replace(choice: Choice, holder: Any, position: Any, replacements: list[Replacement]) -> None:
    holder[position] = choice.pick(replacements).make()


def _exchange(choice: Choice, holder: Any, position: Any, _replacements: list[Replacement]) -> None:
    holder[position] = deepcopy(choice.pick(_NODES))


def _drop(_choice: Choice, holder: Any, position: Any, _replacements: list[Replacement]) -> None:
    holder.pop(position) if isinstance(holder, list) else holder.pop(position, None)


def _add(choice: Choice, holder: Any, position: Any, replacements: list[Replacement]) -> None:
    made = choice.pick(replacements).make() if choice.number(0, 1) else deepcopy(choice.pick(_NODES))
    if isinstance(holder, list):
        holder.append(made)
    else:
        holder[choice.pick(_NAMES)] = made


def _rename(choice: Choice, holder: Any, position: Any, _replacements: list[Replacement]) -> None:
    if isinstance(holder, dict) and position in holder:
        holder[choice.pick(_NAMES)] = holder.pop(position)


def _alter(choice: Choice, holder: Any, position: Any, _replacements: list[Replacement]) -> None:
    value = holder[position] if isinstance(holder, list) else holder.get(position)
    if isinstance(value, str):
        cut = choice.number(0, len(value))
        holder[position] = value[:cut] + choice.pick(_INSERTED) + value[cut + choice.number(0, 1) :]
    elif isinstance(value, list) and value:
        value.append(value[0])
    elif isinstance(value, int):
        holder[position] = choice.pick([not value, value + 1, value - 1, -value])


_DAMAGES = {
    "add": _add,
    "alter": _alter,
    "drop": _drop,
    "exchange": _exchange,
    "rename": _rename,
    "replace": _replace,
}
_DAMAGE_NAMES = sorted(_DAMAGES)


def damage_bytes(body: bytes, choice: Choice) -> bytes:
    """The bytes of a request with up to three damages."""
    for _ in range(choice.number(1, 3)):
        cut = choice.number(0, len(body))
        body = body[:cut] + choice.pick(_BYTES) + body[cut + choice.number(0, 3) :]
    return body


_BYTES = [
    b"", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\x00", b'"', b"{", b"}", b"[", b"]", b",", b":", b"1e999", b"9" * 400,
    b"NaN", b"-", b"null", b"true", b'"a":1,', b"[" * 2000, b'{"a":' * 1500, b"\xc3", b"\xef\xbb\xbf", b"\\",
]  # fmt: skip
