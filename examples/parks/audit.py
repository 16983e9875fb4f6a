"""What was changed by whom: a row for each record of a stream."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime

from pksk import Attribute, Batch, Entity, Key, Put, Query, access, batch, gte

from .tables import ItemKey, audit

__all__ = ["Change"]


class Change(Entity, table=audit):
    """Who changed what.

    Streams tell the time in whole seconds, and one person can change much in a second; so the sort key goes on with
    the record's own number, by which changes of an item are in order, and ends with its event, which no other has. A
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
        """What a person changed since a time."""
        return cls.primary(user=user, at=gte(since))

    @access(items=25)
    @classmethod
    def write_all(cls, changes: list[Change]) -> Batch:
        """Several rows, each for itself."""
        return batch(*(Put(each) for each in changes))
