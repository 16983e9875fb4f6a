"""Change records: what a table with a stream keeps of each write, in the order of the writes."""

from __future__ import annotations

import orjson

from pksk.engine.core import Core
from pksk.engine.storage import Writer
from pksk.engine.streams.rows import NUMBER_BYTES
from pksk.values import Wire, WireItem
from pksk.values.size import item_size

from .write import Outcome, Write

__all__ = ["record"]


def record(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> None:
    """Keep a change of an item whose new image, if it has one, is stored as `data`; `shown` shows it."""
    # All of the table is read here, where nobody else can be changing it.
    table, old, new, by = write.table, outcome.old, outcome.new_item, write.by
    space, view = table.changes, table.stream_view
    assert space is not None
    assert view is not None
    keys: WireItem = {}
    size = 0
    for attribute in table.rows.keys:
        name = attribute.name
        keys[name] = value = write.key_item[name]
        size += _size(name, value)
    images = b""
    if new is not None and "NEW_" in view:
        images = b',"NewImage":' + data
        size += outcome.new_size
    if old is not None and "OLD_" in view:
        images += b',"OldImage":' + old.data
        size += old.size
    event = b"INSERT" if old is None else b"REMOVE" if new is None else b"MODIFY"
    change = b'%d %b %b "Keys":%b%b' % (
        int(core.now()), event, b"" if by is None else by.encode(), orjson.dumps(keys), images,
    )  # fmt: skip
    number = core.sequences.next(writer, table.settings["streams"][-1])
    shard = table.shards[table.partitions.find(write.key).number]
    writer.put(space, shard + number.to_bytes(NUMBER_BYTES), size, change)


def _size(name: str, value: Wire) -> int:
    """The size of a key attribute; most are texts, and need not be measured character by character."""
    text = value.get("S")
    if text is not None and text.isascii() and name.isascii():
        return len(name) + len(text)
    return item_size({name: value})
