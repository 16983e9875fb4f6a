"""Parses stream records of GetRecords and of AWS Lambda into one form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, NoReturn

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote
from pksk.model.changes.change import ChangeKind
from pksk.values import WireItem, item_from_wire
from pksk.values.boto3_form import normalize_wire

_CHANGE_KINDS: Final[dict[Any, ChangeKind]] = {"INSERT": "insert", "MODIFY": "modify", "REMOVE": "remove"}
_SOURCE: Final = "aws:dynamodb"
# The userIdentity of records for items that TTL deleted.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
_EXPIRY: Final = {"type": "Service", "principalid": "dynamodb.amazonaws.com"}


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """A stream record, in DynamoDB's JSON; `table` is None if the record does not name it."""

    kind: ChangeKind
    table: str | None
    key: WireItem
    old: WireItem | None
    new: WireItem | None
    at: datetime | None
    sequence_number: str
    size_bytes: int
    event_id: str
    expired: bool
    raw: Mapping[str, Any]


def read_record(raw: Any) -> StreamRecord:
    """Parse a stream record.

    Example:
        >>> body = {"Keys": {"pk": {"B": b"x"}}, "SequenceNumber": "100", "ApproximateCreationDateTime": 0}
        >>> record = read_record({"eventName": "REMOVE", "dynamodb": body})
        >>> record.kind, record.key, record.at.year
        ('remove', {'pk': {'B': 'eA=='}}, 1970)
    """
    if not isinstance(raw, Mapping):
        _reject(f"It is {quote(raw)} of type {type(raw).__name__}, not a mapping")
    source, name, body = raw.get("eventSource") or _SOURCE, raw.get("eventName"), raw.get("dynamodb")
    if source != _SOURCE:
        _reject(f"Its eventSource is {quote(source)}, not {_SOURCE!r}")
    if not isinstance(name, str) or name not in _CHANGE_KINDS:
        _reject(f"Its eventName is {quote(name)}, not one of {', '.join(_CHANGE_KINDS)}")
    if not isinstance(body, Mapping):
        _reject(f"Its member 'dynamodb' is {quote(body)}")
    return StreamRecord(
        kind=_CHANGE_KINDS[name],
        table=_table(raw.get("eventSourceARN")),
        key=_key(body),
        old=_image(body, "OldImage"),
        new=_image(body, "NewImage"),
        at=_time(body.get("ApproximateCreationDateTime")),
        sequence_number=str(body.get("SequenceNumber") or ""),
        size_bytes=_size(body.get("SizeBytes") or 0),
        event_id=str(raw.get("eventID") or ""),
        expired=_is_expiry(raw.get("userIdentity")),
        raw=raw,
    )


def _key(body: Mapping[str, Any]) -> WireItem:
    key = _image(body, "Keys")
    if key is None:
        _reject("It lacks Keys")
    try:
        item_from_wire(key)
    except InvalidValue as error:
        _reject(f"Its Keys are not an item: {error.problem.rstrip('.')}")
    return key


def _image(body: Mapping[str, Any], member: str) -> WireItem | None:
    image = body.get(member)
    if image is None:
        return None
    if not isinstance(image, Mapping) or not image:
        _reject(f"{member} is {quote(image)}, which is not an item")
    return {name: normalize_wire(value) for name, value in image.items()}


def _table(arn: Any) -> str | None:
    """The table of a stream's ARN: arn:aws:dynamodb:eu-west-1:123456789012:table/orders/stream/2026-..."""
    if arn is None:
        return None
    _, _, rest = str(arn).partition(":table/")
    name = rest.partition("/")[0]
    if not name:
        _reject(f"Its eventSourceARN is {quote(arn)}, which names no table")
    return name


def _time(value: Any) -> datetime | None:
    """The time of a record: a datetime in boto3, or seconds since 1970."""
    if value is None:
        return None
    try:
        if isinstance(value, datetime):
            return value.astimezone(UTC)
        if isinstance(value, int | float | Decimal):
            return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    _reject(f"Its ApproximateCreationDateTime is {quote(value)}, which is not a time in seconds")


def _size(value: Any) -> int:
    if not isinstance(value, int | float | Decimal) or value != value // 1:
        _reject(f"Its SizeBytes is {quote(value)}, which is not a number of bytes")
    return int(value)


def _is_expiry(identity: Any) -> bool:
    """Whether TTL deleted the item; GetRecords has PrincipalId, and Lambda principalId."""
    if not isinstance(identity, Mapping):
        return False
    named = {str(name).lower(): value for name, value in identity.items()}
    return all(named.get(name) == value for name, value in _EXPIRY.items())


def _reject(problem: str) -> NoReturn:
    raise InvalidValue(
        "change-record",
        f"This is not a record of a DynamoDB stream. {problem}.",
        expected="A record is a member of Records in a GetRecords response or an AWS Lambda event.",
        fix="pass it unchanged; for a whole event or response, use changes_of.",
    )
