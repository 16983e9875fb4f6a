"""Change records: what a table with a stream keeps of each write, in the form in which GetRecords shows it."""

from __future__ import annotations

from random import Random
from typing import Final

import orjson

from pksk.engine.core import Core
from pksk.engine.storage import Writer
from pksk.engine.streams.rows import CREATED
from pksk.engine.streams.sequences import shown_number
from pksk.values.size import item_size

from .write import Outcome, Write

__all__ = ["record"]

_NUMBER_BYTES: Final = 8
# Far quicker than what secrets are made of, which these are not.
_random_bits: Final = Random().getrandbits
_EVENT_ID_BITS: Final = 128
# Its region is not in it: that is the one in which it is read.
_FORM: Final = (
    CREATED + b'%d.0,"Keys":%b%b,"SequenceNumber":"%b","SizeBytes":%d,"StreamViewType":"%b"},"eventID":"%032x",'
    b'"eventName":"%b","eventSource":"aws:dynamodb","eventVersion":"1.1"%b}'
)


def record(core: Core, writer: Writer, write: Write, outcome: Outcome, data: bytes) -> None:
    """Keep a change of an item whose new image, if it has one, is stored as `data`."""
    # All of the table is read here, where nobody else can be changing it.
    table, old, new = write.table, outcome.old, outcome.new_item
    space, view = table.changes, table.stream_view
    assert space is not None
    assert view is not None
    number = core.sequences.next(writer, table.settings["streams"][-1])
    item = outcome.old_item if new is None else new
    assert item is not None
    keys = {attribute.name: item[attribute.name] for attribute in table.rows.keys}
    size = item_size(keys)
    images = b""
    if new is not None and "NEW_" in view:
        images = b',"NewImage":' + data
        size += outcome.new_size
    if old is not None and "OLD_" in view:
        images += b',"OldImage":' + old.data
        size += old.size
    event = b"INSERT" if old is None else b"REMOVE" if new is None else b"MODIFY"
    shown = _FORM % (
        int(core.now()), orjson.dumps(keys), images, shown_number(number).encode(), size, view.encode(),
        _random_bits(_EVENT_ID_BITS), event, _identity(write.by),
    )  # fmt: skip
    shard = table.shards[table.partitions.find(write.key).number]
    writer.put(space, shard + number.to_bytes(_NUMBER_BYTES), size, shown)


def _identity(by: str | None) -> bytes:
    """Who made the change, where that was not a caller."""
    return b"" if by is None else b',"userIdentity":{"PrincipalId":"%b","Type":"Service"}' % by.encode()
