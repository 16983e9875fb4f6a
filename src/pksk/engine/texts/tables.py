"""What DynamoDB says of tables: where they are missing or busy, and of their billing and streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = [
    "GLOBAL_TABLES",
    "INDEXES_BUSY",
    "INVALID",
    "IN_USE",
    "NEITHER_UNITS",
    "NOTHING_TO_UPDATE",
    "NO_TABLE",
    "PROTECTED",
    "STREAM_AND_THROUGHPUT",
    "STREAM_CREATED_DISABLED",
    "STREAM_CREATED_ENABLED",
    "STREAM_DISABLED_VIEW",
    "STREAM_ENABLED_VIEW",
    "UNITS_MISSING",
    "WARM_ALONE",
    "access_denied",
    "alone",
    "already_exists",
    "busy",
    "foreign_arn",
    "missing_members",
    "no_table",
    "on_demand_empty",
    "on_demand_of_provisioned",
    "on_demand_range",
    "same_throughput",
    "sse_needs_kms",
    "stream_exists",
    "stream_missing",
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


def busy(status: str, name: str) -> str:
    """A change of a table that another change has not left yet."""
    return f"{IN_USE}Table is being {_BUSY[status]}: {name}"


def missing_members(names: Iterable[str]) -> str:
    """A new table without what only one in a global table may leave out."""
    wrong = [
        f"Value null at '{name}' failed to satisfy constraint: Member must not be null" for name in names
    ]
    return f"{len(wrong)} validation error{'s' * (len(wrong) > 1)} detected: {'; '.join(wrong)}"


def alone(what: str) -> str:
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
