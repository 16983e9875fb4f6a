"""Storage counts 100 bytes for each item, and for each entry of an index."""

from __future__ import annotations

from pksk.capacity import index_entry, stored_bytes, stored_size
from pksk.schema import Table, VectorIndex
from pksk.values import item_size
from tests.capacity.sample import entry_of, item, item_of, measured, narrow


def test_every_item_and_entry_counts_100_bytes_beside_its_own() -> None:
    rows = [item_of(5000, entry_of(300)), item_of(700)]
    entry = index_entry(narrow.index("gsi-inc"), rows[0])

    assert item_size(entry or {}) == 300
    assert stored_bytes(narrow, rows) == {None: 5900, "gsi-inc": 400, "lsi-inc": 0}


def test_a_replica_counts_48_bytes_more_for_each_item() -> None:
    assert stored_bytes(measured, [item_of(700)] * 2, replicated=True)[None] == 2 * 848
    assert stored_size(1000, 400, replicated=True) == 548_000


def test_items_of_a_mean_size_count_as_the_items_do() -> None:
    assert stored_size(3, 700) == stored_bytes(measured, [item_of(700)] * 3)[None]


def test_a_vector_index_is_left_out_and_its_attribute_counts_4_bytes_a_number() -> None:
    notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3)])

    assert stored_bytes(notes, [item() | {"v": {"L": [{"N": "0.123456789"}] * 3}}]) == {
        None: 6 + 1 + 12 + 100
    }
