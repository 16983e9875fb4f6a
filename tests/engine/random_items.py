"""Random items with every type, and values near those that they hold, for Hypothesis.

Numbers and sets are spelled as people spell them: 1.0, 1e0, members in any order. No name is pk or sk.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.engine.expression_text import NAMES
from tests.values.strategies import BINARIES, NUMBERS, TEXTS

KINDS = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")

# Values: few and near each other, so that comparisons come out both ways, and now and then any at all.

_NAMES = st.sampled_from(NAMES)
_TEXTS = st.one_of(st.sampled_from(["", "a", "ab", "abcab", "é", "a😀", "😀b", "\uffff", "S"]), TEXTS)
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
_BINARIES = st.one_of(st.sampled_from([b"", b"a", b"ab", b"abcab", b"\xff", b"\x00"]), BINARIES).map(
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
OF_KIND: dict[str, st.SearchStrategy[Any]] = {**_LEAVES, "L": _lists(_WIRES), "M": _maps(_WIRES)}


@st.composite
def items(draw: st.DrawFn) -> dict[str, Any]:
    """An item with an attribute of each of the ten types; some names it does not have."""
    names = draw(st.permutations(NAMES))
    return {name: draw(OF_KIND[kind]) for name, kind in zip(names, KINDS, strict=False)}


@st.composite
def near(draw: st.DrawFn, wire: Any) -> Any:
    """The value in another spelling, or with a little less or more of it."""
    ((kind, inner),) = wire.items()
    if kind == "N":
        return {"N": draw(st.sampled_from([inner, f"{Decimal(inner):E}", *_neighbours(inner)]))}
    if kind in {"S", "B"}:
        raw = inner if kind == "S" else b64decode(inner)
        start, end = (draw(st.integers(0, len(raw))) for _ in range(2))
        part = raw[min(start, end) : max(start, end)] if draw(st.booleans()) else raw
        return {kind: part if isinstance(part, str) else b64encode(part).decode()}
    if kind in {"SS", "NS", "BS"}:
        members = draw(st.permutations(inner))
        return {kind: members[draw(st.integers(0, 1)) :] or members}
    if kind == "L":
        return {"L": inner[draw(st.integers(0, 1)) :]}
    if kind == "M":
        names = draw(st.permutations(list(inner)))[draw(st.integers(0, 1)) :]
        return {"M": {name: inner[name] for name in names}}
    return wire


def _neighbours(text: str) -> list[str]:
    """One less and one more, where that is a number of DynamoDB's still."""
    number = Decimal(text)
    return [str(number - 1), str(number + 1)] if abs(number) < 10**9 and len(text) < 20 else []
