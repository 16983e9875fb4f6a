"""The rows that follow from an item: its index entries, and its place in the order of expiry."""

from __future__ import annotations

from typing import Any, Final

import orjson

from pksk.capacity.units import write_units
from pksk.engine.core import Core
from pksk.engine.row_layout import RowLayout
from pksk.engine.state import Expiry, IndexEntryWrite, Outcome, Write
from pksk.engine.storage import Row, Writer
from pksk.values import WireItem, item_size


def update_index_entries(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> int:
    """Write and remove the index entries of a changed item, and note their units.

    Returns by how many bytes the entries of local indexes have grown.
    """
    old, new = outcome.old_item, outcome.new_item
    old_whole, new_whole = _image_sizes(write, outcome)
    grown = 0
    written: list[IndexEntryWrite] = []
    for name, index in write.table.indexes.items():
        before = old if old is not None and index.includes(old) else None
        after = new if new is not None and index.includes(new) else None
        if before is None and after is None:
            continue
        stays = before is not None and after is not None and _same_key(index, before, after)
        if stays and _same_entry(index, before, after):
            continue
        old_size = 0 if before is None else index.entry_size(before, old_whole)
        row = None if after is None else index.row(after, Row(write.key, new_whole, data))
        new_size = 0 if row is None else row.size
        lag = core.lag if index.kind == "gsi" else None
        # An entry with the same key costs the larger image, and one with another key both images.
        units = 0.0
        if before is not None and not stays:
            key = index.key_of(before) + write.key
            if lag is not None:
                lag.note(index.space, key, writer.get(index.space, key))
            writer.delete(index.space, key)
            units = write_units(old_size)
            written.append(IndexEntryWrite(index, key, units, old_size, 0))
        if row is not None:
            if lag is not None:
                lag.note(index.space, row.key, writer.get(index.space, row.key))
            writer.put(index.space, *row)
            stored_size = old_size if stays else 0
            put_units = write_units(max(stored_size, new_size))
            units += put_units
            written.append(IndexEntryWrite(index, row.key, put_units, stored_size, new_size))
        outcome.index_units[name] = units
        if index.kind == "lsi":
            grown += new_size - old_size
    outcome.entries = written
    return grown


def _image_sizes(write: Write, outcome: Outcome) -> tuple[int, int]:
    """The sizes of both images. Entries store vectors as lists of numbers, which is not how the table is billed."""
    if write.table.vectors:
        old, new = outcome.old_item, outcome.new_item
        return 0 if old is None else item_size(old), 0 if new is None else item_size(new)
    return 0 if outcome.old is None else outcome.old.size, outcome.new_size


def _same_key(index: RowLayout, before: WireItem, after: WireItem) -> bool:
    for attribute in index.keys:  # noqa: SIM110  # quicker than all()
        if before[attribute.name] != after[attribute.name]:
            return False
    return True


def _same_entry(index: RowLayout, old: Any, new: Any) -> bool:
    projected = index.projected
    if projected is None:
        return bool(old == new)
    return all(old.get(name) == new.get(name) for name in projected)


SECOND_BYTES: Final = 8
# Added to a second, so that negative seconds sort before positive ones.
_BIAS: Final = 2 ** (8 * SECOND_BYTES - 1)
# Enough for any real time, and few enough to convert quickly.
_MOST_DIGITS: Final = 18


def expires_at(item: WireItem | None, attribute: str) -> int | None:
    """The second at which an item expires; None for a value that is not a whole number of seconds.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html
    """
    value = None if item is None else item.get(attribute)
    if value is None:
        return None
    digits = value.get("N")
    if digits is None or len(digits) > _MOST_DIGITS:
        return None
    try:
        return int(digits)
    except ValueError:  # a fraction or an exponent
        return None


def second_key(second: int) -> bytes:
    """The first bytes of the row keys of items that expire at a second."""
    return min(max(second + _BIAS, 0), 2 * _BIAS - 1).to_bytes(SECOND_BYTES)


def update_expiry_row(
    writer: Writer, expiry: Expiry, key: bytes, old: WireItem | None, new: WireItem | None
) -> None:
    """Move the expiry row of an item that a write changes."""
    before, after = expires_at(old, expiry.attribute), expires_at(new, expiry.attribute)
    if before == after:
        return
    if before is not None:
        writer.delete(expiry.space, second_key(before) + key)
    if after is not None:
        writer.put(expiry.space, second_key(after) + key, 0, b"")


def backfill_expiry(writer: Writer, table_space: int, expiry: Expiry) -> None:
    """Write the expiry rows of all items."""
    for row in writer.rows(table_space, b"", None):
        update_expiry_row(writer, expiry, row.key, None, orjson.loads(row.data))
