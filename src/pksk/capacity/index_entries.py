"""Index entries: the attributes of an item in an index, and the billed bytes of items and storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeGuard

from pksk.capacity.cost import check_amount
from pksk.errors import SchemaError
from pksk.schema import ALL, Index, Table, VectorIndex
from pksk.values import WireItem, item_size, value_size

_BYTES_PER_DIMENSION: Final = 4


def index_entry(index: Index, item: WireItem) -> WireItem | None:
    """What a GSI or LSI of a table keeps of an item; None where the item is not in it.

    An item is in an index when it has every attribute of the index's keys, each of its type
    and not empty. The entry holds the keys of index and table, and what the projection adds.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> orders = Table("orders", indexes=[GSI("by-day", pk="day", projection=["total"])])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "total": {"N": "5"}, "note": {"S": "long"}}
        >>> index_entry(orders.index("by-day"), item)
        >>> index_entry(orders.index("by-day"), item | {"day": {"S": "2025-03-01"}})
        {'pk': {'S': 'a'}, 'sk': {'S': 'b'}, 'total': {'N': '5'}, 'day': {'S': '2025-03-01'}}
    """
    reject_vector(index)
    _reject_unbound(index)
    for attribute in index.typed_attributes:
        # An empty string or binary is not a key.
        if not item.get(attribute.name, {}).get(attribute.type):
            return None
    projected = index.projected
    if projected is ALL:
        return dict(item)
    return {name: value for name, value in item.items() if name in projected}


def billed_size(table: Table, item: WireItem | None) -> int:
    """The bytes that a read or write of an item is billed by, in the table itself; 0 for no item.

    It is `item_size`, but a list of numbers that a vector index uses counts 4 bytes for each.
    The limit of 400 KB, and the entries of other indexes, count the list as it is.

    Example:
        >>> from pksk.schema import Table, VectorIndex
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3)])
        >>> billed_size(notes, {"pk": {"S": "a"}, "v": {"L": [{"N": "0.123456789"}] * 3}})
        16
    """
    if item is None:
        return 0
    size = item_size(item)
    # Indexes on one attribute have the same dimensions.
    for name, dimensions in {
        index.attribute: index.dimensions for index in table.indexes if isinstance(index, VectorIndex)
    }.items():
        if is_vector(item.get(name), dimensions):
            size += _BYTES_PER_DIMENSION * dimensions - value_size(item[name])
    return size


def is_vector(wire: Mapping[str, Any] | None, dimensions: int) -> TypeGuard[Mapping[str, Any]]:
    """Whether an attribute holds as many numbers as a vector index has dimensions."""
    return wire is not None and len(wire.get("L", ())) == dimensions


def vector_size(index: VectorIndex) -> int:
    """The bytes of the vector itself, with the name of its attribute."""
    return len(index.attribute.encode()) + _BYTES_PER_DIMENSION * index.dimensions


def reject_vector(index: Index) -> None:
    """Rejects a vector index, which has no units to count."""
    if index.kind == "vector":
        raise SchemaError(
            "cost-vector-index",
            f"VectorIndex {index.name!r} is not billed in capacity units.",
            expected="AWS bills vector indexes by the gigabyte written and searched.",
            fix="see vector_write_gb and vector_search_gb of the prices, or name a GSI or LSI.",
        )


def _reject_unbound(index: Index) -> None:
    if index.kind != "table" and not index.base_key:
        raise SchemaError(
            "cost-index-alone",
            f"{index!r} does not belong to a table, so the keys in its entries are unknown.",
            expected="Index entries contain the keys of the table and of the index.",
            fix=f"pass table.index({index.name!r}).",
        )


ITEM_OVERHEAD_BYTES: Final = 100
REPLICATED_OVERHEAD_BYTES: Final = 48


def stored_bytes(
    table: Table, items: Iterable[WireItem], *, replicated: bool = False
) -> dict[str | None, int]:
    """The bytes of storage of a table, by the name of each index; None is the table itself.

    Each item, and each entry of an index, counts 100 bytes beside its own; in a global table
    (``replicated``) an item counts 48 more. Vector indexes are left out: how their entries are
    stored is not published.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> orders = Table("orders", indexes=[GSI("by-day", pk="day", projection="keys")])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "note": {"S": "x" * 500}}
        >>> stored_bytes(orders, [item, item | {"sk": {"S": "c"}, "day": {"S": "2025-03-01"}}])
        {None: 1233, 'by-day': 119}
    """
    indexes = [index for index in table.indexes if index.kind != "vector"]
    totals: dict[str | None, int] = {None: 0, **{index.name: 0 for index in indexes}}
    for item in items:
        totals[None] += int(stored_size(1, billed_size(table, item), replicated=replicated))
        for index in indexes:
            entry = index_entry(index, item)
            totals[index.name] += 0 if entry is None else int(stored_size(1, item_size(entry)))
    return totals


def stored_size(items: float, item_bytes: float, *, replicated: bool = False) -> float:
    """The bytes of storage of so many items, or index entries, of a mean size.

    Example:
        >>> stored_size(1_000_000, 400)
        500000000
    """
    overhead = ITEM_OVERHEAD_BYTES + (REPLICATED_OVERHEAD_BYTES if replicated else 0)
    return check_amount("items", items) * (check_amount("item_bytes", item_bytes) + overhead)
