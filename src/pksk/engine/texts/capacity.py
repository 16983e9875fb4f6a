"""What DynamoDB says of capacity units beyond what an account may have, or changed too often."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

__all__ = ["account_quota", "decreased_too_often", "out_of_bounds", "quota", "switched_too_often"]

_EXCEEDED: Final = "Subscriber limit exceeded: "
# The service's words are English whatever the locale of this process.
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NOON: Final = 12


def out_of_bounds(member: str, value: int, table: str, index: str | None) -> str:
    """Capacity units that no table could have."""
    owner = f"table {table}" if index is None else f"index {index} for table {table}"
    return f"Given value {value} for {member} is out of bounds for {owner}"


def quota(member: str, value: int, most: int, index: str | None) -> str:
    """More capacity units than one table or index may have; in our words, as the service's are not known."""
    owner = "table" if index is None else f"index {index}"
    return f"{_EXCEEDED}Requested {member} of {value} for the {owner} exceeds the per-table limit of {most}"


def account_quota(member: str, value: int, most: int) -> str:
    """More capacity units than all tables may have together; in our words too."""
    return f"{_EXCEEDED}Requested {member} would bring the account to {value}, above its limit of {most}"


def decreased_too_often(count: int, last: float, following: float) -> str:
    """One decrease too many for this day and hour."""
    return (
        f"{_EXCEEDED}Provisioned throughput decreases are limited within a given UTC day. After the first 4 "
        "decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. "
        f"Number of decreases today: {count}. Last decrease at {_in_full(last)}. "
        f"Next decrease can be made at {_in_full(following)}"
    )


def switched_too_often(most: int, last: float, following: float) -> str:
    """One switch to on demand too many for this day."""
    return (
        f"{_EXCEEDED}Update to PayPerRequest mode are limited to {most} times in 1 day(s). "
        f"Last update at {_in_short(last)}. Next update can be made at {_in_short(following)}"
    )


def _in_full(moment: float) -> str:
    when = datetime.fromtimestamp(moment, UTC)
    half = "AM" if when.hour < _NOON else "PM"
    return (
        f"{_DAYS[when.weekday()]}, {_MONTHS[when.month - 1]} {when.day}, {when.year} at "
        f"{when.hour % _NOON or _NOON}:{when:%M:%S} {half} Coordinated Universal Time"
    )


def _in_short(moment: float) -> str:
    when = datetime.fromtimestamp(moment, UTC)
    return f"{_DAYS[when.weekday()][:3]} {_MONTHS[when.month - 1][:3]} {when:%d %H:%M:%S} UTC {when.year}"
