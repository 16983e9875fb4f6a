"""DynamoDB's messages about tables, their billing, capacity and streams."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

INVALID: Final = "One or more parameter values were invalid: "

# Which table.
NO_TABLE: Final = "Requested resource not found"
IN_USE: Final = "Attempt to change a resource which is still in use: "
INDEXES_BUSY: Final = f"{IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
PROTECTED: Final = (
    "Resource cannot be deleted as it is currently protected against deletion. "
    "Disable deletion protection first."
)
_BUSY: Final = {"CREATING": "created", "UPDATING": "updated", "DELETING": "deleted"}

# What an update consists of.
NOTHING_TO_UPDATE: Final = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
    "SSESpecification or ReplicaUpdates is required"
)
WARM_ALONE: Final = f"{INVALID}WarmThroughput must be the only operation in the request"
STREAM_AND_THROUGHPUT: Final = f"{INVALID}You cannot modify stream status while updating table IOPS"
# Ours: one engine is one region of one account.
GLOBAL_TABLES: Final = f"{INVALID}Global tables are not supported"

# Billing.
NEITHER_UNITS: Final = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
    "when BillingMode is PAY_PER_REQUEST"
)
UNITS_MISSING: Final = (
    f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified "
    "when BillingMode is PROVISIONED"
)

# Streams; "UpdateViewType" is the service's word for StreamViewType.
STREAM_CREATED_DISABLED: Final = (
    f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"
)
STREAM_CREATED_ENABLED: Final = (
    f"{INVALID}Table is being created with a stream enabled, UpdateViewType must be specified"
)
STREAM_DISABLED_VIEW: Final = (
    f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
)
STREAM_ENABLED_VIEW: Final = f"{INVALID}If stream is being enabled, then UpdateViewType must be specified"


def no_table(name: str) -> str:
    """A table that does not exist, in operations on tables."""
    return f"{NO_TABLE}: Table: {name} not found"


def foreign_arn(arn: str) -> str:
    """An ARN of another region, or not of a valid table name."""
    return f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def access_denied(account: str, arn: str) -> str:
    """An ARN of another account."""
    return (
        f"User: arn:aws:iam::{account}:root is not authorized to perform this operation on resource: {arn} "
        "because no resource-based policy allows it"
    )


def already_exists(name: str) -> str:
    """A new table with an existing name."""
    return f"Table already exists: {name}"


def table_busy(status: str, name: str) -> str:
    """A change of a table that is still changing."""
    return f"{IN_USE}Table is being {_BUSY[status]}: {name}"


def missing_members(names: Iterable[str]) -> str:
    """A new table without members that only replicas can omit."""
    wrong = [
        f"Value null at '{name}' failed to satisfy constraint: Member must not be null" for name in names
    ]
    return f"{len(wrong)} validation error{'s' * (len(wrong) > 1)} detected: {'; '.join(wrong)}"


def only_operation(what: str) -> str:
    """A change that needs a request of its own."""
    return f"{INVALID}{what} modification must be the only operation in the request"


def same_throughput(index: str | None, current: tuple[int, int]) -> str:
    """Capacity units that equal the provisioned ones."""
    reads, writes = current
    what, place = ("table", "table") if index is None else (f"index {index}", "index")
    return (
        f"The provisioned throughput for the {what} will not change. The requested value equals the current value. "
        f"Current ReadCapacityUnits provisioned for the {place}: {reads}. Requested ReadCapacityUnits: {reads}. "
        f"Current WriteCapacityUnits provisioned for the {place}: {writes}. Requested WriteCapacityUnits: {writes}. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


def _owner(index: str | None) -> str:
    return "table" if index is None else f"index: {index}"


def on_demand_range(member: str, index: str | None) -> str:
    """An invalid limit of on-demand reads or writes."""
    return f"{INVALID}Requested {member} for OnDemandThroughput for {_owner(index)} is outside of valid range"


def on_demand_empty(index: str | None) -> str:
    """Empty limits of on-demand reads and writes. Our wording, as the service's is not known."""
    return (
        f"{INVALID}MaxReadRequestUnits, MaxWriteRequestUnits, or both must be specified "
        f"for OnDemandThroughput for {_owner(index)}"
    )


