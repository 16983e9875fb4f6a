"""DynamoDB's messages about tags, policies, TTL, insights, destinations, backups and restores."""

from __future__ import annotations

from typing import Final

from .tables import INVALID, NO_TABLE

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

# Kinesis destinations; the service says "enable" in all of them.
_BAD_STATE: Final = "Table is not in a valid state to enable Kinesis Streaming Destination: "
DESTINATION_NOT_DISABLED: Final = (
    f"{_BAD_STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED "
    "to perform ENABLE operation."
)
SAME_PRECISION: Final = f"{INVALID}Precision is already set to the desired value"


def not_an_arn(arn: str) -> str:
    """An invalid resource ARN."""
    return f"{INVALID}ARNs must start with 'arn:': {arn}"


def no_resource(arn: str) -> str:
    """A resource that does not exist."""
    return f"{NO_TABLE}: ResourceArn: {arn} not found"


def too_many_tags(most: int) -> str:
    """More tags than a table can have."""
    return f"{INVALID}Number of tags exceeds the limit of {most}"


def tag_twice(key: str) -> str:
    """A tag that occurs twice."""
    return f"{INVALID}Duplicate tag key: {key}"


def reserved_tag(key: str) -> str:
    """A tag that only AWS can set."""
    return f"{INVALID}Tag key cannot begin with aws:. Tag key: {key}"


def ttl_other_attribute(attribute: str) -> str:
    """TTL by another attribute than the current one."""
    return f"TimeToLive is active on a different AttributeName: current AttributeName is {attribute}"


def no_backups_table(name: str) -> str:
    """A request about backups of a table that does not exist."""
    return f"Table not found: {name}"


def backups_starting(name: str) -> str:
    """A request about backups of a table that is still CREATING."""
    return f"Backups are being enabled for the table: {name}. Please retry later"


def insights_index(name: str) -> str:
    """Insights of an index that does not exist."""
    return f"{NO_TABLE}: Index: {name} not found"


def destination_not_active(action: str) -> str:
    """Disabling or updating a destination that is not active."""
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
    """A backup that does not exist."""
    return f"Backup not found: {arn}"


def invalid_start(arn: str) -> str:
    """A page of backups that begins after something else."""
    return f"{INVALID}Invalid ExclusiveStartBackupArn: {arn}"


def target_exists(name: str) -> str:
    """The target of a restore, which exists."""
    return f"Table already exists: {name}"


def table_being_deleted(name: str) -> str:
    """A backup of a table that is DELETING."""
    return f"Table is being deleted: {name}"


def point_in_time_disabled(name: str) -> str:
    """A table without point-in-time recovery."""
    return f"Point in time recovery is not enabled for table '{name}'"


def no_such_index(name: str) -> str:
    """An index override that does not match an index of the source."""
    return f"{INVALID}The index {name} does not match an index of the source table"
