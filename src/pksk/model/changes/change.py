"""One change of an item, and the stream record that it is read from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Generic, Literal, NamedTuple, NoReturn, TypeAlias, TypeGuard, TypeVar

from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, quote
from pksk.model.entity import Entity
from pksk.schema import Table
from pksk.values import WireItem, item_from_wire
from pksk.values.wire import normalize_wire

E_co = TypeVar("E_co", bound=Entity, covariant=True)

ChangeKind: TypeAlias = Literal["insert", "modify", "remove"]


@dataclass(frozen=True)
class Change(Generic[E_co]):
    """A change of an item, read from a stream record by `changes_of`.

    `old` and `new` are None if the stream view lacks that image, or if the item was, or is, of none of the requested
    entities. `key_values` are the fields of the primary key; None if the key does not contain all of them. `expired`
    means that time to live has deleted the item. `record` is the stream record. A consumer of changes gives each change
    a `version` that is larger than those of all earlier changes of the item; elsewhere it is 0.

    Example:
        >>> from pksk import Entity, Key, Put, Table, change_of
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     total: int = 0
        ...     primary = Key("ORDER#{id}", "META")
        >>> new = Put(Order(id="7", total=5)).item
        >>> images = {"Keys": {"pk": new["pk"], "sk": new["sk"]}, "NewImage": new, "SequenceNumber": "100"}
        >>> change = change_of({"eventName": "INSERT", "dynamodb": images}, Order)
        >>> change.kind, change.old, change.new, change.key_values
        ('insert', None, Order(id='7', total=5), {'id': '7'})
    """

    kind: ChangeKind
    entity: type[E_co]
    old: E_co | None
    new: E_co | None
    key: WireItem
    key_values: dict[str, Any] | None
    table: Table = field(repr=False)
    sequence_number: str
    at: datetime | None
    expired: bool
    size_bytes: int
    event_id: str
    record: Mapping[str, Any] = field(repr=False, compare=False)
    version: int = field(default=0, repr=False, compare=False)

    @property
    def changed_fields(self) -> tuple[str, ...]:
        """The fields that differ between the old image and the new; all fields if one image is missing.

        Example:
            >>> from pksk import Entity, Key, Put, Table, change_of
            >>> class Order(Entity, table=Table("orders")):
            ...     id: str
            ...     total: int = 0
            ...     primary = Key("ORDER#{id}", "META")
            >>> old, new = (Put(Order(id="7", total=total)).item for total in (5, 6))
            >>> images = {"Keys": {"pk": new["pk"], "sk": new["sk"]}, "OldImage": old, "NewImage": new}
            >>> change_of({"eventName": "MODIFY", "dynamodb": images}, Order).changed_fields
            ('total',)
        """
        if self.old is None or self.new is None:
            one = self.old if self.new is None else self.new
            return _declared(self.entity) if one is None else tuple(_values(one))
        old, new = _values(self.old), _values(self.new)
        names = dict.fromkeys((*new, *old))
        return tuple(name for name in names if name not in old or name not in new or old[name] != new[name])


def _declared(entity: type[Entity]) -> tuple[str, ...]:
    # By the names that no field can have.
    return (*entity.__pydantic_fields__, *entity.__pydantic_computed_fields__)


def _values(entity: Entity) -> dict[str, Any]:
    """The values of all fields, computed ones and those beside the declared ones included."""
    values = {name: getattr(entity, name) for name in _declared(type(entity))}
    return {**values, **(entity.__pydantic_extra__ or {})}


_CHANGE_KINDS: Final[dict[str, ChangeKind]] = {"INSERT": "insert", "MODIFY": "modify", "REMOVE": "remove"}
_SOURCE: Final = "aws:dynamodb"
# The userIdentity of records for items that TTL deleted.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
_EXPIRY: Final = {"type": "Service", "principalid": "dynamodb.amazonaws.com"}


class StreamRecord(NamedTuple):
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


def read_record(raw: object) -> StreamRecord:
    """Parse a stream record."""
    if not _is_mapping(raw):
        _reject(f"It is {quote(raw)} of type {type(raw).__name__}, not a mapping")
    source, name, body = raw.get("eventSource") or _SOURCE, raw.get("eventName"), raw.get("dynamodb")
    if source != _SOURCE:
        _reject(f"Its eventSource is {quote(source)}, not {_SOURCE!r}")
    if not isinstance(name, str) or name not in _CHANGE_KINDS:
        _reject(f"Its eventName is {quote(name)}, not one of {', '.join(_CHANGE_KINDS)}")
    if not _is_mapping(body):
        _reject(f"Its member 'dynamodb' is {quote(body)}")
    return StreamRecord(
        kind=_CHANGE_KINDS[name],
        table=_record_table(raw.get("eventSourceARN")),
        key=_record_key(body),
        old=_record_image(body, "OldImage"),
        new=_record_image(body, "NewImage"),
        at=_record_time(body.get("ApproximateCreationDateTime")),
        sequence_number=str(body.get("SequenceNumber") or ""),
        size_bytes=_record_size(body.get("SizeBytes") or 0),
        event_id=str(raw.get("eventID") or ""),
        expired=_is_expiry(raw.get("userIdentity")),
        raw=raw,
    )


def _record_key(body: Mapping[str, Any]) -> WireItem:
    key = _record_image(body, "Keys")
    if key is None:
        _reject("It lacks Keys")
    try:
        item_from_wire(key)
    except InvalidValue as error:
        _reject(f"Its Keys are not an item: {error.problem.rstrip('.')}")
    return key


def _record_image(body: Mapping[str, Any], member: str) -> WireItem | None:
    image = body.get(member)
    if image is None:
        return None
    if not _is_mapping(image) or not image:
        _reject(f"{member} is {quote(image)}, which is not an item")
    # Text and numbers, by far the most common, have one form only.
    return {
        name: value if type(value) is dict and ("S" in value or "N" in value) else normalize_wire(value)
        for name, value in image.items()
    }


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    return type(value) is dict or isinstance(value, Mapping)


def _record_table(arn: object) -> str | None:
    """The table of a stream's ARN: arn:aws:dynamodb:eu-west-1:123456789012:table/orders/stream/2026-..."""
    if arn is None:
        return None
    _, _, rest = str(arn).partition(":table/")
    name = rest.partition("/")[0]
    if not name:
        _reject(f"Its eventSourceARN is {quote(arn)}, which names no table")
    return name


def _record_time(value: object) -> datetime | None:
    """The time of a record: a datetime in boto3, or seconds since 1970."""
    if value is None:
        return None
    try:
        if isinstance(value, datetime):
            return value.astimezone(UTC)
        if isinstance(value, (int, float, Decimal)):
            return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        pass
    _reject(f"Its ApproximateCreationDateTime is {quote(value)}, which is not a time in seconds")


def _record_size(value: object) -> int:
    if type(value) is int:
        return value
    if not isinstance(value, (int, float, Decimal)) or value != value // 1:
        _reject(f"Its SizeBytes is {quote(value)}, which is not a number of bytes")
    return int(value)


def _is_expiry(identity: object) -> bool:
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
