"""What DynamoDB says of tables, their billing, capacity and streams."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

__all__ = [
    "FILTER_INCOMPLETE",
    "FOREIGN_NUMBER",
    "FUTURE_TIMESTAMP",
    "GLOBAL_TABLES",
    "INDEXES_BUSY",
    "INVALID",
    "INVALID_ARN",
    "INVALID_ITERATOR",
    "IN_USE",
    "ITERATOR_EXPIRED",
    "NEITHER_UNITS",
    "NOTHING_TO_UPDATE",
    "NO_SHARD",
    "NO_TABLE",
    "NUMBER_GIVEN",
    "NUMBER_MISSING",
    "PROTECTED",
    "STREAM_AND_THROUGHPUT",
    "STREAM_CREATED_DISABLED",
    "STREAM_CREATED_ENABLED",
    "STREAM_DISABLED_VIEW",
    "STREAM_ENABLED_VIEW",
    "TIMESTAMP_GIVEN",
    "TIMESTAMP_MISSING",
    "TRIMMED",
    "UNITS_MISSING",
    "WARM_ALONE",
    "access_denied",
    "account_quota",
    "already_exists",
    "decreased_too_often",
    "foreign_arn",
    "missing_members",
    "no_stream",
    "no_table",
    "on_demand_empty",
    "on_demand_of_provisioned",
    "on_demand_range",
    "only_operation",
    "out_of_bounds",
    "quota",
    "same_throughput",
    "sse_needs_kms",
    "stream_exists",
    "stream_missing",
    "switched_too_often",
    "table_busy",
    "warm_range",
]

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
    """A table that is not there, to those who describe or change it."""
    return f"{NO_TABLE}: Table: {name} not found"


def foreign_arn(arn: str) -> str:
    """An ARN of another region, or not of a table that could be."""
    return f"Invalid TableArn: Invalid ResourceArn provided as input {arn}"


def access_denied(account: str, arn: str) -> str:
    """An ARN of another account, which has allowed nothing."""
    return (
        f"User: arn:aws:iam::{account}:root is not authorized to perform this operation on resource: {arn} "
        "because no resource-based policy allows it"
    )


def already_exists(name: str) -> str:
    """A new table with the name of one that is there."""
    return f"Table already exists: {name}"


def table_busy(status: str, name: str) -> str:
    """A change of a table that another change has not left yet."""
    return f"{IN_USE}Table is being {_BUSY[status]}: {name}"


def missing_members(names: Iterable[str]) -> str:
    """A new table without what only one in a global table may leave out."""
    wrong = [
        f"Value null at '{name}' failed to satisfy constraint: Member must not be null" for name in names
    ]
    return f"{len(wrong)} validation error{'s' * (len(wrong) > 1)} detected: {'; '.join(wrong)}"


def only_operation(what: str) -> str:
    """A change that stands beside another."""
    return f"{INVALID}{what} modification must be the only operation in the request"


def same_throughput(index: str | None, current: tuple[int, int]) -> str:
    """Capacity units that are those already provisioned."""
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
    """A limit of on-demand reads or writes that is none."""
    return f"{INVALID}Requested {member} for OnDemandThroughput for {_owner(index)} is outside of valid range"


def on_demand_empty(index: str | None) -> str:
    """Limits of on-demand reads and writes that say nothing; in our words, as the service's are not known."""
    return (
        f"{INVALID}MaxReadRequestUnits, MaxWriteRequestUnits, or both must be specified "
        f"for OnDemandThroughput for {_owner(index)}"
    )


def on_demand_of_provisioned(member: str, *, created: bool) -> str:
    """A limit of on-demand reads or writes on a table that is not on demand; worded twice by the service."""
    end = "table BillingMode is PROVISIONED." if created else "the table BillingMode is PROVISIONED"
    return f"{INVALID}{member} for OnDemandThroughput cannot be specified when {end}"


def warm_range(member: str, index: str | None, *, created: bool) -> str:
    """A warm throughput below what the table or index has, or would have anyway."""
    wrong = (
        "outside of valid range"
        if created
        else "lower than current WarmThroughput, decreasing WarmThroughput is not supported"
    )
    return f"{INVALID}Requested {member} for WarmThroughput for {_owner(index)} is {wrong}"


def stream_exists(name: str) -> str:
    """A stream enabled or changed where there is one."""
    return f"Table already has an enabled stream: TableName: {name}"


def stream_missing(name: str) -> str:
    """A stream disabled where there is none."""
    return f"Table has no stream to disable: TableName: {name}"


def sse_needs_kms(member: str) -> str:
    """An encryption setting that only stands beside encryption with KMS."""
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
    """A stream that is not there, or is there no more."""
    return f"{NO_TABLE}: Stream: {arn} not found"
