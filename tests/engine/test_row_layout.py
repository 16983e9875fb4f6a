"""The keys of rows in storage."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pksk.engine.row_layout import KeyAttribute, RowLayout, stored_bytes
from pksk.engine.storage import Row
from pksk.values import WireItem

PK, SK, A, B = (KeyAttribute(name, kind) for name, kind in (("pk", "S"), ("sk", "N"), ("a", "S"), ("b", "B")))
TABLE = RowLayout(None, "table", 1, (PK,), (SK,))
INDEXES = [
    RowLayout("one", "gsi", 2, (A,), (), TABLE.keys, frozenset({"pk", "sk", "a"})),
    RowLayout("own", "lsi", 3, (PK,), (B,), TABLE.keys),
    RowLayout("several", "gsi", 4, (A, B), (SK, PK), TABLE.keys),
]

# Zero bytes end a part of a key, and are escaped inside it.
texts = st.text(st.sampled_from("\x00\x01a\xff"), min_size=1, max_size=6)
binaries = st.sampled_from(["AA==", "AAA=", "/w==", "AP8=", "AQ=="])
items: st.SearchStrategy[WireItem] = st.fixed_dictionaries(
    {
        "pk": st.fixed_dictionaries({"S": texts}),
        "sk": st.fixed_dictionaries({"N": st.integers(-300, 300).map(str)}),
        "a": st.fixed_dictionaries({"S": texts}),
        "b": st.fixed_dictionaries({"B": binaries}),
    }
)


@given(items, st.sampled_from(INDEXES))
def test_the_key_of_an_index_row_ends_with_that_of_the_items_own_row(
    item: WireItem, index: RowLayout
) -> None:
    own = Row(TABLE.key_of(item), 1, stored_bytes(item))
    row = index.row(item, own)

    assert index.base_key(row.key) == own.key
    assert row.key.startswith(index.key_of(item))
