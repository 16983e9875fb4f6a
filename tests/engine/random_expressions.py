"""Random conditions and updates with items of every type to try them on, for Hypothesis.

Numbers and sets are spelled as people spell them: 1.0, 1e0, members in any order. No name is pk or sk.
"""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.engine import reference
from tests.engine.written_expressions import NAMES, Case, written_condition, written_update
from tests.values.strategies import BINARIES, NUMBERS, TEXTS

KINDS = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")
ORDERS = ("<", "<=", ">", ">=")

# Values: few and near each other, so that comparisons come out both ways, and now and then any at all.

_NAMES = st.sampled_from(NAMES)
_TEXTS = st.one_of(st.sampled_from(["", "a", "ab", "b", "abc", "é", "😀", "\uffff", "1", "S", "N"]), TEXTS)
_SMALL_NUMBERS = st.sampled_from(
    [
        "0",
        "-0",
        "1",
        "1.0",
        "1e0",
        "+1",
        "-1",
        "2",
        "10",
        "1E1",
        "0.5",
        ".5",
        "100",
        "99.999",
        "1e-5",
        "-2.50",
    ]
)
_NUMBERS = st.one_of(_SMALL_NUMBERS, _SMALL_NUMBERS, NUMBERS.map(str))
_BINARIES = st.one_of(st.sampled_from([b"", b"a", b"ab", b"b", b"\xff", b"\x00"]), BINARIES).map(
    lambda raw: b64encode(raw).decode()
)


def _sets(kind: str, members: st.SearchStrategy[str], same: Any) -> st.SearchStrategy[Any]:
    return st.lists(members, min_size=1, max_size=4, unique_by=same).map(lambda inner: {kind: inner})


_LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "S": _TEXTS.map(lambda text: {"S": text}),
    "N": _NUMBERS.map(lambda text: {"N": text}),
    "B": _BINARIES.map(lambda text: {"B": text}),
    "BOOL": st.booleans().map(lambda truth: {"BOOL": truth}),
    "NULL": st.just({"NULL": True}),
    "SS": _sets("SS", _TEXTS, str),
    "NS": _sets("NS", _NUMBERS, Decimal),
    "BS": _sets("BS", _BINARIES, str),
}


def _lists(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4).map(lambda elements: {"L": elements})


def _maps(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(_NAMES, inner, max_size=4).map(lambda members: {"M": members})


_WIRES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(*_LEAVES.values()), lambda inner: st.one_of(_lists(inner), _maps(inner)), max_leaves=6
)
_OF_KIND: dict[str, st.SearchStrategy[Any]] = {**_LEAVES, "L": _lists(_WIRES), "M": _maps(_WIRES)}


@st.composite
def items(draw: st.DrawFn) -> dict[str, Any]:
    """An item with an attribute of each of the ten types; some names it does not have."""
    names = draw(st.permutations(NAMES))
    return {name: draw(_OF_KIND[kind]) for name, kind in zip(names, KINDS, strict=False)}


# Expressions on an item: mostly of what it has, with types that fit.


@st.composite
def condition_cases(draw: st.DrawFn) -> Case:
    """A condition as the reference's tree and as a text, its names and values, and an item."""
    item = draw(items())
    return written_condition(draw, _Maker(draw, item).condition(3), item)


@st.composite
def update_cases(draw: st.DrawFn) -> Case:
    """An update as the reference's actions and as a text, its names and values, and an item."""
    item = draw(items())
    maker = _Maker(draw, item)
    actions: list[Any] = []
    for _ in range(draw(st.integers(1, 5))):
        action = maker.action()
        if all(_apart(action[1], other[1]) for other in actions):
            actions.append(action)
    return written_update(draw, actions, item)


def _apart(one: Any, two: Any) -> bool:
    """Whether two paths may stand in one update: they part, and both by names or both by indexes."""
    for first, second in zip(one, two, strict=False):
        if first != second:
            return type(first) is type(second)
    return False


