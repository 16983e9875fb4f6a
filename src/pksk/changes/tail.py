"""Reads the records of a stream as they come, without a consumer and beside all of them."""

from __future__ import annotations

from collections.abc import Iterator
from time import time

from pksk.changes.changes import settings_of
from pksk.changes.memory_state import MemoryState
from pksk.changes.rounds import Rounds
from pksk.changes.shards import Record
from pksk.changes.worker import Worker
from pksk.client import Client
from pksk.schema import Table
from pksk.sending import Core
from pksk.sending.driver import Driver


def tail(client: Client, table: str, *, oldest: bool = False, follow: bool = True) -> Iterator[Record]:
    """The records of a table's stream from now on, or from the oldest one that it keeps.

    It stores no position. The records of an item come in order; a third reader of a shard may slow the others down.

    Example:
        >>> from pksk import Engine, Table
        >>> engine = Engine.open()
        >>> _ = engine.call("CreateTable", Table("notes", sk=None, stream=True).create_request())
        >>> _ = engine.call("PutItem", {"TableName": "notes", "Item": {"pk": {"S": "7"}}})
        >>> [record["eventName"] for record in tail(engine, "notes", oldest=True, follow=False)]
        ['INSERT']
    """
    core = Core()
    settings = settings_of(
        consumer="tail", state="", start="oldest" if oldest else "newest", lease_seconds=30.0, now=time()
    )
    worker = Worker(core, Table(table), settings, MemoryState(core, table))
    driver, rounds = Driver(client), Rounds(worker, follow=follow)
    while (batches := driver.run(rounds.next())) is not None:
        for batch in batches:
            yield from batch.records
            driver.run(worker.acknowledge(batch, len(batch.records)))
