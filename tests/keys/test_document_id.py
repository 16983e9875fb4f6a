"""Document ids: reversible, distinct, and never too long."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import example, given
from hypothesis import strategies as st

from pksk import doc_id, parse_doc_id
from pksk.keys import is_hashed_doc_id
from pksk.keys.document_id import KeyValue

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
HARD = st.text("%#nbh25 3a", min_size=1, max_size=8)
NUMBERS = st.integers(-(10**38) + 1, 10**38 - 1) | st.decimals(
    allow_nan=False, allow_infinity=False, places=5, min_value=-(10**20), max_value=10**20
)
KEYS: st.SearchStrategy[KeyValue] = TEXTS | HARD | NUMBERS | st.binary(min_size=1, max_size=60)
SORTS = st.none() | KEYS


@given(KEYS, SORTS)
@example("%n5", None)
@example("%h", "%b")
@example("a#b", "c")
def test_an_id_gives_both_keys_back(partition: KeyValue, sort: KeyValue | None) -> None:
    made = doc_id(partition, sort)

    assert parse_doc_id(made) == (partition, sort)
    assert [type(key) is str for key in parse_doc_id(made)] == [
        isinstance(key, str) for key in (partition, sort)
    ]


@given(KEYS, SORTS, KEYS, SORTS)
@example("a#b", "c", "a", "b#c")
@example("a", None, "a", "b")
@example("5", None, 5, None)
def test_different_keys_have_different_ids(
    a: KeyValue, b: KeyValue | None, c: KeyValue, d: KeyValue | None
) -> None:
    same = (str(type(a)), a, b) == (str(type(c)), c, d) or (a, b) == (c, d)

    assert (doc_id(a, b) == doc_id(c, d)) == same


@given(st.text("ab%#é😀", min_size=1, max_size=2048), st.text("ab%#é😀", min_size=1, max_size=1024))
def test_an_id_is_never_longer_than_512_bytes(partition: str, sort: str) -> None:
    made = doc_id(partition, sort)

    assert len(made.encode()) <= 512
    assert is_hashed_doc_id(made) or parse_doc_id(made) == (partition, sort)


def test_ids_stay_as_people_write_them() -> None:
    assert doc_id("productDate::park_1::dayuse::1", "1::2025-12-31") == (
        "productDate::park_1::dayuse::1#1::2025-12-31"
    )
    assert doc_id("x", Decimal("1.50")) == "x#%n1.5"
    assert doc_id(b"\x00\xff") == "%bAP8"


def test_the_longest_id_that_is_not_a_hash_has_512_bytes() -> None:
    assert not is_hashed_doc_id(doc_id("x" * 510, "y"))
    assert is_hashed_doc_id(doc_id("x" * 511, "y"))