def on_demand_of_provisioned(member: str, *, created: bool) -> str:
    """A limit of on-demand reads or writes on a provisioned table; the service has two wordings."""
    end = "table BillingMode is PROVISIONED." if created else "the table BillingMode is PROVISIONED"
    return f"{INVALID}{member} for OnDemandThroughput cannot be specified when {end}"


def warm_range(member: str, index: str | None, *, created: bool) -> str:
    """A warm throughput below the current one, or below the minimum."""
    wrong = (
        "outside of valid range"
        if created
        else "lower than current WarmThroughput, decreasing WarmThroughput is not supported"
    )
    return f"{INVALID}Requested {member} for WarmThroughput for {_owner(index)} is {wrong}"


def stream_exists(name: str) -> str:
    """Enabling or changing a stream that exists."""
    return f"Table already has an enabled stream: TableName: {name}"


def stream_missing(name: str) -> str:
    """Disabling a stream that does not exist."""
    return f"Table has no stream to disable: TableName: {name}"


def sse_needs_kms(member: str) -> str:
    """An encryption setting that needs KMS."""
    return f"{INVALID}{member} can only be specified when SSEType is KMS and SSE is enabled"


_EXCEEDED: Final = "Subscriber limit exceeded: "
# The service's words are English whatever the locale of this process.
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NOON: Final = 12


def out_of_bounds(member: str, value: int, table: str, index: str | None) -> str:
    """Capacity units that no table can have."""
    owner = f"table {table}" if index is None else f"index {index} for table {table}"
    return f"Given value {value} for {member} is out of bounds for {owner}"


def quota(member: str, value: int, most: int, index: str | None) -> str:
    """More capacity units than a table or an index can have. Our wording, as the service's is not known."""
    owner = "table" if index is None else f"index {index}"
    return f"{_EXCEEDED}Requested {member} of {value} for the {owner} exceeds the per-table limit of {most}"


def account_quota(member: str, value: int, most: int) -> str:
    """More capacity units than all tables can have together. Our wording too."""
    return f"{_EXCEEDED}Requested {member} would bring the account to {value}, above its limit of {most}"


def decreased_too_often(count: int, last: float, following: float) -> str:
    """Too many decreases for this day and hour."""
    return (
        f"{_EXCEEDED}Provisioned throughput decreases are limited within a given UTC day. After the first 4 "
        "decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 seconds. "
        f"Number of decreases today: {count}. Last decrease at {_in_full(last)}. "
        f"Next decrease can be made at {_in_full(following)}"
    )


def switched_too_often(most: int, last: float, following: float) -> str:
    """Too many switches to on demand for this day."""
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


NO_SHARD: Final = f"{NO_TABLE}: Shard does not exist"
TRIMMED: Final = "The data you are trying to access has been trimmed"
ITERATOR_EXPIRED: Final = "Shard iterator has expired"

# Sequence numbers of iterators.
NUMBER_MISSING: Final = "SequenceNumber cannot be null"
NUMBER_GIVEN: Final = "SequenceNumber should not be passed for this iterator type"
FOREIGN_NUMBER: Final = "Invalid SequenceNumber for the shard"

# Ours, after the service's own descriptions, as its words are not known.
INVALID_ITERATOR: Final = "Invalid ShardIterator"
INVALID_ARN: Final = "Invalid StreamArn"
TIMESTAMP_MISSING: Final = "Timestamp cannot be null"
TIMESTAMP_GIVEN: Final = "Timestamp should not be passed for this iterator type"
FUTURE_TIMESTAMP: Final = f"{INVALID}Timestamp cannot be in the future"
FILTER_INCOMPLETE: Final = f"{INVALID}ShardFilter must have both Type and ShardId"


def no_stream(arn: str) -> str:
    """A stream that does not exist, or whose retention is over."""
    return f"{NO_TABLE}: Stream: {arn} not found"
