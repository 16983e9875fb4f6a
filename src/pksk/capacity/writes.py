"""The cost of writes: the table by the larger image, each index by its changed entry, vector indexes by bytes.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from __future__ import annotations

from collections.abc import Iterable

from pksk.capacity.cost import Charge, Cost
from pksk.capacity.index_entries import billed_size, index_entry, is_vector, vector_size
from pksk.capacity.units import read_units, write_units
from pksk.expressions.compare import equal
from pksk.limits import VECTOR_REQUEST_BYTES
from pksk.schema import ALL, Index, Table, VectorIndex
from pksk.values import WireItem, item_size


def write_cost(
    table: Table, before: WireItem | None, after: WireItem | None, *, transactional: bool = False
) -> Cost:
    """The cost of a put, update or delete, from the images before and after.

    None means no item: before the first put, or after a delete. A transaction doubles the charge of the table, but
    not of its indexes.

    Example:
        >>> from pksk.schema import GSI, Table
        >>> orders = Table("orders", indexes=[GSI("by-status", pk="status")])
        >>> open_one = {"pk": {"S": "a"}, "sk": {"S": "b"}, "status": {"S": "open"}}
        >>> print(write_cost(orders, None, open_one))
        2 write units (table 1, by-status 1)
        >>> print(write_cost(orders, open_one, open_one | {"status": {"S": "paid"}}, transactional=True))
        4 write units (table 2, by-status 2)
    """
    charges = [Charge(table.name, write=_table_units(table, before, after, transactional=transactional))]
    for index in table.indexes:
        if index.kind != "vector":
            charges.append(Charge(table.name, index.name, write=_index_units(index, before, after)))
    return Cost(charges)


def batch_write_cost(
    table: Table,
    changes: Iterable[tuple[WireItem | None, WireItem | None]],
    *,
    transactional: bool = False,
) -> Cost:
    """The cost of many writes at once, each with its images; every item is rounded up separately.

    Example:
        >>> from pksk.schema import Table
        >>> puts = [(None, {"pk": {"S": "x" * 500}}), (None, {"pk": {"S": "x" * 1500}})]
        >>> print(batch_write_cost(Table("orders", sk=None), puts))
        3 write units
    """
    costs = (write_cost(table, *images, transactional=transactional) for images in changes)
    return Cost(charge for cost in costs for charge in cost.charges)


def check_cost(table: Table, item: WireItem | None) -> Cost:
    """The cost of a ConditionCheck in a transaction: twice the write of the item that it reads.

    Example:
        >>> from pksk.schema import Table
        >>> print(check_cost(Table("orders"), None))
        2 write units
    """
    return Cost([Charge(table.name, write=write_units(billed_size(table, item), transactional=True))])


def replay_cost(table: Table, before: WireItem | None, after: WireItem | None) -> Cost:
    """The cost of one write of a repeated transaction with the same token, which writes nothing.

    It is billed as a transactional read of the larger image of the first call.

    Example:
        >>> from pksk.schema import Table
        >>> print(replay_cost(Table("orders"), {"pk": {"S": "x" * 9000}}, None))
        6 read units
    """
    size = max(billed_size(table, before), billed_size(table, after))
    return Cost([Charge(table.name, read=read_units(size, transactional=True))])


def failed_condition_cost(
    table: Table, before: WireItem | None, after: WireItem | None, *, transactional: bool = False
) -> Cost:
    """The maximum cost of a write whose condition fails, or whose transaction is cancelled.

    Sources agree that such a write is billed, but not whether by the stored or the new item; this takes the
    larger. Indexes are not written. A cancelled transaction reports no units, but may still be billed.

    Example:
        >>> from pksk.schema import Table
        >>> print(failed_condition_cost(Table("orders"), {"pk": {"S": "x" * 2000}}, {"pk": {"S": "x"}}))
        at most 2 write units
    """
    units = _table_units(table, before, after, transactional=transactional)
    return Cost([Charge(table.name, write=units)], at_most=True)


def _table_units(
    table: Table, before: WireItem | None, after: WireItem | None, *, transactional: bool
) -> float:
    size = max(billed_size(table, before), billed_size(table, after))
    return write_units(size, transactional=transactional)


def _index_units(index: Index, before: WireItem | None, after: WireItem | None) -> float:
    """The charge of a global or local index for the change of its entry."""
    old = None if before is None else index_entry(index, before)
    new = None if after is None else index_entry(index, after)
    if old is None or new is None or not _same_keys(index, old, new):
        return _entry_units(old) + _entry_units(new)
    return 0.0 if _same(old, new) else max(_entry_units(old), _entry_units(new))


def _entry_units(entry: WireItem | None) -> float:
    return 0.0 if entry is None else write_units(item_size(entry))


def _same_keys(index: Index, old: WireItem, new: WireItem) -> bool:
    return all(equal(old[attribute.name], new[attribute.name]) for attribute in index.typed_attributes)


def _same(old: WireItem, new: WireItem) -> bool:
    """Whether an entry stays the same: numbers compare by value, sets in any order."""
    return old == new or (old.keys() == new.keys() and all(equal(old[name], new[name]) for name in old))


def vector_entry_size(index: VectorIndex, item: WireItem) -> int | None:
    """The bytes of an item's entry in a vector index; None if the item has no entry.

    An item has an entry if its vector has the dimensions of the index, and it has the partition key of the index,
    if there is one. Each number counts 4 bytes.

    Example:
        >>> from pksk.schema import Table
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=3, projection="keys")])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "v": {"L": [{"N": "0.5"}] * 3}, "text": {"S": "long"}}
        >>> vector_entry_size(notes.indexes[0], item)
        19
    """
    entry = _vector_entry(index, item)
    if entry is None:
        return None
    rest = {name: value for name, value in entry.items() if name != index.attribute}
    return item_size(rest) + vector_size(index)


def vector_write_bytes(table: Table, before: WireItem | None, after: WireItem | None) -> dict[str, int]:
    """The billed bytes of a write in each vector index of a table.

    The price is `vector_write_gb`. An entry counts at least 1 KB, and nothing if it does not change.

    Example:
        >>> from pksk.schema import Table
        >>> notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=1000)])
        >>> item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "v": {"L": [{"N": "0.5"}] * 1000}}
        >>> vector_write_bytes(notes, None, item), vector_write_bytes(notes, item, item)
        ({'near': 4007}, {})
    """
    vectors = [index for index in table.indexes if isinstance(index, VectorIndex)]
    return {index.name: size for index in vectors if (size := _vector_write_size(index, before, after))}


def _vector_write_size(index: VectorIndex, before: WireItem | None, after: WireItem | None) -> int:
    old, new = (None if item is None else _vector_entry(index, item) for item in (before, after))
    if _same_vector_entry(old, new):
        return 0
    sizes = [vector_entry_size(index, item) or 0 for item in (before, after) if item is not None]
    return max(VECTOR_REQUEST_BYTES, *sizes)


def _same_vector_entry(old: WireItem | None, new: WireItem | None) -> bool:
    if old is None or new is None:
        return old is new
    return old.keys() == new.keys() and all(equal(old[name], new[name]) for name in old)


def _vector_entry(index: VectorIndex, item: WireItem) -> WireItem | None:
    keyed = all(item.get(part.name, {}).get(part.type) for part in index.partition_key)
    if not keyed or not is_vector(item.get(index.attribute), index.dimensions):
        return None
    projected = index.projected
    return (
        dict(item) if projected is ALL else {name: value for name, value in item.items() if name in projected}
    )
