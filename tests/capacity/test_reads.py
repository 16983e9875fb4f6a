"""Reads cost what AWS documents and was measured to charge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.capacity import Charge, Cost, batch_get_cost, get_cost, paged_query_cost, query_cost
from pksk.errors import InvalidValue, PkskError, SchemaError
from pksk.schema import GSI, Table, VectorIndex
from pksk.values import WireItem, item_size
from tests.capacity.sample import KB, entry_of, item, item_of, items, measured, narrow, varied


def read(units: float, index: str | None = None) -> Cost:
    return Cost([Charge("measured", index, read=units)])


@pytest.mark.parametrize(
    ("found", "eventual", "consistent", "transactional"),
    [
        (None, 0.5, 1, 2),
        (item(), 0.5, 1, 2),
        (item_of(4 * KB), 0.5, 1, 2),
        (item_of(4 * KB + 1), 1, 2, 4),
        (item_of(9 * KB), 1.5, 3, 6),
    ],
)
def test_a_get_is_rounded_up_to_4_kb(
    found: WireItem | None, eventual: float, consistent: float, transactional: float
) -> None:
    assert get_cost(measured, found) == read(eventual)
    assert get_cost(measured, found, consistent=True) == read(consistent)
    assert get_cost(measured, found, transactional=True) == read(transactional)


def test_a_batch_is_rounded_up_item_by_item() -> None:
    two = [item_of(int(1.5 * KB)), item_of(int(6.5 * KB))]

    assert batch_get_cost(measured, two, consistent=True) == read(3)
    assert batch_get_cost(measured, two) == read(1.5)
    assert batch_get_cost(measured, [None, *two], transactional=True) == read(8)
    assert batch_get_cost(measured, []) == Cost()


@pytest.mark.parametrize(
    ("sizes", "units"),
    [([int(20.4 * KB)] * 2, 11), ([64] * 1500, 24), ([], 1), ([4 * KB], 1), ([4 * KB, 15], 2)],
)
def test_a_page_of_a_query_is_rounded_up_once(sizes: list[int], units: float) -> None:
    page = [item_of(size) for size in sizes]

    assert query_cost(measured, None, page, consistent=True) == read(units)
    assert query_cost(measured, None, page) == read(units / 2)


def test_a_query_of_an_index_is_charged_to_the_index_by_its_entries() -> None:
    page = [entry_of(2000)] * 8
    with_more = [item_of(9 * KB, row) for row in page]

    assert query_cost(measured, "gsi-inc", page) == read(2, "gsi-inc")
    assert query_cost(measured, "gsi-inc", with_more) == read(2, "gsi-inc")
    assert query_cost(measured, "gsi-inc", []) == read(0.5, "gsi-inc")


def test_an_item_that_is_not_in_the_index_is_not_evaluated() -> None:
    page = [entry_of(2000), item_of(9 * KB)]

    assert query_cost(measured, "gsi-inc", page) == query_cost(measured, "gsi-inc", page[:1])


@pytest.mark.parametrize(
    ("rows", "entry_bytes", "item_bytes", "consistent", "table", "index"),
    [
        pytest.param(4, 200, 300, True, 4, 1, id="the guide's 4 KB and 16 KB"),
        pytest.param(3, 50, 100, False, 1.5, 0.5, id="three small rows"),
        pytest.param(3, 50, 9 * KB, False, 4.5, 0.5, id="three rows of 9 KB"),
        pytest.param(3, 50, 9 * KB, True, 9, 1, id="three rows of 9 KB, consistent"),
        pytest.param(0, 50, 100, False, 0, 0.5, id="no rows"),
    ],
)
def test_a_query_of_an_lsi_that_fetches_reads_each_item_from_the_table_too(
    rows: int, entry_bytes: int, item_bytes: int, consistent: bool, table: float, index: float
) -> None:
    page = [item_of(item_bytes, entry_of(entry_bytes, "lsiSk"))] * rows
    cost = query_cost(narrow, "lsi-inc", page, consistent=consistent, fetch=True)

    assert cost == Cost([Charge("narrow", read=table), Charge("narrow", "lsi-inc", read=index)])


def test_a_query_of_an_lsi_with_all_attributes_fetches_no_items() -> None:
    page = [item(lsiSk="l")]

    assert query_cost(measured, "lsi-all", page, fetch=True) == query_cost(measured, "lsi-all", page)


def test_pages_end_with_the_item_that_takes_them_past_1_mb_and_are_rounded_up_each() -> None:
    rows = [item_of(300 * KB + 1)] * 7

    # The fourth is past it: 301 units of 4 KB, and 226 for the other three.
    assert paged_query_cost(measured, None, rows, consistent=True) == read(301 + 226)


def test_a_full_page_of_small_items_costs_128_and_a_half() -> None:
    assert paged_query_cost(measured, None, [item_of(1042)] * (3 * 1007 + 1)) == read(3 * 128.5 + 0.5)


def test_a_last_page_that_is_full_is_followed_by_one_without_items() -> None:
    full = [item_of(1042)] * 3 * 1007

    assert paged_query_cost(measured, None, full) == read(3 * 128.5 + 0.5)
    assert paged_query_cost(measured, None, [item()] * 6, consistent=True, page_items=2) == read(4)
    assert paged_query_cost(measured, None, [], page_items=2) == read(0.5)


def test_pages_end_at_their_limit() -> None:
    assert paged_query_cost(measured, None, [item()] * 7, consistent=True, page_items=2) == read(4)


def test_a_scan_takes_at_least_the_minimum_from_each_partition() -> None:
    assert paged_query_cost(measured, None, [], partitions=4) == read(2)
    assert paged_query_cost(measured, "gsi-inc", [item()], partitions=4) == read(2, "gsi-inc")
    assert paged_query_cost(
        measured, None, [item()] * 7, consistent=True, page_items=2, partitions=4
    ) == read(7)
    assert paged_query_cost(measured, None, [item_of(300 * KB + 1)] * 7, consistent=True, partitions=4) == (
        read(301 + 226)
    )


def test_pages_of_an_index_hold_its_entries() -> None:
    rows = [item_of(300 * KB, entry_of(100))] * 7

    assert paged_query_cost(narrow, "gsi-inc", rows) == query_cost(narrow, "gsi-inc", rows)


@given(st.lists(items, max_size=8), st.sampled_from([None, "gsi-all", "gsi-keys", "gsi-four", "lsi-inc"]))
def test_items_that_fit_one_page_cost_one_page_and_never_more_than_single_reads(
    rows: list[WireItem], index: str | None
) -> None:
    cost = query_cost(varied, index, rows)

    assert paged_query_cost(varied, index, rows) == cost
    assert 0.5 <= cost.read <= max(0.5, batch_get_cost(varied, rows).read)
    assert paged_query_cost(varied, index, rows, page_items=1).read >= cost.read


@pytest.mark.parametrize(
    ("index", "options", "code"),
    [
        ("gsi-inc", {"consistent": True}, "cost-consistent-index"),
        ("gsi-inc", {"fetch": True}, "cost-fetch"),
        (None, {"fetch": True}, "cost-fetch"),
        ("gsi-icn", {}, "schema-unknown-index"),
    ],
)
def test_an_impossible_query_raises(index: str | None, options: dict[str, bool], code: str) -> None:
    for price in (query_cost, paged_query_cost):
        with pytest.raises(PkskError) as raised:
            price(measured, index, [], **options)

        assert isinstance(raised.value, InvalidValue | SchemaError)
        assert (raised.value.code, bool(raised.value.fix)) == (code, True)


def test_vectors_are_read_at_4_bytes_a_number_and_projected_at_full_size() -> None:
    near = VectorIndex("near", attribute="v", dimensions=300)
    notes = Table("notes", indexes=[near, GSI("by-day", pk="day")])
    row = item(day="d") | {"v": {"L": [{"N": "0.1234567890123456789"}] * 300}}

    assert item_size(row) == 3614
    assert query_cost(notes, None, [row] * 3).read == 0.5
    assert query_cost(notes, "by-day", [row] * 3).read == 1.5
    with pytest.raises(SchemaError, match="not billed in capacity units"):
        query_cost(notes, "near", [row])
