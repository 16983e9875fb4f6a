"""Handles the events of an AWS Lambda function that reads a stream, with partial failures."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, overload

from pksk.changes.handler import check_result
from pksk.model.changes import Change
from pksk.model.changes.stream_changes import change_filter, read_change, record_list
from pksk.model.entity import Entity
from pksk.schema import Table

E = TypeVar("E", bound=Entity)
Event = Mapping[str, Any]
Failures = dict[str, list[dict[str, str]]]
_LOG = logging.getLogger("pksk")


@overload
def lambda_handler(
    handler: Callable[[Change[E]], None], entity: type[E], /
) -> Callable[[Event, object], Failures]: ...
@overload
def lambda_handler(
    handler: Callable[[Change[Any]], None], /, *sources: Table | type[Entity]
) -> Callable[[Event, object], Failures]: ...
def lambda_handler(handler: Callable[[Change[Any]], object], /, *sources: Any) -> Any:
    """A Lambda function that calls a handler with each change, and reports the first one that failed.

    Set ReportBatchItemFailures on the event source: Lambda then sends that record and all after it again, so changes of
    an item stay in order. There are no leases: two functions may handle one change at the same time, so write with a
    condition, or make effects that can be repeated. `version` of the changes is 0.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders", stream=True)):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> def handle(change):
        ...     if change.old.id == "8":
        ...         raise ValueError("no 8")
        >>> def record(id):
        ...     keys = {"pk": {"S": f"ORDER#{id}"}, "sk": {"S": "META"}}
        ...     images = {"Keys": keys, "OldImage": keys | {"id": {"S": id}}, "SequenceNumber": f"10{id}"}
        ...     return {"eventName": "REMOVE", "dynamodb": images}
        >>> function = lambda_handler(handle, Order)
        >>> function({"Records": [record("7"), record("8"), record("9")]}, None)
        {'batchItemFailures': [{'itemIdentifier': '108'}]}
    """
    changes = change_filter(sources)

    def function(event: Event, _context: object = None) -> Failures:
        for record in record_list(event):
            try:
                change = read_change(record, changes)
                if change is not None:
                    check_result(handler(change))
            except Exception:
                number = record.get("dynamodb", {}).get("SequenceNumber")
                if number is None:  # then all of them are sent again
                    raise
                _LOG.exception("A change could not be handled; Lambda sends it again.")
                return {"batchItemFailures": [{"itemIdentifier": number}]}
        return {"batchItemFailures": []}

    return function
