"""Changes as GetRecords shows them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from pksk.engine.storage import Row

from .find import Found
from .rows import number_of
from .sequences import shown_number

__all__ = ["shown_records"]

_EVENT_ID_BYTES: Final = 16


def shown_records(found: Found, region: str, rows: list[Row]) -> bytes:
    """The records of a stream's changes, as a list in JSON."""
    show = _form(found, region)
    return b"[%b]" % b",".join([show(row) for row in rows])


def _form(found: Found, region: str) -> Callable[[Row], bytes]:
    """What makes a record of a change; an event's id follows from its stream and number."""
    form = (
        b'{"awsRegion":"%b","dynamodb":{"ApproximateCreationDateTime":%%b.0,%%b,"SequenceNumber":"%%b",'
        b'"SizeBytes":%%d,"StreamViewType":"%b"},"eventID":"%%b","eventName":"%%b",'
        b'"eventSource":"aws:dynamodb","eventVersion":"1.1"%%b}'
    ) % (region.encode(), found.stream["view"].encode())
    events = blake2b(f"{found.record['TableId']}/{found.arn}".encode(), digest_size=_EVENT_ID_BYTES)

    def show(row: Row) -> bytes:
        created, event, by, images = row.data.split(b" ", 3)
        number = shown_number(number_of(row)).encode()
        event_id = events.copy()
        event_id.update(number)
        who = b',"userIdentity":{"PrincipalId":"%b","Type":"Service"}' % by if by else b""
        return form % (created, images, number, row.size, event_id.hexdigest().encode(), event, who)

    return show
