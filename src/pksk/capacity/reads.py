"""The cost of reads: one item, several, or pages of a query or scan.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pksk.capacity.cost import Charge, Cost
from pksk.capacity.index_entries import billed_size, index_entry, reject_vector
from pksk.capacity.units import batch_read_units, query_units, read_units, scan_units
from pksk.errors import InvalidValue
from pksk.limits import PAGE_BYTES
from pksk.schema import Index, Table
from pksk.values import WireItem, item_size


def get_cost(
    table: Table, item: WireItem | None, *, consistent: bool = False, transactional: bool = False
) -> Cost:
    """The cost of getting one item; a missing item (None) costs as much as the smallest one.

    The whole item is billed, even with a projection.

    Example:
        >>> from pksk.schema import Table
        >>> print(get_cost(Table("orders"), {"pk": {"S": "x" * 5000}}))
        1 read unit
    """
    units = read_units(billed_size(table, item), consistent=consistent, transactional=transactional)
    return Cost([Charge(table.name, read=units)])


def batch_get_cost(
    table: Table, items: Iterable[WireItem | None], *, consistent: bool = False, transactional: bool = False
) -> Cost:
    """The cost of getting many items at once, in a batch or a transaction: each rounded up for itself.

    Example:
        >>> from pksk.schema import Table
        >>> print(batch_get_cost(Table("orders"), [{"pk": {"S": "a"}}, None], consistent=True))
        2 read units
    """
    sizes = (billed_size(table, item) for item in items)
    units = batch_read_units(sizes, consistent=consistent, transactional=transactional)
    return Cost([Charge(table.name, read=units)])


def query_cost(
    table: Table,
    index_name: str | None,
    items: Iterable[WireItem],
    *,
    consistent: bool = False,
    fetch: bool = False,
    partitions: int = 1,
) -> Cost:
    """The cost of one page of a query or scan, from the items that it evaluates.

    Pass all items within the key condition; filters and projections save nothing. An index is billed by the size
    of its entries; items without an entry do not count. A page without items has the minimum cost. ``fetch`` means
    that a query of an LSI needs attributes that are not in the index: each item is then also read from the table,
    and rounded up separately. A scan takes at least the minimum from each of the `partitions` that it reads.

    Example:
        >>> from pksk.schema import LSI, Table
        >>> orders = Table("orders", indexes=[LSI("by-day", sk="day", projection="keys")])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "day": {"S": "2025-03-01"}, "note": {"S": "x" * 900}}
        >>> print(query_cost(orders, None, [item] * 10))
        1.5 read units
        >>> print(query_cost(orders, "by-day", [item] * 10))
        0.5 read units (by-day 0.5)
        >>> print(query_cost(orders, "by-day", [item] * 10, fetch=True))
        5.5 read units (table 5, by-day 0.5)
    """
    index = _readable_index(table, index_name, consistent=consistent, fetch=fetch)
    rows = list(_evaluated_rows(table, index, items))
    units = scan_units(_bytes(rows), partitions, consistent=consistent)
    return _page_cost(table, index, rows, units, consistent=consistent, fetch=fetch)


def paged_query_cost(
    table: Table,
    index_name: str | None,
    items: Iterable[WireItem],
    *,
    consistent: bool = False,
    fetch: bool = False,
    page_items: int | None = None,
    partitions: int = 1,
) -> Cost:
    """The cost of all pages of a query or scan over these items.

    A page ends with the item that exceeds 1 MB, or after `page_items` (the request's Limit); each page is rounded
    up once. A full last page is followed by an empty one, at the minimum cost. Of a scan with several small pages, the
    cost is an upper bound, as it depends on the partitions that each of them reads. Otherwise as in `query_cost`.

    Example:
        >>> from pksk.schema import Table
        >>> items = [{"pk": {"S": "a"}, "note": {"S": "x" * 1500}}] * 1000
        >>> print(paged_query_cost(Table("orders", sk=None), None, items, consistent=True))
        369 read units
    """
    index = _readable_index(table, index_name, consistent=consistent, fetch=fetch)
    pages = list(_pages(_evaluated_rows(table, index, items), page_items))
    units = [query_units(_bytes(page), consistent=consistent) for page in pages]
    read, exact = _all_units(units, partitions, query_units(0, consistent=consistent))
    rows = [row for page in pages for row in page]
    return Cost(
        _page_cost(table, index, rows, read, consistent=consistent, fetch=fetch).charges, at_most=not exact
    )


def _all_units(pages: Sequence[float], partitions: int, least: float) -> tuple[float, bool]:
    """The units of all pages, and whether they are exact and not an upper bound.

    A partition in which a page ends is read by the next one too.
    """
    visits = partitions + len(pages) - 1
    if partitions == 1 or min(pages) >= partitions * least:
        return sum(pages), True
    if max(pages) == least or len(pages) == 1:
        return max(sum(pages), visits * least), True
    return sum(pages) + (partitions - 1) * least, False


# An item, and the bytes that the table or index evaluates for it.
Row = tuple[WireItem, int]


def _evaluated_rows(table: Table, index: Index, items: Iterable[WireItem]) -> Iterator[Row]:
    for item in items:
        if index.kind == "table":
            yield item, billed_size(table, item)
        elif (entry := index_entry(index, item)) is not None:
            yield item, item_size(entry)


def _bytes(rows: Iterable[Row]) -> int:
    return sum(size for _, size in rows)


def _page_cost(
    table: Table, index: Index, rows: Sequence[Row], units: float, *, consistent: bool, fetch: bool
) -> Cost:
    cost = Cost([Charge(table.name, index.name, read=units)])
    if fetch and index.projection != "all":
        cost += batch_get_cost(table, (item for item, _ in rows), consistent=consistent)
    return cost


def _pages(rows: Iterable[Row], most: int | None) -> Iterator[list[Row]]:
    page: list[Row] = []
    total = 0
    for row in rows:
        page.append(row)
        total += row[1]
        if total > PAGE_BYTES or len(page) == most:
            yield page
            page, total = [], 0
    # After a full page, DynamoDB does not know whether it was the last; an empty page follows.
    yield page


def _readable_index(table: Table, index_name: str | None, *, consistent: bool, fetch: bool) -> Index:
    index = table.index(index_name)
    reject_vector(index)
    if consistent and index.kind == "gsi":
        raise InvalidValue(
            "cost-consistent-index",
            f"{table}: GSI {index.name!r} cannot be read consistently.",
            expected="A global secondary index is always updated with a short delay.",
            fix="leave consistent out, or read the table or an LSI.",
        )
    if fetch and index.kind != "lsi":
        what = f"GSI {index.name!r} has only" if index.kind == "gsi" else "a query of the table already reads"
        raise InvalidValue(
            "cost-fetch",
            f"{table}: {what} {'what it projects' if index.kind == 'gsi' else 'whole items'}.",
            expected="Only a query of an LSI fetches further attributes from the table.",
            fix="leave fetch out; for a GSI, add batch_get_cost() of the items.",
        )
    return index