def _places(wire: Any, path: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Every path from here on, and the value there."""
    ((kind, inner),) = wire.items()
    nested = enumerate(inner) if kind == "L" else inner.items() if kind == "M" else ()
    return [(path, wire), *(place for key, value in nested for place in _places(value, (*path, key)))]


class _Maker:
    """Draws what DynamoDB accepts; what it refuses whatever the item is, is not asked here."""

    def __init__(self, draw: st.DrawFn, item: Any) -> None:
        self._draw = draw
        self._places = _places({"M": item}, ("path",))[1:]
        self._held = [wire for _, wire in self._places]
        for wire in [wire for wire in self._held if next(iter(wire)) in {"SS", "NS", "BS"}]:
            ((kind, members),) = wire.items()
            self._held += [{kind[0]: member} for member in members]

    def _chance(self, tenths: int) -> bool:
        return bool(self._draw(st.integers(0, 9)) >= 10 - tenths)

    def _one_of(self, choices: Any) -> Any:
        return self._draw(st.sampled_from(choices))

    # Operands

    def path(self, *kinds: str) -> Any:
        """A path to one of these types; now and then to any, past an end, or through what holds nothing."""
        fitting = [path for path, wire in self._places if next(iter(wire)) in kinds]
        if fitting and self._chance(8):
            return self._one_of(fitting)
        start = self._one_of([path for path, _ in self._places]) if self._chance(6) else ("path",)
        past: Any = self._one_of(NAMES)
        if len(start) > 1 and self._chance(5):
            past = self._draw(st.integers(0, 5))
        return (*start, past)

    def literal(self, *kinds: str) -> Any:
        """A value of one of these types: one that the item holds somewhere, or another."""
        held = [wire for wire in self._held if next(iter(wire)) in kinds]
        return "value", self._one_of(held) if held and self._chance(5) else self._draw(
            _OF_KIND[self._one_of(kinds)]
        )

    def operand(self, *kinds: str) -> Any:
        """A path, a value or a size."""
        if self._chance(2):
            return "size", self.path("S", "B", "L", "M", "SS", "NS", "BS")
        return self.path(*kinds) if self._chance(6) else self.literal(*kinds)

    # Conditions

    def condition(self, depth: int) -> Any:
        """A condition of so many levels of AND, OR and NOT at most."""
        joint = self._one_of(["and", "or", "not", "", "", ""]) if depth else ""
        if joint == "not":
            return joint, self.condition(depth - 1)
        if joint:
            return (joint, *(self.condition(depth - 1) for _ in range(self._one_of([2, 2, 3]))))
        leaf = self._one_of(
            [
                self._equality,
                self._order,
                self._between,
                self._in,
                self._presence,
                self._type,
                self._start,
                self._part,
            ]
        )()
        # An attribute that is compared with itself is refused.
        return leaf if leaf[1] not in leaf[2:] else ("attribute_exists", self.path())

    def _equality(self) -> Any:
        kind = self._one_of(KINDS)
        return self._one_of(["=", "<>"]), self.operand(kind), self.operand(kind)

    def _order(self) -> Any:
        kind = self._one_of("SNB")
        return self._one_of(ORDERS), self.operand(kind), self.operand(kind)

    def _between(self) -> Any:
        """Two values as bounds are of one type and in order."""
        kind = self._one_of("SNB")
        value, low, high = self.operand(kind), self.operand(kind), self.operand(kind)
        if low[0] == high[0] == "value" and not reference.holds(("<=", low, high), {}):
            low, high = high, low
        return "between", value, low, high

    def _in(self) -> Any:
        kind = self._one_of(KINDS)
        others = [self.operand(kind, self._one_of(KINDS)) for _ in range(self._draw(st.integers(1, 4)))]
        return ("in", self.operand(kind), *others)

    def _presence(self) -> Any:
        return self._one_of(["attribute_exists", "attribute_not_exists"]), self.path()

    def _type(self) -> Any:
        kind = self._one_of(KINDS)
        return (
            "attribute_type",
            self.path(kind),
            ("value", {"S": kind if self._chance(5) else self._one_of(KINDS)}),
        )

    def _start(self) -> Any:
        kind = self._one_of("SB")
        one, two = (self.path(kind) if self._chance(5) else self.literal(kind) for _ in range(2))
        return "begins_with", one, two

    def _part(self) -> Any:
        kind = self._one_of(["S", "B", "L", "SS", "NS", "BS"])
        part = self._one_of(KINDS) if kind == "L" or self._chance(1) else kind[0]
        first = self.path(kind) if self._chance(7) else self.literal(kind)
        return "contains", first, self.literal(part) if self._chance(7) else self.path(part)

    # Updates

    def action(self) -> Any:
        """One action of an update."""
        section = self._one_of(["SET", "SET", "SET", "REMOVE", "ADD", "DELETE"])
        if section == "SET":
            return section, self._target(), self._set_value()
        if section == "REMOVE":
            return section, self._target()
        kind = self._one_of(["SS", "NS", "BS", "N"] if section == "ADD" else ["SS", "NS", "BS"])
        return section, self._target(kind), self.literal(kind)

    def _target(self, *kinds: str) -> Any:
        """Where something is, or where it could be: a name of the item's own, of a map, or the end of a list."""
        choice = self._one_of(["there", "there", "there", "new", "nested", "any"])
        if choice == "new":
            return "path", self._one_of(NAMES)
        containers = [(path, wire) for path, wire in self._places if "L" in wire or "M" in wire]
        if choice == "nested":
            path, wire = self._one_of(containers)
            return (*path, self._one_of(NAMES) if "M" in wire else self._draw(st.integers(0, 9)))
        return self.path(*(kinds or KINDS)) if choice == "there" else self.path()

    def _set_value(self) -> Any:
        form = self._one_of(["", "", "+", "-", "list_append"])
        if not form:
            return self._default(2, *KINDS)
        kind = "L" if form == "list_append" else "N"
        return form, self._default(1, kind), self._default(1, kind)

    def _default(self, depth: int, *kinds: str) -> Any:
        if depth and self._chance(3):
            return "if_not_exists", self.path(*kinds), self._default(depth - 1, *kinds)
        return self.path(*kinds) if self._chance(5) else self.literal(*kinds)
