"""Values as DynamoDB can hold them, for Hypothesis."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)


def _number(sign: str, digits: str, magnitude: int) -> Decimal:
    return Decimal(f"{sign}{digits[0]}.{digits[1:]}E{magnitude}")


NUMBERS: st.SearchStrategy[Decimal] = st.one_of(
    st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal),
    st.integers(-1000, 1000).map(lambda n: Decimal(n) / 8),
    st.builds(
        _number,
        st.sampled_from(["", "-"]),
        st.text("0123456789", min_size=1, max_size=37).map(lambda digits: "1" + digits),
        st.integers(-130, 125),
    ),
    st.sampled_from([Decimal("-0.0"), Decimal("9.99E+125"), Decimal("1E-130"), Decimal(0)]),
)
INTS = st.one_of(st.integers(-(10**38) + 1, 10**38 - 1), st.integers(-300, 300))
BINARIES = st.binary(max_size=12)
SETS: st.SearchStrategy[Any] = st.one_of(
    st.sets(TEXTS, min_size=1, max_size=4),
    st.sets(st.one_of(INTS, NUMBERS), min_size=1, max_size=4),
    st.sets(BINARIES, min_size=1, max_size=4),
)
SCALARS: st.SearchStrategy[Any] = st.one_of(TEXTS, INTS, NUMBERS, BINARIES, st.booleans(), st.none(), SETS)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
ITEMS = st.dictionaries(NAMES, VALUES, max_size=6)
