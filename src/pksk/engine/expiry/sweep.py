"""Deletes the items whose time has come, a few in each transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import nullcontext
from itertools import islice
from math import floor
from typing import Final

import orjson

from pksk.engine.core import Core
from pksk.engine.storage import SpaceMissing, Writer
from pksk.engine.tables.expiry import is_expiring
from pksk.engine.tables.table import Expiry, Table
from pksk.engine.writes.committed import committed
from pksk.engine.writes.perform import perform
from pksk.engine.writes.write import Outcome, Write

from .entries import SECOND_BYTES, second_key

__all__ = ["SERVICE", "sweep"]

# Who deletes, as change records name it.
SERVICE: Final = "dynamodb.amazonaws.com"
# Others can write between one batch and the next.
_BATCH: Final = 25
# What expired five years ago and longer is left alone.
_OLDEST_SECONDS: Final = 5 * 365 * 24 * 3600


def sweep(core: Core) -> int:
    """Delete all that has expired, in all tables; says how many items that were."""
    return sum(_sweep_table(core, table) for table in core.catalogue.all())


def _sweep_table(core: Core, table: Table) -> int:
    count, begin, expiry = 0, b"", table.expiry
    if expiry is None:
        return 0
    try:
        while keys := _expired(core, table, expiry, begin):
            count += _delete(core, table, expiry, keys)
            begin = keys[-1] + b"\0"
    except SpaceMissing:  # the table went meanwhile, or its time to live was switched off
        return count
    return count


def _expired(core: Core, table: Table, expiry: Expiry, begin: bytes) -> list[bytes]:
    """The keys of some rows, from one on, whose second has come."""
    now = core.now()
    if not is_expiring(table.settings, now):
        return []
    due = now - core.settings.delays.expiry
    low = max(begin, second_key(floor(now) - _OLDEST_SECONDS))
    with core.storage.reading() as reader:
        return [row.key for row in islice(reader.rows(expiry.space, low, second_key(floor(due) + 1)), _BATCH)]


def _delete(core: Core, table: Table, expiry: Expiry, keys: Collection[bytes]) -> int:
    """Delete those items that still expire when they did, but for those that transactions hold."""
    space = table.rows.space
    items = [(space, key[SECOND_BYTES:]) for key in keys]
    with core.conflicts.writes(items) if core.settings.conflicts else nullcontext(()) as taken:
        free = [key for key, item in zip(keys, items, strict=True) if item not in taken]
        with core.storage.writing() as writer:
            done = [(write, _perform(core, writer, write)) for write in _writes(writer, table, expiry, free)]
    committed(core, done)
    return len(done)


def _writes(writer: Writer, table: Table, expiry: Expiry, keys: Iterable[bytes]) -> Iterable[Write]:
    for key in keys:
        if writer.get(expiry.space, key) is None:
            continue  # it was written since, and lives on
        item_key = key[SECOND_BYTES:]
        row = writer.get(table.rows.space, item_key)
        if row is not None:
            item = orjson.loads(row.data)
            key_item = {attribute.name: item[attribute.name] for attribute in table.rows.keys}
            yield Write(table, item_key, key_item, lambda _old: (None, 0), by=SERVICE)


def _perform(core: Core, writer: Writer, write: Write) -> Outcome:
    outcome = perform(core, writer, write)
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html: it consumes no throughput.
    outcome.table_units = 0.0
    outcome.index_units.clear()
    return outcome
