"""What DynamoDB says of tags, policies, time to live, insights, destinations, backups and restores."""

from __future__ import annotations

from typing import Final

from .tables import INVALID, NO_TABLE

__all__ = [
    "BACKUP_IN_USE",
    "DESTINATION_NOT_DISABLED",
    "INSIGHTS_TOKEN",
    "INVALID_RESTORE_TIME",
    "NOT_A_TABLE",
    "NO_POLICY",
    "NO_SOURCE",
    "NO_TAGS",
    "NO_TAG_KEYS",
    "POLICY_NOT_JSON",
    "POLICY_TOO_LARGE",
    "RESTORE_TIME_MISSING",
    "RESTORE_TIME_TWICE",
    "REVISION_MISMATCH",
    "SAME_PRECISION",
    "TARGET_IN_USE",
    "TTL_ALREADY_DISABLED",
    "TTL_ALREADY_ENABLED",
    "TTL_TOO_SOON",
    "TWO_SOURCES",
    "backups_starting",
    "destination_not_active",
    "insights_index",
    "invalid_start",
    "no_backup",
    "no_backups_table",
    "no_destination",
    "no_resource",
    "no_such_index",
    "not_an_arn",
    "point_in_time_disabled",
    "reserved_tag",
    "table_being_deleted",
    "tag_twice",
    "target_exists",
    "too_many_tags",
    "ttl_other_attribute",
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


def not_an_arn(arn: str) -> str:
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


def ttl_other_attribute(attribute: str) -> str:
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


# As the API reference words them.
BACKUP_IN_USE: Final = (
    "There is another ongoing conflicting backup control plane operation on the table. "
    "The backup is either being created, deleted or restored to a table."
)
TARGET_IN_USE: Final = "A target table with the specified name is either being created or deleted."
INVALID_RESTORE_TIME: Final = (
    "An invalid restore time was specified. "
    "RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime."
)

# Which table is restored, and to which time.
NO_SOURCE: Final = f"{INVALID}One of SourceTableName or SourceTableArn must be specified"
TWO_SOURCES: Final = f"{INVALID}Only one of SourceTableName or SourceTableArn can be specified"
RESTORE_TIME_MISSING: Final = (
    f"{INVALID}Either RestoreDateTime must be specified or UseLatestRestorableTime must be true"
)
RESTORE_TIME_TWICE: Final = (
    f"{INVALID}RestoreDateTime cannot be specified when UseLatestRestorableTime is true"
)


def no_backup(arn: str) -> str:
    """A backup that is not there."""
    return f"Backup not found: {arn}"


def invalid_start(arn: str) -> str:
    """A page of backups that begins after something else."""
    return f"{INVALID}Invalid ExclusiveStartBackupArn: {arn}"


def target_exists(name: str) -> str:
    """A table that is there where one should be restored to."""
    return f"Table already exists: {name}"


def table_being_deleted(name: str) -> str:
    """A table to be backed up that is on its way out."""
    return f"Table is being deleted: {name}"


def point_in_time_disabled(name: str) -> str:
    """A table without point-in-time recovery."""
    return f"Point in time recovery is not enabled for table '{name}'"


def no_such_index(name: str) -> str:
    """An index for the restored table that its source does not have, or not like this."""
    return f"{INVALID}The index {name} does not match an index of the source table"
