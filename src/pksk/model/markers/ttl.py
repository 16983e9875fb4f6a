"""TTL: expiry times as whole seconds since 1970, which is how DynamoDB reads a TTL attribute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pksk.errors import InvalidValue, quote

__all__ = ["expiry_seconds", "expiry_time", "same_expiry", "whole_second"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def expiry_seconds(value: Any, path: str) -> Any:
    """A time as seconds, rounded up so that nothing expires early; a number or None as it is.

    Example:
        >>> expiry_seconds(datetime(1970, 1, 1, 0, 1, 0, 1, tzinfo=UTC), "Session.expires")
        61
    """
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
    """A time as it is read back: of the second that is stored for it. What is no time stays as it is.

    Example:
        >>> whole_second(datetime(1970, 1, 1, 0, 1, 0, 1, tzinfo=UTC)).second, whole_second(None)
        (1, None)
    """
    if not isinstance(value, datetime) or not value.microsecond or value.utcoffset() is None:
        return value
    try:
        # By the instant, since a zone may have an hour twice.
        return (_EPOCH + timedelta(seconds=expiry_seconds(value, ""))).astimezone(value.tzinfo)
    except OverflowError:
        return value


def expiry_time(seconds: Any) -> Any:
    """The time of an expiry that was stored as seconds; what is no whole number stays as it is.

    Example:
        >>> expiry_time(61)
        datetime.datetime(1970, 1, 1, 0, 1, 1, tzinfo=datetime.timezone.utc)
    """
    if not isinstance(seconds, int):
        return seconds
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return seconds


def same_expiry(value: Any, back: Any) -> bool:
    """Whether a time was read back as the same second, or None as None.

    Example:
        >>> same_expiry(datetime(1970, 1, 1, 0, 1, 0, 1, tzinfo=UTC), expiry_time(61)), same_expiry(61, expiry_time(61))
        (True, False)
    """
    if not isinstance(value, datetime) or not isinstance(back, datetime):
        return value is None and back is None
    return timedelta(0) <= back - value < timedelta(seconds=1)
