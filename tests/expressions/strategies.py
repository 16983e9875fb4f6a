"""Random trees of expressions that DynamoDB accepts, and items for them, for Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from pksk.errors import ExpressionError
from pksk.expressions import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Compare,
    Condition,
    Delete,
    In,
    Not,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    Update,
    Value,
)
from pksk.expressions.check import check_condition, check_paths, check_update
from pksk.values import item_to_wire, to_wire
from tests.values.strategies import SETS, VALUES

# Few names, so that paths meet; plain, reserved, and such as look like placeholders or keywords.
NAMES = st.sampled_from(
    ["a", "b", "c", "size", "status", "a.b", "#n0", ":v0", "and", "_x", "0", "größe", "n0", "A"]
)
PATHS = st.builds(
    lambda first, rest: Path((first, *rest)),
    NAMES,
    st.lists(st.one_of(NAMES, st.integers(0, 4)), max_size=3),
)
SMALL = st.one_of(
    st.integers(-3, 3), st.sampled_from(["", "a", "ab", "b", "😀"]), st.sampled_from([b"", b"a", b"ab"])
)
INNER = st.recursive(
    st.one_of(
        SMALL,
        st.booleans(),
        st.none(),
        st.sets(st.integers(0, 3), min_size=1),
        st.sets(st.sampled_from(["a", "b"]), min_size=1),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=8,
)
WIRES = st.one_of(INNER, VALUES).map(to_wire)
ITEMS = st.dictionaries(NAMES, INNER, max_size=6).map(item_to_wire)
LITERALS = WIRES.map(Value)
SIZES = PATHS.map(lambda path: Call("size", (path,)))
OPERANDS: st.SearchStrategy[Any] = st.one_of(PATHS, PATHS, LITERALS, SIZES)
ORDERED: st.SearchStrategy[Any] = st.one_of(
    PATHS, PATHS, SMALL.map(lambda value: Value(to_wire(value))), SIZES
)
TYPE_NAMES = st.sampled_from(["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"])

LEAVES: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Compare, st.sampled_from(["=", "<>"]), OPERANDS, OPERANDS),
    st.builds(Compare, st.sampled_from(["<", "<=", ">", ">="]), ORDERED, ORDERED),
    st.builds(Between, ORDERED, ORDERED, ORDERED),
    st.builds(In, OPERANDS, st.lists(OPERANDS, min_size=1, max_size=4).map(tuple)),
    st.builds(
        lambda name, path: Call(name, (path,)),
        st.sampled_from(["attribute_exists", "attribute_not_exists"]),
        PATHS,
    ),
    st.builds(lambda path, kind: Call("attribute_type", (path, Value({"S": kind}))), OPERANDS, TYPE_NAMES),
    st.builds(lambda name, one, two: Call(name, (one, two)), st.just("begins_with"), ORDERED, ORDERED),
    st.builds(lambda name, one, two: Call(name, (one, two)), st.just("contains"), OPERANDS, OPERANDS),
)


def _accepted(check: Any, tree: Any) -> bool:
    try:
        check(tree)
    except ExpressionError:
        return False
    return True


_LEGAL = LEAVES.filter(lambda leaf: _accepted(lambda tree: check_condition(tree, "FilterExpression"), leaf))
CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    _LEGAL,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map(lambda conditions: And(tuple(conditions))),
        st.lists(inner, min_size=2, max_size=4).map(lambda conditions: Or(tuple(conditions))),
        inner.map(Not),
    ),
    max_leaves=12,
)

_DEFAULTS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(PATHS, LITERALS),
    lambda inner: st.builds(lambda path, other: Call("if_not_exists", (path, other)), PATHS, inner),
    max_leaves=3,
)
_NUMBERS = st.one_of(PATHS, st.integers(-5, 5).map(lambda number: Value(to_wire(number))), _DEFAULTS)
_LISTS = st.one_of(PATHS, st.lists(SMALL, max_size=3).map(lambda values: Value(to_wire(values))), _DEFAULTS)
SET_VALUES: st.SearchStrategy[Any] = st.one_of(
    _DEFAULTS,
    st.builds(Arithmetic, st.sampled_from(["+", "-"]), _NUMBERS, _NUMBERS),
    st.builds(lambda one, two: Call("list_append", (one, two)), _LISTS, _LISTS),
)
_SET_LITERALS = st.one_of(
    SETS, st.sets(st.integers(0, 3), min_size=1), st.sets(st.sampled_from(["a", "b"]), min_size=1)
)
ACTIONS = st.one_of(
    st.builds(Set, PATHS, SET_VALUES),
    st.builds(Remove, PATHS),
    st.builds(
        Add, PATHS, st.one_of(st.integers(-5, 5), _SET_LITERALS).map(lambda value: Value(to_wire(value)))
    ),
    st.builds(Delete, PATHS, _SET_LITERALS.map(lambda value: Value(to_wire(value)))),
)
UPDATES = (
    st.lists(ACTIONS, min_size=1, max_size=5)
    .map(lambda actions: Update(tuple(actions)))
    .filter(lambda update: _accepted(check_update, update))
)
PROJECTIONS = (
    st.lists(PATHS, min_size=1, max_size=5)
    .map(lambda paths: Projection(tuple(paths)))
    .filter(
        lambda projection: _accepted(lambda tree: check_paths(tree.paths, "ProjectionExpression"), projection)
    )
)
