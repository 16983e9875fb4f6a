"""Random conditions and updates for Hypothesis, mostly on attributes that the item has."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.engine import reference
from tests.engine.expression_text import NAMES, Case, condition_case, update_case
from tests.engine.random_items import KINDS, OF_KIND, items, near

ORDERS = ("<", "<=", ">", ">=")


@st.composite
def condition_cases(draw: st.DrawFn) -> Case:
    """A condition as the reference's tree and as a text, its names and values, and an item."""
    item = draw(items())
    return condition_case(draw, _Maker(draw, item).condition(3), item)


@st.composite
def update_cases(draw: st.DrawFn) -> Case:
    """An update as the reference's actions and as a text, its names and values, and an item."""
    item = draw(items())
    maker = _Maker(draw, item)
    actions: list[Any] = []
    for action in maker.actions():
        if all(_apart(action[1], other[1]) for other in actions):
            actions.append(action)
    return update_case(draw, actions, item)


def _apart(one: Any, two: Any) -> bool:
    """Whether two paths can be in one update: they differ at one point, both by names or both by indexes."""
    for first, second in zip(one, two, strict=False):
        if first != second:
            return type(first) is type(second)
    return False


def _places(wire: Any, path: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Every path from here on, and the value there."""
    ((kind, inner),) = wire.items()
    nested = enumerate(inner) if kind == "L" else inner.items() if kind == "M" else ()
    return [(path, wire), *(position for key, value in nested for position in _places(value, (*path, key)))]


class _Maker:
    """Draws expressions that DynamoDB accepts for at least some items."""

    def __init__(self, draw: st.DrawFn, item: Any) -> None:
        self._draw = draw
        self._item = item
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
        """A path to a value of one of these types; sometimes of any type, past an end, or through a scalar."""
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
            OF_KIND[self._one_of(kinds)]
        )

    def operand(self, *kinds: str) -> Any:
        """A path or a value, or a size for a number."""
        if "N" in kinds and self._chance(4):
            return "size", self.path("S", "B", "L", "M", "SS", "NS", "BS")
        return self.path(*kinds) if self._chance(6) else self.literal(*kinds)

    def other(self, first: Any, *kinds: str) -> Any:
        """What to compare an operand with: often a value near its own."""
        wire = reference.wire(first, self._item)
        if first[0] != "value" and wire is not None and next(iter(wire)) in kinds and self._chance(7):
            return "value", self._draw(near(wire))
        return self.operand(*kinds)

    # Conditions

    def condition(self, depth: int) -> Any:
        """A condition with a maximum depth of AND, OR and NOT."""
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
        # An attribute that is compared with itself is rejected.
        return leaf if leaf[1] not in leaf[2:] else ("attribute_exists", self.path())

    def _equality(self) -> Any:
        kind = self._one_of(KINDS)
        first = self.operand(kind)
        return self._one_of(["=", "<>"]), first, self.other(first, *KINDS)

    def _order(self) -> Any:
        first = self.operand(self._one_of("SNB"))
        pair = first, self.other(first, "S", "N", "B")
        return (self._one_of(ORDERS), *(pair if self._chance(5) else reversed(pair)))

    def _between(self) -> Any:
        """Two values as bounds are of one type and in order."""
        kind = self._one_of("SNB")
        value = self.operand(kind)
        low, high = self.other(value, kind), self.other(value, kind)
        if low[0] == high[0] == "value" and not reference.holds(("<=", low, high), {}):
            low, high = high, low
        return "between", value, low, high

    def _in(self) -> Any:
        first = self.operand(self._one_of(KINDS))
        return ("in", first, *(self.other(first, *KINDS) for _ in range(self._draw(st.integers(1, 4)))))

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
        first = self.path(kind) if self._chance(7) else self.literal(kind)
        return "begins_with", first, self.other(first, kind)

    def _part(self) -> Any:
        kind = self._one_of(["S", "S", "B", "B", "L", "SS", "NS", "BS"])
        first = self.path(kind) if self._chance(7) else self.literal(kind)
        wire = reference.wire(first, self._item) or {"S": ""}
        part = self._one_of(["member", "member", "path", "any"])
        if part == "path":
            return "contains", first, self.path(kind[0], kind)
        if part == "any" or "M" in wire:
            return "contains", first, self.literal(*KINDS)
        return "contains", first, ("value", self._draw(near(self._one_of(reference.parts(wire) or [wire]))))

    # Updates

    def actions(self) -> list[Any]:
        """Some actions; now and then several on the elements of one list."""
        actions = [self._action() for _ in range(self._draw(st.integers(1, 4)))]
        lists = [(path, wire["L"]) for path, wire in self._places if "L" in wire]
        if self._chance(3):
            path, elements = self._one_of(lists)
            for index in self._draw(st.permutations(range(len(elements) + 3)))[:3]:
                actions.append(
                    self._one_of([("SET", (*path, index), self.literal(*KINDS)), ("REMOVE", (*path, index))])
                )
        return actions

    def _action(self) -> Any:
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
