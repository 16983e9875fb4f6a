"""TTL: the time at which DynamoDB may delete an item, stored as whole seconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pksk.dataclass import replace
from pksk.errors import InvalidValue, quote
from pksk.keys.parts.part_types import field_type
from pksk.model.markers.marker import HoldsInstants, Marker, StoredForm, field_text, is_instant, reject_marker
from pksk.model.markers.stored import form_of

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.storing.attributes import Field

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TTL(HoldsInstants, Marker):
    """When DynamoDB may delete the item: a datetime with a zone, stored as whole seconds, or an int of them.

    The table names the same attribute: `Table(..., ttl="expires")` and `expires: Annotated[datetime, TTL()]`.
    Seconds are rounded up, so that nothing expires early, and read back as a datetime in UTC.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> Annotated[datetime | None, TTL()].__metadata__
        (TTL(),)
    """

    at_most_one: ClassVar[bool] = True

    def check_field(self, where: str, field: Field) -> None:
        """Reject a field that is neither an int nor a datetime with a zone."""
        if field_type(field.annotation).type is not int and not is_instant(field):
            reject_marker(
                where, "marker-type", f"TTL is a time, but the field is {field_text(field)}.",
                f"declare {field.name}: Annotated[datetime, TTL()] with a zone, or an int of seconds since 1970.",
            )  # fmt: skip

    def check_entity(self, name: str, declaration: Declaration) -> None:
        """Reject a field that is not stored as the TTL attribute of the table."""
        table, attribute = declaration.table, declaration.fields[name].attribute
        if attribute != table.ttl:
            what = f"expires by {table.ttl!r}" if table.ttl else "has no ttl"
            reject_marker(
                f"{declaration.name}.{name}", "marker-ttl",
                f"TTL is stored as {attribute!r}, and table {table.name!r} {what}.",
                f'declare Table({table.name!r}, ..., ttl="{attribute}")'
                + (f', or store the field as Attribute("{table.ttl}").' if table.ttl else "."),
            )  # fmt: skip

    def takes_format(self, form: StoredForm) -> bool:
        """Seconds alone: DynamoDB deletes no item by any other number."""
        return form.type == "N" and form.resolution == timedelta(seconds=1)

    @property
    def holds_instants(self) -> bool:
        """An expiry is an instant."""
        return True

    def stored_form(self, field: Field) -> StoredForm | None:
        """Seconds, if the field is a datetime."""
        return _SECONDS if field_type(field.annotation).type is datetime else None


def check_unmarked_ttl(declaration: Declaration) -> None:
    """Reject a field that is stored as the TTL attribute of the table, and neither marked nor a number."""
    table = declaration.table
    for name, each in declaration.fields.items():
        marked = each.computed or any(isinstance(marker, TTL) for marker in each.markers)
        if each.attribute == table.ttl and not marked and field_type(each.annotation).type is not int:
            reject_marker(
                f"{declaration.name}.{name}", "marker-ttl",
                f"{table.ttl!r} is the TTL attribute of table {table.name!r}, but the field is not stored as seconds.",
                f"mark it: {name}: Annotated[datetime, TTL()].",
            )  # fmt: skip


def is_expired(item: Mapping[str, Any], attribute: str, now: float) -> bool:
    """Whether an item has expired: DynamoDB deletes it up to some days later.

    Example:
        >>> is_expired({"expires": {"N": "60"}}, "expires", 60.5), is_expired({}, "expires", 60.5)
        (True, False)
    """
    value = item.get(attribute)
    if value is None or "N" not in value:
        return False
    end = float(value["N"])
    # A fraction counts when its second has passed, as it does for conditions.
    return end <= now and (end.is_integer() or end <= int(now))


def expiry_seconds(value: Any, path: str) -> Any:
    """A time as seconds, rounded up so that nothing expires early; a number or None as it is."""
    if not isinstance(value, datetime):
        return value
    if value.utcoffset() is None:
        raise InvalidValue(
            "entity-unstorable",
            f"{path}: {quote(value)} has no zone, and an expiry is an instant.",
            fix="give the datetime a zone, for example tzinfo=UTC.",
        )
    return -((_EPOCH - value) // timedelta(seconds=1))


def whole_second(value: Any) -> Any:
    """A time as it is read back: of the second that is stored for it. Anything else stays as it is."""
    if not isinstance(value, datetime) or not value.microsecond or value.utcoffset() is None:
        return value
    try:
        # By the instant, since a zone may have an hour twice.
        return (_EPOCH + timedelta(seconds=expiry_seconds(value, ""))).astimezone(value.tzinfo)
    except OverflowError:
        return value


def same_expiry(value: Any, back: Any) -> bool:
    """Whether a time was read back as the same second, or None as None."""
    if not isinstance(value, datetime) or not isinstance(back, datetime):
        return value is None and back is None
    return timedelta(0) <= back - value < timedelta(seconds=1)


_SECONDS: Final = replace(
    form_of("epoch-seconds"), store=expiry_seconds, is_same=same_expiry, rounded=whole_second
)
