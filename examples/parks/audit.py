"""Audit rows: who changed what, one row for each stream record."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime

from pksk import Attribute, Batch, Entity, Key, Put, Query, access, batch, gte

from .tables import ItemKey, audit


class Change(Entity, table=audit):
    """Who changed what, from a stream record.

    Streams give the time in whole seconds, and one person can change much in a second. So the sort key continues
    with the sequence number, which orders the changes of an item, and ends with the event id, which is unique. A
    record that is read twice makes the same row.
    """

    user: str
    at: AwareDatetime
    sequence_number: Annotated[str, Attribute("sequenceNumber")]
    event_id: Annotated[str, Attribute("eventId")]
    key: ItemKey
    schema_name: Annotated[str, Attribute("schema")]
    action: Literal["insert", "modify", "remove"]
    fields: list[str] = []

    primary = Key("{user}", "{at}::{sequence_number}::{event_id}")

    @access(items=100)
    @classmethod
    def by_user(cls, user: str, since: datetime) -> Query[Change]:
        """The changes of a person since a time."""
        return cls.primary(user=user, at=gte(since))

    @access(items=25)
    @classmethod
    def write_all(cls, changes: list[Change]) -> Batch:
        """Several rows, in batches."""
        return batch(*(Put(each) for each in changes))
