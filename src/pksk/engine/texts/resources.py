"""What DynamoDB says of a table's tags, policies, expiry, backups, insights and destinations."""

from __future__ import annotations

from typing import Final

from .tables import INVALID, NO_TABLE

__all__ = [
    "DESTINATION_NOT_DISABLED",
    "INSIGHTS_TOKEN",
    "NOT_A_TABLE",
    "NO_POLICY",
    "NO_TAGS",
    "NO_TAG_KEYS",
    "POLICY_NOT_JSON",
    "POLICY_TOO_LARGE",
    "REVISION_MISMATCH",
    "SAME_PRECISION",
    "TTL_ALREADY_DISABLED",
    "TTL_ALREADY_ENABLED",
    "TTL_TOO_SOON",
    "backups_starting",
    "destination_not_active",
    "insights_index",
    "no_arn",
    "no_backups_table",
    "no_destination",
    "no_resource",
    "reserved_tag",
    "tag_twice",
    "too_many_tags",
    "ttl_elsewhere",
]

# Resources by their ARN.
NOT_A_TABLE: Final = f"{INVALID}Not a DynamoDB resource arn"

# Tags; the spelling is the service's.
NO_TAGS: Final = "Atleast one Tag needs to be provided as Input."
NO_TAG_KEYS: Final = "Atleast one Tag Key needs to be provided as Input."

# Policies.
NO_POLICY: Final = "Resource-based policy not found for the provided ResourceArn"
REVISION_MISMATCH: Final = (
    "Resource-based policy not found for the provided ResourceArn: Requested RevisionId doesn't match"
)
POLICY_TOO_LARGE: Final = f"{INVALID}Policy document exceeds the maximum allowed size of 20480 bytes"
POLICY_NOT_JSON: Final = f"{INVALID}Invalid policy document: Syntax errors in policy"

# Expiry.
TTL_ALREADY_ENABLED: Final = "TimeToLive is already enabled"
TTL_ALREADY_DISABLED: Final = "TimeToLive is already disabled"
TTL_TOO_SOON: Final = "Time to live has been modified multiple times within a fixed interval"

# Contributor insights.
INSIGHTS_TOKEN: Final = f"{INVALID}Invalid NextToken"

# Kinesis destinations; "enable" is what the service says of all of them.
_BAD_STATE: Final = "Table is not in a valid state to enable Kinesis Streaming Destination: "
DESTINATION_NOT_DISABLED: Final = (
    f"{_BAD_STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED "
    "to perform ENABLE operation."
)
SAME_PRECISION: Final = f"{INVALID}Precision is already set to the desired value"


def no_arn(arn: str) -> str:
    """A resource's ARN that is none."""
    return f"{INVALID}ARNs must start with 'arn:': {arn}"


def no_resource(arn: str) -> str:
    """A resource that is not there."""
    return f"{NO_TABLE}: ResourceArn: {arn} not found"


def too_many_tags(most: int) -> str:
    """More tags than a table takes."""
    return f"{INVALID}Number of tags exceeds the limit of {most}"


def tag_twice(key: str) -> str:
    """One tag given twice."""
    return f"{INVALID}Duplicate tag key: {key}"


def reserved_tag(key: str) -> str:
    """A tag that only AWS may give."""
    return f"{INVALID}Tag key cannot begin with aws:. Tag key: {key}"


def ttl_elsewhere(attribute: str) -> str:
    """Expiry by one attribute where it is by another."""
    return f"TimeToLive is active on a different AttributeName: current AttributeName is {attribute}"


def no_backups_table(name: str) -> str:
    """A table that is not there, to those who ask for its backups."""
    return f"Table not found: {name}"


def backups_starting(name: str) -> str:
    """Backups of a table that is still being created."""
    return f"Backups are being enabled for the table: {name}. Please retry later"


def insights_index(name: str) -> str:
    """Insights into an index that is not there."""
    return f"{NO_TABLE}: Index: {name} not found"


def destination_not_active(action: str) -> str:
    """A destination disabled or updated that is not active."""
    return f"{_BAD_STATE}KinesisStreamingDestination must be ACTIVE to perform {action} operation."


def no_destination(stream: str) -> str:
    """A destination that the table does not have."""
    return f"{NO_TABLE}: KinesisStreamingDestination: {stream} not found"
